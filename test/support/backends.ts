/**
 * The backends of tests of what every backend does. All of them are in one database, so these are enough: with files and
 * without, with `schema_type` and without, in SQLite and in PostgreSQL. Most other tests have files, so that the short ones
 * leave them out here, and the long ones have nothing else. The tests of parity run every one.
 */
import { isLong } from './tier.ts';

export const BACKENDS = isLong ? (['record_dir+stl'] as const) : (['sqlite', 'postgresql+stl'] as const);
