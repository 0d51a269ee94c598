import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- The schema that a collection had last, with its text: by it, an edited file is noticed.
CREATE TABLE accession_schema (
  area INT NOT NULL, collection TEXT NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (area, collection)
);
-- Dry runs of schema changes, for other instances.
CREATE TABLE accession_dry_run (
  id TEXT PRIMARY KEY, area INT NOT NULL, collection TEXT NOT NULL, time TEXT NOT NULL, json TEXT NOT NULL
);
`;

export const tables: ModuleTables = {
  version: 1,
  sql,
  collection: ['accession_schema', 'accession_dry_run'],
};
