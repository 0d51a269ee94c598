/**
 * The backends of tests of what every backend does. All of them are in one database, so these are enough: with files and
 * without, with `schema_type` and without, in SQLite and in PostgreSQL. The short tests have the fastest one, since the store contract
 * shows that both databases do the same, and the long ones the others. The tests of parity run every one.
 */
import { isLong } from './tier.ts';

export const BACKENDS = isLong ? (['postgresql+stl', 'record_dir+stl'] as const) : (['sqlite'] as const);
