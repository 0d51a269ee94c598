import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- Up to when a user has read what has happened in a collection, in microseconds since 1970.
CREATE TABLE accession_inbox_read (
  area INT NOT NULL, collection TEXT NOT NULL, user_id TEXT NOT NULL, until INT NOT NULL,
  PRIMARY KEY (area, collection, user_id)
) CLUSTERED;
`;

export const tables: ModuleTables = { version: 1, sql, collection: ['accession_inbox_read'] };
