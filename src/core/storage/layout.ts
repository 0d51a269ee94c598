/**
 * The tables of the core, the same on SQLite and PostgreSQL. A column is one of five kinds, which `ddl` writes in the
 * words of the database: `ID` (numbered by the database), `INT` (64 bits; truth values are 0 and 1), `REAL` (a double),
 * `TEXT` (compared by code point) and `BYTES`. The rows of a `CLUSTERED` table are kept in the order of its primary key. An index has the
 * columns behind `COVERING`, too, unless it has all anyway.
 */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { inWordsOf, tableNames } from './tables.ts';

/** In `accession_meta`: identifies a line of history. A database that is restored from a backup gets another one. */
export const GENERATION = 'generation';
export const newGeneration = (): string => randomUUID().slice(0, 8);

/** Raised with every change of the tables. A database with a later layout is refused. */
export const LAYOUT = 7;

/** The index of values, see search/value-index.ts: it follows the entries of areas behind a cursor. */
const VALUE_TABLES = `
-- The slots whose values are in the index, those that are numbers and others apart. several is 1 if a record has had several values.
CREATE TABLE accession_slot (
  slot ID, area INT NOT NULL, name TEXT NOT NULL, is_number INT NOT NULL, several INT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX accession_slot_name ON accession_slot (area, name, is_number);

-- The classes of records with the policies that they name: who sees a value is decided without reading its record.
CREATE TABLE accession_kind (kind ID, area INT NOT NULL, class_name TEXT NOT NULL, policy TEXT NOT NULL);
CREATE UNIQUE INDEX accession_kind_name ON accession_kind (area, class_name, policy);

-- A row for each value of a slot of a record: the folded text or its beginning, and the number that it is, else 0. first is 1 if
-- records are sorted by it.
CREATE TABLE accession_value (
  slot INT NOT NULL, number REAL NOT NULL, value TEXT NOT NULL, record INT NOT NULL, kind INT NOT NULL, first INT NOT NULL,
  PRIMARY KEY (slot, number, value, record) COVERING (kind, first)
) CLUSTERED;
`;

/** The entries that made and deleted records, see history/entry-weeks.ts. */
const WEEK_INDEXES = `
CREATE INDEX accession_entry_made ON accession_entry (area, time, class_name, policies) WHERE former IS NULL AND deleted = 0;
CREATE INDEX accession_entry_removed ON accession_entry (area, time, class_name, policies) WHERE deleted = 1;
`;

/** The statements that lead from layout n + 1 to n + 2, at index n. Rows get their values in the background; see policy-column.ts. */
const STEPS: readonly ((dialect: Dialect) => string)[] = [
  () => `ALTER TABLE accession_entry ADD COLUMN policy TEXT;
   ALTER TABLE accession_entry ADD COLUMN former_policy TEXT;
   ALTER TABLE accession_entry ADD COLUMN policies TEXT;
   ALTER TABLE accession_link ADD COLUMN policy TEXT;
   CREATE INDEX accession_entry_policies ON accession_entry
     (area, policies, revision, class_name, former_class, author) WHERE policies IS NOT NULL;
   CREATE INDEX accession_entry_former_policy ON accession_entry
     (area, former_policy, revision, class_name, former_class, author) WHERE former_policy IS NOT NULL;
   CREATE INDEX accession_link_policy ON accession_link (area, target, policy, iri, path) WHERE policy IS NOT NULL;`,
  ({ words }) => words.tables,
  () => `ALTER TABLE accession_entry ADD COLUMN record INT; ${VALUE_TABLES}`,
  () => WEEK_INDEXES,
  ({ indexesOf5 }) => indexesOf5,
  ({ indexesOf6 }) => indexesOf6,
];

/**
 * The statements that lead the tables of a former layout to the present one, in the words of a database; none for the present one.
 *
 * @param database how messages call the database
 * @throws ServiceError `store_incompatible` for a later layout
 */
