import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- state is making, done, failed or withdrawn; done and total are the steps that are done, of how many. attempt names the parts of the archive.
CREATE TABLE accession_release (
  area INT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL, revision INT NOT NULL, time INT NOT NULL,
  state TEXT NOT NULL, attempt TEXT NOT NULL, done INT NOT NULL, total INT NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (area, collection, name)
);
CREATE INDEX accession_release_making ON accession_release (time) WHERE state = 'making';
-- The parts of an archive belong to the attempt that writes them, and are served when the release is done.
CREATE TABLE accession_release_part (
  attempt TEXT NOT NULL, part INT NOT NULL, bytes BYTES NOT NULL,
  PRIMARY KEY (attempt, part)
);
`;

/** Rows stay when a collection is deleted, as its records do: a collection on the same area has both again. */
export const tables: ModuleTables = { version: 1, sql };
