/**
 * The tables in an area's database. `thing` is the peer's, byte for byte, so that either service can open what the
 * other wrote. Everything else is ours, is named `accession_*`, and is kept by triggers: a row that the peer inserts,
 * changes or deletes gets its entry, and with it its revision, and its place in the counts just as one of ours does.
 *
 * The triggers use plain SQL of SQLite 3.24 and no function of ours, because they also run inside the peer.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import { transaction } from './database.ts';

/** As SQLAlchemy creates it for the peer. */
const PEER_TABLE = `
CREATE TABLE IF NOT EXISTS thing (
	id INTEGER NOT NULL, 
	iri VARCHAR NOT NULL, 
	class_name VARCHAR(255) NOT NULL, 
	object JSON NOT NULL, 
	sort_key VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX IF NOT EXISTS ix_thing_class_name ON thing (class_name);
CREATE UNIQUE INDEX IF NOT EXISTS ix_thing_iri ON thing (iri);
`;

/** The number in `accession_meta` under `layout_number`. */
const LAYOUT = 5;
/**
 * The number under `layout`. Release 0.2.0 rebuilds everything if it does not know the number, without the entries. With its
 * own one, it fails, since it misses a table.
 */
const LAYOUT_FOR_FORMER = 4;
const SET_LAYOUT = `
INSERT OR REPLACE INTO accession_meta VALUES ('layout', ${LAYOUT_FOR_FORMER}), ('layout_number', ${LAYOUT});
`;

/** The newest row of an entry's IRI, as a condition: the revision of the record, or the tombstone of one that was deleted. */
export const IS_NEWEST =
  'NOT EXISTS (SELECT 1 FROM accession_entry f WHERE f.iri = e.iri AND f.revision > e.revision)';

/** The revision of a row of `thing`; 0 if a program has removed the triggers. */
export const REVISION = 'coalesce((SELECT max(e.revision) FROM accession_entry e WHERE e.iri = t.iri), 0)';

/** Entries and the ledger. A database of layout 1 lacks them and is upgraded. */
const ENTRY_TABLES = `
-- One row for each change. The newest row of an IRI gives the revision of its record, the newest one of all gives that of
-- the area, so these are never removed. The text after a change is in \`former\` of the next row of the IRI or, if there is
-- none, in \`thing\`: so a change writes one row at the end, and none in the middle. Up to layout 4 it was moved to
-- \`object\` of the row, and stays there. Times are microseconds since 1970.
CREATE TABLE accession_entry (
  revision INTEGER PRIMARY KEY, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  deleted INTEGER NOT NULL, time INTEGER NOT NULL, committer TEXT, author TEXT, role TEXT, note TEXT, object TEXT,
  former TEXT
);
CREATE INDEX accession_entry_iri ON accession_entry (iri);

CREATE TABLE accession_ledger (
  kind TEXT NOT NULL, id TEXT NOT NULL, keys TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE accession_ledger_key (
  kind TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, key, id)
) WITHOUT ROWID;
`;

/** How many bits of the id of a row do not name its segment, see {@link LINK_TABLES}. */
export const SEGMENT_BITS = 15;

const UNLINKED = `
CREATE TRIGGER accession_unlinked AFTER DELETE ON thing BEGIN
  DELETE FROM accession_link WHERE thing = old.id;
END;
`;

/**
 * References between records, those of one record side by side, so that a write of a record finds and replaces them in
 * one place. Those to one target are found by 48 bits of its hash, in each segment of 32,768 rows of `thing`. So an index
 * whose order has nothing to do with that of the writes is written in one small stretch, however large the area is.
 *
 * A database of layout 2 lacks them. Those of layout 3 were in the order of the targets, and are filled again.
 */
const LINK_TABLES = `
DROP TABLE IF EXISTS accession_link;
CREATE TABLE accession_link (
  thing INTEGER NOT NULL, number INTEGER NOT NULL, target_hash INTEGER NOT NULL,
  target TEXT NOT NULL, slot TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (thing, number)
) WITHOUT ROWID;
CREATE INDEX accession_link_target ON accession_link (thing >> ${SEGMENT_BITS}, target_hash);
${UNLINKED}
INSERT OR REPLACE INTO accession_meta VALUES ('links_key', ''), ('links_revision', 0);
`;

const OWN_TABLES = `
CREATE TABLE accession_meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

${ENTRY_TABLES}
CREATE INDEX accession_order ON thing (sort_key, iri, class_name);
CREATE INDEX accession_class_order ON thing (class_name, sort_key, iri);

-- Blocks cut the order into stretches; each is known by where it begins and how many records of each class it holds.
CREATE TABLE accession_block (id INTEGER PRIMARY KEY, sort_key TEXT NOT NULL, iri TEXT NOT NULL);
CREATE UNIQUE INDEX accession_block_start ON accession_block (sort_key, iri);
CREATE TABLE accession_block_count (
  block INTEGER NOT NULL, class_name TEXT NOT NULL, records INTEGER NOT NULL, PRIMARY KEY (block, class_name)
) WITHOUT ROWID;
INSERT INTO accession_block (sort_key, iri) VALUES ('', '');
`;

