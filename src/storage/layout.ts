/**
 * The tables of the service, the same on SQLite and PostgreSQL. A column is one of three kinds, which `ddl` writes in the
 * words of the database: `ID` (numbered by the database), `INT` (64 bits; truth values are 0 and 1) and `TEXT` (compared by
 * code point).
 */

import type { Dialect } from './dialect.ts';

/** Raised with every change of the tables. A database with a later layout is refused. */
export const LAYOUT = 1;

const TABLES = `
-- What is known of the database itself: the layout, and where the service keeps single values.
CREATE TABLE accession_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- Areas: curated areas, incoming zones, the configuration. The path is relative to the store directory.
CREATE TABLE accession_area (
  area ID, path TEXT NOT NULL UNIQUE,
  revision INT NOT NULL DEFAULT 0,
  -- The time of the last change in microseconds since 1970.
  changed INT NOT NULL DEFAULT 0,
  records INT NOT NULL DEFAULT 0,
  -- The links of all records are known up to this revision, as they are read by the schema of this digest.
  links_key TEXT NOT NULL DEFAULT '', links_revision INT NOT NULL DEFAULT 0
);

-- The text of a record is what reads answer: canonical JSON with its schema_type.
CREATE TABLE accession_record (
  id ID, area INT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  revision INT NOT NULL, json TEXT NOT NULL
);
CREATE UNIQUE INDEX accession_record_iri ON accession_record (area, iri);
CREATE INDEX accession_record_order ON accession_record (area, pid, iri, class_name);
CREATE INDEX accession_record_class ON accession_record (area, class_name, pid, iri);
-- Records that are too long for the text index: searches read them one by one.
CREATE INDEX accession_record_long ON accession_record (area) WHERE length(json) > 65536;

-- Blocks cut the order of an area into runs of some hundred records: the start of each, and its records by class as JSON.
-- The revision is that of the area when the block changed last.
CREATE TABLE accession_block (
  area INT NOT NULL, block INT NOT NULL, start_pid TEXT NOT NULL, start_iri TEXT NOT NULL,
  counts TEXT NOT NULL, revision INT NOT NULL,
  PRIMARY KEY (area, block)
);
CREATE INDEX accession_block_start ON accession_block (area, start_pid, start_iri);
CREATE INDEX accession_block_revision ON accession_block (area, revision);

-- One row for each change. former is the text that the change replaced or deleted: the text of an entry is the former of
-- the next entry of its record or, of the last one, in accession_record. So no row is ever written twice.
CREATE TABLE accession_entry (
  area INT NOT NULL, revision INT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  deleted INT NOT NULL, time INT NOT NULL, committer TEXT, author TEXT, role TEXT, note TEXT, former TEXT
);
CREATE UNIQUE INDEX accession_entry_revision ON accession_entry (area, revision);
CREATE INDEX accession_entry_iri ON accession_entry (area, iri, revision);
CREATE INDEX accession_entry_author ON accession_entry (area, author, revision);

-- References between records of an area.
CREATE TABLE accession_link (
  id ID, area INT NOT NULL, iri TEXT NOT NULL, target TEXT NOT NULL, slot TEXT NOT NULL, path TEXT NOT NULL
);
CREATE INDEX accession_link_iri ON accession_link (area, iri, id);
CREATE INDEX accession_link_target ON accession_link (area, target, id);

-- Up to which revision of an area something that follows it has come: the text index, faults, the mirror of files.
CREATE TABLE accession_cursor (
  name TEXT NOT NULL, area INT NOT NULL, revision INT NOT NULL, version TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (name, area)
);

-- Configuration (src/config): the day of the last use of each token that was used.
CREATE TABLE accession_token_use (name TEXT PRIMARY KEY, day TEXT NOT NULL);
`;

/** The statements that make the tables, in the words of a database. */
export function ddl({ types, textTables }: Pick<Dialect, 'types' | 'textTables'>): string {
  const tables = TABLES.replace(/\bID\b/g, types.id).replace(/\bINT\b/g, types.int).replace(/\bTEXT\b/g, types.text);
  return `${tables}\n${textTables}`;
}
