/**
 * The backends of tests of what every backend does. All of them are in one database, so these are enough: with files and
 * without, with `schema_type` and without, in SQLite and in PostgreSQL. The tests of parity run every one.
 */
export const BACKENDS = ['record_dir+stl', 'sqlite', 'postgresql+stl'] as const;