/** The block of a row of `thing`. */
const blockOf = (row: 'old' | 'new') => `
  SELECT id FROM accession_block WHERE (sort_key, iri) <= (${row}.sort_key, ${row}.iri)
  ORDER BY sort_key DESC, iri DESC LIMIT 1`;

const addToBlock = `
  INSERT INTO accession_block_count (block, class_name, records) VALUES ((${blockOf('new')}), new.class_name, 1)
  ON CONFLICT (block, class_name) DO UPDATE SET records = records + 1;`;

const takeFromBlock = `
  UPDATE accession_block_count SET records = records - 1 WHERE block = (${blockOf('old')}) AND class_name = old.class_name;`;

/** SQLite's clock has milliseconds; the microseconds count on within one. */
const CLOCK = `CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000`;

/** Inserts the entry of a change; its revision is one more than the newest. */
const addEntry = (row: 'old' | 'new', deleted: 0 | 1, former: string) => `
  INSERT INTO accession_entry (iri, pid, class_name, deleted, time, former) VALUES (
    ${row}.iri, ${row}.sort_key, ${row}.class_name, ${deleted},
    max(${CLOCK}, coalesce((SELECT time + 1 FROM accession_entry ORDER BY revision DESC LIMIT 1), 0)), ${former});`;

const TRIGGERS = `
CREATE TRIGGER accession_inserted AFTER INSERT ON thing BEGIN
  ${addEntry('new', 0, 'NULL')}
  ${addToBlock}
END;
CREATE TRIGGER accession_updated AFTER UPDATE ON thing BEGIN
  ${addEntry('new', 0, 'CASE WHEN old.iri = new.iri THEN old.object END')}
END;
CREATE TRIGGER accession_moved AFTER UPDATE OF class_name, sort_key, iri ON thing
WHEN old.class_name <> new.class_name OR old.sort_key <> new.sort_key OR old.iri <> new.iri BEGIN
  ${takeFromBlock}
  ${addToBlock}
END;
CREATE TRIGGER accession_renamed AFTER UPDATE OF iri ON thing WHEN old.iri <> new.iri BEGIN
  ${addEntry('old', 1, 'old.object')}
END;
CREATE TRIGGER accession_deleted AFTER DELETE ON thing BEGIN
  ${takeFromBlock}
  ${addEntry('old', 1, 'old.object')}
END;
`;

/** Layout 1 had the last change of each IRI alone: of a record, or (\`thing\` is NULL) of one that was deleted. */
const ENTRIES_OF_CHANGES = `
INSERT INTO accession_entry (revision, iri, pid, class_name, deleted, time)
  SELECT c.revision, coalesce(t.iri, c.iri), coalesce(t.sort_key, c.pid), coalesce(t.class_name, ''), t.id IS NULL,
    ${CLOCK} - (SELECT max(revision) FROM accession_change) + c.revision
  FROM accession_change c LEFT JOIN thing t ON t.id = c.thing
  WHERE t.id IS NOT NULL OR c.iri IS NOT NULL;
`;

/** Entries, without an actor, of records that have none: made before us, or by a program that removed the triggers. */
const MISSING_ENTRIES = `
INSERT INTO accession_entry (iri, pid, class_name, deleted, time)
  SELECT iri, sort_key, class_name, 0,
    max(${CLOCK} - (SELECT count(*) FROM thing), coalesce((SELECT max(time) FROM accession_entry), 0))
      + row_number() OVER (ORDER BY id)
  FROM thing t WHERE NOT EXISTS (SELECT 1 FROM accession_entry e WHERE e.iri = t.iri) ORDER BY id;
`;

/** Rows that were there before us: they count as changes in the order of their making. */
const ADOPTION = `
INSERT INTO accession_block_count (block, class_name, records)
  SELECT (SELECT id FROM accession_block), class_name, count(*) FROM thing GROUP BY class_name;
${MISSING_ENTRIES}`;

/** A peer with `--sort-by` keeps other sort keys than the pid; ours is the pid (specification 4.1, rule 6). */
const RIGHT_SORT_KEYS = `
UPDATE thing SET sort_key = json_extract(object, '$.pid')
WHERE sort_key <> json_extract(object, '$.pid')`;

/**
 * Makes the tables that are missing, in one transaction. A database that already has them is left as it is.
 *
 * @param adopting is called with the number of rows before a database without our tables is adopted, which takes
 *   seconds for a million rows.
 * @throws ServiceError `store_incompatible` for a database of a later release
 */
