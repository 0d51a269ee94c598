/**
 * The tables in an area's database. `thing` is the peer's, byte for byte, so that either service can open what the
 * other wrote. Everything else is ours, is named `accession_*`, and is kept by triggers: a row that the peer inserts,
 * changes or deletes gets its revision, its tombstone and its place in the counts just as one of ours does.
 *
 * The triggers use plain SQL of SQLite 3.24 and no function of ours, because they also run inside the peer.
 */
import type { DatabaseSync } from 'node:sqlite';
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

/** The number in `accession_meta` under `layout`; a database with another one has its `accession_*` objects rebuilt. */
const LAYOUT = 4;

/** Entries and the ledger. A database of layout 1 lacks them and is upgraded. */
const ENTRY_TABLES = `
-- One row for each change. The newest row gives the revision of the area, so it is never removed. While the text of a
-- change is the current one, it is in \`thing\` and \`object\` is NULL. Times are microseconds since 1970.
CREATE TABLE accession_entry (
  revision INTEGER PRIMARY KEY, iri TEXT NOT NULL, pid TEXT NOT NULL, class_name TEXT NOT NULL,
  deleted INTEGER NOT NULL, time INTEGER NOT NULL, committer TEXT, author TEXT, role TEXT, note TEXT, object TEXT
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

/**
 * References between records, those of one record side by side, so that a write of a record finds and replaces them in
 * one place. Those to one target are found by 48 bits of its hash, in each segment of 32,768 rows of `thing`. So an index
 * whose order has nothing to do with that of the writes is written in one small stretch, however large the area is.
 *
 * A database of layout 2 lacks them. Those of layout 3 were in the order of the targets, and are filled again.
 */
const LINK_TABLES = `
DROP TABLE IF EXISTS accession_link;
DROP TRIGGER IF EXISTS accession_unlinked;
CREATE TABLE accession_link (
  thing INTEGER NOT NULL, number INTEGER NOT NULL, target_hash INTEGER NOT NULL,
  target TEXT NOT NULL, slot TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (thing, number)
) WITHOUT ROWID;
CREATE INDEX accession_link_target ON accession_link (thing >> ${SEGMENT_BITS}, target_hash);
CREATE TRIGGER accession_unlinked AFTER DELETE ON thing BEGIN
  DELETE FROM accession_link WHERE thing = old.id;
END;
INSERT OR REPLACE INTO accession_meta VALUES ('links_key', ''), ('links_revision', 0);
`;

const OWN_TABLES = `
CREATE TABLE accession_meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

-- The last change of each IRI: of a record that is there, or (thing IS NULL) of one that was deleted.
CREATE TABLE accession_change (revision INTEGER PRIMARY KEY, thing INTEGER, iri TEXT, pid TEXT);
CREATE UNIQUE INDEX accession_change_thing ON accession_change (thing) WHERE thing IS NOT NULL;
CREATE UNIQUE INDEX accession_change_iri ON accession_change (iri) WHERE iri IS NOT NULL;

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
const addEntry = (row: 'old' | 'new', deleted: 0 | 1) => `
  INSERT INTO accession_entry (iri, pid, class_name, deleted, time) VALUES (
    ${row}.iri, ${row}.sort_key, ${row}.class_name, ${deleted},
    max(${CLOCK}, coalesce((SELECT time + 1 FROM accession_entry ORDER BY revision DESC LIMIT 1), 0)));`;

const lastRevision = '(SELECT max(revision) FROM accession_entry)';

/** Moves the text that a row of `thing` is about to lose to its entry. */
const keepText = `
  UPDATE accession_entry SET object = old.object
  WHERE revision = (SELECT revision FROM accession_change WHERE thing = old.id) AND object IS NULL;`;

const TRIGGERS = `
CREATE TRIGGER accession_inserted AFTER INSERT ON thing BEGIN
  ${addEntry('new', 0)}
  INSERT INTO accession_change (revision, thing) VALUES (${lastRevision}, new.id);
  DELETE FROM accession_change WHERE iri = new.iri;
  ${addToBlock}
END;
CREATE TRIGGER accession_updated AFTER UPDATE ON thing BEGIN
  ${keepText}
  ${addEntry('new', 0)}
  UPDATE accession_change SET revision = ${lastRevision}, thing = new.id WHERE thing = old.id;
END;
CREATE TRIGGER accession_moved AFTER UPDATE OF class_name, sort_key, iri ON thing
WHEN old.class_name <> new.class_name OR old.sort_key <> new.sort_key OR old.iri <> new.iri BEGIN
  ${takeFromBlock}
  ${addToBlock}
END;
CREATE TRIGGER accession_renamed AFTER UPDATE OF iri ON thing WHEN old.iri <> new.iri BEGIN
  DELETE FROM accession_change WHERE iri = new.iri;
  ${addEntry('old', 1)}
  INSERT INTO accession_change (revision, iri, pid) VALUES (${lastRevision}, old.iri, old.sort_key);
END;
CREATE TRIGGER accession_deleted AFTER DELETE ON thing BEGIN
  ${takeFromBlock}
  ${keepText}
  ${addEntry('old', 1)}
  UPDATE accession_change SET revision = ${lastRevision}, thing = NULL, iri = old.iri, pid = old.sort_key
  WHERE thing = old.id;
END;
`;

