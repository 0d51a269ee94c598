import type { ModuleTables, TablesOfModules } from '../../core/storage/tables.ts';

const sql = `
-- Files of mirrored areas as they were when they were written or read last (see file-table.ts).
CREATE TABLE accession_file (
  area INT NOT NULL, path TEXT NOT NULL, iri TEXT, revision INT NOT NULL,
  size INT NOT NULL, modified INT NOT NULL, inode INT NOT NULL, digest TEXT NOT NULL, fault TEXT,
  PRIMARY KEY (area, path)
);
CREATE INDEX accession_file_iri ON accession_file (area, iri);
CREATE INDEX accession_file_fault ON accession_file (area, path) WHERE fault IS NOT NULL;
`;

/** The cursor of a mirror: files are as the entries up to it say, and flushed. */
export const MIRROR = 'mirror';

export const tables: ModuleTables = {
  version: 1,
  sql,
  iris: [['accession_file', 'area', 'iri']],
  // A copy of the database has no files yet.
  uncopied: { tables: ['accession_file'], cursors: [MIRROR] },
  statistics: {
    accession_file: {
      sqlite_autoindex_accession_file_1: '1000000 100000 1',
      accession_file_iri: '1000000 100000 1',
      accession_file_fault: '1000 100 1',
    },
  },
};

/** The tables under the name of the module, for a database that is opened for it alone. */
export const TABLES: TablesOfModules = { peer: tables };