export function layTables(database: DatabaseSync, adopting: (rows: number) => void): void {
  if (layoutOf(database) === LAYOUT) return;
  transaction(database, () => {
    // Another process may have made them since.
    const layout = layoutOf(database);
    if (layout === LAYOUT) return;
    if (isFormer(layout)) return upgrade(database, layout);
    if (layout !== undefined && layout > LAYOUT) throw laterLayout(layout);
    dropOwn(database);
    database.exec(PEER_TABLE);
    const rows = database.prepare('SELECT count(*) AS n FROM thing').get() as { n: number };
    if (rows.n > 0) adopting(rows.n);
    database.exec(RIGHT_SORT_KEYS);
    database.exec(OWN_TABLES + ADOPTION + TRIGGERS + LINK_TABLES + SET_LAYOUT);
  });
}

type FormerLayout = 1 | 2 | 3 | 4;

const isFormer = (layout: number | undefined): layout is FormerLayout =>
  layout !== undefined && layout >= 1 && layout < LAYOUT;

/** Adds what an earlier layout lacks, and removes its revisions of records, which the entries have. Revisions and entries stay. */
function upgrade(database: DatabaseSync, layout: FormerLayout): void {
  for (const name of namesOfTriggers(database)) database.exec(`DROP TRIGGER ${name}`);
  if (layout === 1) database.exec(ENTRY_TABLES + ENTRIES_OF_CHANGES);
  else database.exec('ALTER TABLE accession_entry ADD COLUMN former TEXT');
  database.exec(`DROP TABLE accession_change; ${TRIGGERS}`);
  database.exec((layout === 4 ? UNLINKED : LINK_TABLES) + SET_LAYOUT);
}

function namesOfTriggers(database: DatabaseSync): unknown[] {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'accession\\_%' ESCAPE '\\'`;
  return database
    .prepare(sql)
    .all()
    .map(({ name }) => name);
}

/** Rebuilds what the triggers keep from the records. Revisions stay. */
const REMAKE = `
${MISSING_ENTRIES}
DELETE FROM accession_block;
DELETE FROM accession_block_count;
INSERT INTO accession_block (sort_key, iri) VALUES ('', '');
INSERT INTO accession_block_count (block, class_name, records)
  SELECT (SELECT id FROM accession_block), class_name, count(*) FROM thing GROUP BY class_name;
DROP TABLE IF EXISTS accession_text;
DROP TABLE IF EXISTS accession_folded;
DELETE FROM accession_link WHERE thing NOT IN (SELECT id FROM thing);
UPDATE accession_meta SET value = 0 WHERE name = 'links_revision';
`;

/** Rebuilds all our tables and indexes, for a database in which they may be wrong. */
export function remakeTables(database: DatabaseSync, adopting: (rows: number) => void): void {
  layTables(database, adopting);
  transaction(database, () => database.exec(`${RIGHT_SORT_KEYS};${REMAKE}`));
  database.exec('REINDEX');
}

/** Whether a database has a table of records: not while its owner is about to make it. */
export function hasRecords(database: DatabaseSync): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'thing'`).get() !== undefined;
}

/** The layout of a database that has another one than this release, in words. */
export function foreignLayout(database: DatabaseSync): string | undefined {
  const layout = layoutOf(database);
  if (layout === LAYOUT) return undefined;
  return layout === undefined ? 'no tables of a service' : `the layout ${layout}`;
}

function laterLayout(layout: number): ServiceError {
  const message = `The database has the layout ${layout} of a later release; this release has ${LAYOUT}.`;
  return new ServiceError('store_incompatible', message);
}

function layoutOf(database: DatabaseSync): number | undefined {
  const known = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'accession_meta'`).get();
  if (!known) return undefined;
  const sql = `SELECT max(value) AS value FROM accession_meta WHERE name IN ('layout', 'layout_number')`;
  return (database.prepare(sql).get() as { value: number | null }).value ?? undefined;
}

/** Takes away everything of ours and leaves the database as the peer made it. */
function dropOwn(database: DatabaseSync): void {
  const own = database
    .prepare(
      `SELECT type, name FROM sqlite_master WHERE name LIKE 'accession\\_%' ESCAPE '\\' AND type IN ('table', 'index', 'trigger')
       AND (sql LIKE 'CREATE VIRTUAL%' OR name NOT LIKE 'accession\\_text\\_%' ESCAPE '\\'
         AND name NOT LIKE 'accession\\_folded\\_%' ESCAPE '\\')
       ORDER BY type DESC`,
    )
    .all() as { type: string; name: string }[];
  for (const { type, name } of own) database.exec(`DROP ${type} IF EXISTS ${name}`);
}