/** Entries, without an actor, of changes that have none: made before there were entries, or by who removed the triggers. */
const ENTRIES_OF_CHANGES = `
INSERT INTO accession_entry (revision, iri, pid, class_name, deleted, time)
  SELECT c.revision, coalesce(t.iri, c.iri), coalesce(t.sort_key, c.pid), coalesce(t.class_name, ''), t.id IS NULL,
    ${CLOCK} - (SELECT max(revision) FROM accession_change) + c.revision
  FROM accession_change c LEFT JOIN thing t ON t.id = c.thing
  WHERE (t.id IS NOT NULL OR c.iri IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM accession_entry e WHERE e.revision = c.revision);
`;

/** Rows that were there before us: they count as changes in the order of their making. */
const ADOPTION = `
INSERT INTO accession_change (thing) SELECT id FROM thing ORDER BY id;
INSERT INTO accession_block_count (block, class_name, records)
  SELECT (SELECT id FROM accession_block), class_name, count(*) FROM thing GROUP BY class_name;
${ENTRIES_OF_CHANGES}`;

/** A peer with `--sort-by` keeps other sort keys than the pid; ours is the pid (specification 4.1, rule 6). */
const RIGHT_SORT_KEYS = `
UPDATE thing SET sort_key = json_extract(object, '$.pid')
WHERE sort_key <> json_extract(object, '$.pid')`;

/**
 * Makes the tables that are missing, in one transaction. A database that already has them is left as it is.
 *
 * @param adopting is called with the number of rows before a database without our tables is adopted, which takes
 *   seconds for a million rows.
 */
export function layTables(database: DatabaseSync, adopting: (rows: number) => void): void {
  if (layoutOf(database) === LAYOUT) return;
  transaction(database, () => {
    // Another process may have made them since.
    const layout = layoutOf(database);
    if (layout === LAYOUT) return;
    if (layout === 1 || layout === 2 || layout === 3) return upgrade(database, layout);
    dropOwn(database);
    database.exec(PEER_TABLE);
    const rows = database.prepare('SELECT count(*) AS n FROM thing').get() as { n: number };
    if (rows.n > 0) adopting(rows.n);
    database.exec(RIGHT_SORT_KEYS);
    database.exec(OWN_TABLES + ADOPTION + TRIGGERS + LINK_TABLES);
    database.prepare(`INSERT INTO accession_meta VALUES ('layout', ?)`).run(LAYOUT);
  });
}

/** Adds what an earlier layout lacks. Revisions and entries stay. */
function upgrade(database: DatabaseSync, layout: 1 | 2 | 3): void {
  if (layout === 1) addEntries(database);
  database.exec(LINK_TABLES);
  database.prepare(`UPDATE accession_meta SET value = ? WHERE name = 'layout'`).run(LAYOUT);
}

/** Layout 1 has no entries. */
function addEntries(database: DatabaseSync): void {
  const triggers = database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'accession\\_%' ESCAPE '\\'`,
    )
    .all() as { name: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  database.exec(ENTRY_TABLES + ENTRIES_OF_CHANGES + TRIGGERS);
}

/** Rebuilds what the triggers keep from the records. Revisions stay. */
const REMAKE = `
DELETE FROM accession_change WHERE thing IS NOT NULL AND thing NOT IN (SELECT id FROM thing);
INSERT INTO accession_change (revision, thing)
  SELECT coalesce((SELECT max(revision) FROM accession_entry), 0) + row_number() OVER (ORDER BY id), id
  FROM thing t WHERE NOT EXISTS (SELECT 1 FROM accession_change c WHERE c.thing = t.id) ORDER BY id;
${ENTRIES_OF_CHANGES}
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

function layoutOf(database: DatabaseSync): number | undefined {
  const known = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'accession_meta'`).get();
  if (!known) return undefined;
  const row = database.prepare(`SELECT value FROM accession_meta WHERE name = 'layout'`).get();
  return row?.value as number | undefined;
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
