import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- The hash of the secret, and the token that it is exchanged for. state is open, accepted or revoked; times are in milliseconds
-- since 1970.
CREATE TABLE accession_invitation (
  id ID, area INT NOT NULL, collection TEXT NOT NULL, hash TEXT NOT NULL, json TEXT NOT NULL, author TEXT NOT NULL,
  created INT NOT NULL, until INT NOT NULL, state TEXT NOT NULL, ended INT, ended_by TEXT
);
CREATE INDEX accession_invitation_hash ON accession_invitation (area, collection, hash);
`;

export const tables: ModuleTables = {
  version: 1,
  sql,
  collection: ['accession_invitation'],
  // The rows stay: they say who invited whom.
  adminToken: `UPDATE accession_invitation SET state = 'revoked', ended = $2, ended_by = $3
    WHERE author = $1 AND state = 'open'`,
};
