import type { ModuleTables } from '../../core/storage/tables.ts';

const sql = `
-- Records that do not fit the schema of a collection.
CREATE TABLE accession_fault (
  collection TEXT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  problems TEXT NOT NULL,
  PRIMARY KEY (collection, area, iri)
);

-- Identifiers of curated records, by which others are known to be about the same thing.
CREATE TABLE accession_identifier (
  collection TEXT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (collection, area, iri, value)
);
CREATE INDEX accession_identifier_value ON accession_identifier (collection, area, value);

-- Pairs of records that are about different things, and a number that grows when they change.
CREATE TABLE accession_different (
  area INT NOT NULL, iri TEXT NOT NULL, other TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL,
  PRIMARY KEY (area, iri, other)
);
CREATE TABLE accession_hints (area INT NOT NULL PRIMARY KEY, version INT NOT NULL);
`;

/**
 * Faults and identifiers are found again under another schema. Those of a collection stay when it is deleted, with their cursors: one
 * that is made again with the same areas goes on with them.
 */
export const tables: ModuleTables = {
  version: 1,
  sql,
  iris: [
    ['accession_different', 'area', 'iri'],
    ['accession_different', 'area', 'other'],
  ],
  statistics: {
    accession_identifier: {
      sqlite_autoindex_accession_identifier_1: '1000000 100000 100000 1 1',
      accession_identifier_value: '1000000 100000 100000 1',
    },
    accession_fault: {
      sqlite_autoindex_accession_fault_1: '100000 10000 10000 1',
    },
  },
};