export function stepsFrom(layout: number, database: string, dialect: Dialect): string[] {
  requireKnownLayout(layout, database);
  return STEPS.slice(layout - 1).map((step) => inWordsOf(dialect, step(dialect)));
}

/** Requires the present layout of a database that this process does not own. @throws ServiceError `store_incompatible` */
export function requirePresentLayout(layout: number, database: string): void {
  requireKnownLayout(layout, database);
  if (layout === LAYOUT) return;
  throw new ServiceError(
    'store_incompatible',
    `${database} has layout ${layout}, and this release requires layout ${LAYOUT}: start the service that owns the store first.`,
  );
}

function requireKnownLayout(layout: number, database: string): void {
  if (layout <= LAYOUT) return;
  throw new ServiceError(
    'store_incompatible',
    `${database} has layout ${layout}, and this release knows layout ${LAYOUT}: ` +
      'start the release that made it, or restore a backup.',
  );
}

const DEFINITIONS = `
-- What is known of the database itself: the layout, and where the service keeps single values.
CREATE TABLE accession_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- Areas: curated areas, incoming zones, the configuration. The path is relative to the store directory.
CREATE TABLE accession_area (
  area ID, path TEXT NOT NULL UNIQUE,
  revision INT NOT NULL DEFAULT 0,
  -- The time of the last change in microseconds since 1970.
  changed INT NOT NULL DEFAULT 0,
  records INT NOT NULL DEFAULT 0,
  -- The annotations that name the policies of records, as JSON; see visibility.ts and policy-column.ts.
  policy_tags TEXT NOT NULL DEFAULT '[]',
  -- Changes after this revision have brought their links; those of earlier ones are filled in behind a cursor.
  links_since INT NOT NULL DEFAULT 0
);

-- The text of a record is what reads answer: canonical JSON that names its class. policy is what the text names, by the tags
-- of the area; empty if it names none. It is before the text, so that reading it takes no longer if the text is long.
CREATE TABLE accession_record (
  id ID, area INT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  revision INT NOT NULL, policy TEXT NOT NULL DEFAULT '', json TEXT NOT NULL
);
CREATE UNIQUE INDEX accession_record_iri ON accession_record (area, iri);
CREATE INDEX accession_record_order ON accession_record (area, pid, iri, class_name, policy) COVERING (id);
CREATE INDEX accession_record_class ON accession_record (area, class_name, pid, iri, policy) COVERING (id);
-- Callers with few of many policies read the orders of theirs, and merge them.
CREATE INDEX accession_record_policy ON accession_record (area, policy, pid, iri, class_name) WHERE policy <> '';
-- Whether a caller sees a record is decided without reading it: a hidden one takes as long as a missing one.
CREATE INDEX accession_record_restricted ON accession_record (area, iri, policy) WHERE policy <> '';
-- Records that are too long for the text index: searches read them one by one.
CREATE INDEX accession_record_long ON accession_record (area) WHERE length(json) > 65536;

-- Blocks cut the order of an area into runs of some hundred records: the start of each, and its records by kind as JSON; a
-- kind is a class with, behind a NUL, the policy of records that name one.
-- The revision is that of the area when the block changed last.
CREATE TABLE accession_block (
  area INT NOT NULL, block INT NOT NULL, start_pid TEXT NOT NULL, start_iri TEXT NOT NULL,
  counts TEXT NOT NULL, revision INT NOT NULL,
  PRIMARY KEY (area, block)
);
CREATE INDEX accession_block_start ON accession_block (area, start_pid, start_iri);
CREATE INDEX accession_block_revision ON accession_block (area, revision);

-- One row for each change. former is the text that the change replaced or deleted: the text of an entry is the former of
-- the next entry of its record or, of the last one, in accession_record. So no text is ever written twice. former_class is set
-- if the record had another class before.
-- In areas with tags, policy is what the version names (of a deletion, the deleted one), former_policy what the one before named
-- if that is another, and policies all that a caller needs for the entry: policy and, behind a line feed, what the record names
-- now, or named when it was deleted, if that is another. They are NULL in other areas. record is the id that a deleted record had.
CREATE TABLE accession_entry (
  area INT NOT NULL, revision INT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  deleted INT NOT NULL, time INT NOT NULL, committer TEXT, author TEXT, role TEXT, note TEXT, former_class TEXT, former TEXT,
  policy TEXT, former_policy TEXT, policies TEXT, record INT
);
CREATE UNIQUE INDEX accession_entry_revision ON accession_entry (area, revision);
CREATE INDEX accession_entry_iri ON accession_entry (area, iri, revision);
CREATE INDEX accession_entry_deleted ON accession_entry (area, iri, revision) WHERE deleted = 1;
CREATE INDEX accession_entry_author ON accession_entry (area, author, revision);
CREATE INDEX accession_entry_class ON accession_entry (area, class_name, revision);
CREATE INDEX accession_entry_former ON accession_entry (area, former_class, revision) WHERE former_class IS NOT NULL;
-- Callers read the changes of the policies that they have, and pass no others.
CREATE INDEX accession_entry_policies ON accession_entry
  (area, policies, revision, class_name, former_class, author) WHERE policies IS NOT NULL;
CREATE INDEX accession_entry_former_policy ON accession_entry
  (area, former_policy, revision, class_name, former_class, author) WHERE former_policy IS NOT NULL;
${WEEK_INDEXES}
-- References between records of an area. policy is that of the record which refers; NULL in areas without tags.
CREATE TABLE accession_link (
  id ID, area INT NOT NULL, iri TEXT NOT NULL, target TEXT NOT NULL, slot TEXT NOT NULL, path TEXT NOT NULL, policy TEXT
);
CREATE INDEX accession_link_iri ON accession_link (area, iri, id);
CREATE INDEX accession_link_target ON accession_link (area, target, id);
CREATE INDEX accession_link_policy ON accession_link (area, target, policy, iri, path) WHERE policy IS NOT NULL;

-- Up to which revision of an area something that follows it has come: the indexes of texts and words, references, what modules do.
CREATE TABLE accession_cursor (
  name TEXT NOT NULL, area INT NOT NULL, revision INT NOT NULL, version TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (name, area)
);

-- Configuration (src/config): the minute of the last use of each token that was used.
CREATE TABLE accession_token_use (name TEXT PRIMARY KEY, time TEXT NOT NULL);

-- Changes of many records (src/core/work/plans.ts): renames, merges, schema changes. The id begins with the time.
CREATE TABLE accession_plan (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, area INT NOT NULL, collection TEXT NOT NULL, state TEXT NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX accession_plan_area ON accession_plan (area, id);

-- What a plan does to each record: staged in transactions of some hundred, then made in one. The record that it was made
-- from (null: there is none), and the one that it makes (null: it deletes), whose text and links go when the change is
-- made. made is the revision of the change; of a record that gets another IRI, its deletion has the one before.
CREATE TABLE accession_patch (
  plan TEXT NOT NULL, area INT NOT NULL, iri TEXT NOT NULL,
  revision INT, pid TEXT, class_name TEXT,
  new_iri TEXT, new_pid TEXT, new_class TEXT, json TEXT, links TEXT,
  made INT,
  PRIMARY KEY (plan, area, iri)
);

-- What curators set for a collection.
CREATE TABLE accession_settings (
  area INT NOT NULL, collection TEXT NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY (area, collection)
);

-- The policies of a collection as they were last read at a location.
CREATE TABLE accession_policy_info (
  collection TEXT NOT NULL, location TEXT NOT NULL, json TEXT NOT NULL, time TEXT NOT NULL,
  PRIMARY KEY (collection, location)
);
${VALUE_TABLES}`;

/** The names of all tables of the core but those of the indexes of texts and words. */
export const TABLES: readonly string[] = tableNames(DEFINITIONS);

/** The statements that make the tables, in the words of a database. */
export function ddl(dialect: Dialect): string {
  return `${inWordsOf(dialect, DEFINITIONS)}\n${dialect.textTables}\n${inWordsOf(dialect, dialect.words.tables)}`;
}
