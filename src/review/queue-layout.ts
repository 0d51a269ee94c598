/** The tables of the queue's index. Everything in them can be read again from the zones and the curated area. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Raised with every change of the tables or of what they mean: an index of another version is rebuilt. */
const VERSION = 2;

/** A collection that is set again has two indexes open for a moment, in milliseconds. */
const BUSY_TIMEOUT = 10_000;

/** What became of a submission, as its zone sees it. An expression of an index: queries have to use it as it is. */
export const OWN_STATUS = 'CASE WHEN present = 1 THEN standing ELSE status END';

const FILTERABLE = ['label', 'class', 'state', 'standing', 'submitter', 'batch', 'valid'];

/**
 * Rows are long, and filters may select few of many: so each order has an index with all that is filtered by, and a page is
 * selected there before its rows are read.
 */
const QUEUE_TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE zone (label TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE submission (
    label TEXT NOT NULL, iri TEXT NOT NULL, pid TEXT NOT NULL, class TEXT NOT NULL,
    present INTEGER NOT NULL, standing TEXT NOT NULL, state TEXT NOT NULL,
    submitter TEXT, edited_by TEXT, submitted_at TEXT NOT NULL, stored_at TEXT NOT NULL,
    batch TEXT, message TEXT, answered_at TEXT, until TEXT,
    revision INTEGER NOT NULL, digest TEXT NOT NULL, title TEXT, valid INTEGER NOT NULL,
    differences INTEGER NOT NULL, conflicts INTEGER NOT NULL, slots TEXT NOT NULL,
    curated_revision INTEGER, base_known INTEGER NOT NULL, base_etag TEXT,
    status TEXT, left_at TEXT, decision TEXT,
    json TEXT NOT NULL, base_class TEXT, base_json TEXT,
    PRIMARY KEY (label, iri)
  );
  CREATE INDEX submission_iri ON submission (iri, digest);
  CREATE INDEX submission_time
    ON submission (present, standing, submitted_at, label, pid, state, valid, class, submitter, batch, stored_at);
  CREATE INDEX submission_pid
    ON submission (present, standing, pid, label, state, valid, class, submitter, batch, stored_at);
  CREATE INDEX submission_class
    ON submission (present, standing, class, label, pid, state, valid, submitter, batch, stored_at);
  CREATE INDEX submission_class_down
    ON submission (present, standing, class DESC, label, pid, state, valid, submitter, batch, stored_at);
  CREATE INDEX submission_label ON submission (present, standing, label, submitted_at, pid);
  CREATE INDEX submission_submitter ON submission (present, standing, submitter, submitted_at, label, pid);
  CREATE INDEX submission_batch ON submission (present, standing, batch, submitted_at, label, pid);
  CREATE INDEX submission_until ON submission (until) WHERE until IS NOT NULL;
  CREATE INDEX submission_stored ON submission (stored_at);
  CREATE INDEX submission_own ON submission (label, submitted_at DESC, pid);
  CREATE INDEX submission_own_status ON submission (label, ${OWN_STATUS}, submitted_at DESC, pid, class, batch);
  CREATE INDEX submission_left ON submission (label, left_at) WHERE left_at IS NOT NULL;
  CREATE TABLE count (
    label TEXT, class TEXT, state TEXT, standing TEXT, submitter TEXT, batch TEXT, valid INTEGER, n INTEGER,
    PRIMARY KEY (label, class, state, standing, submitter, batch, valid)
  ) WITHOUT ROWID;
  CREATE TABLE decision (
    id TEXT PRIMARY KEY, iri TEXT NOT NULL, pid TEXT NOT NULL, digest TEXT NOT NULL, decision TEXT NOT NULL,
    label TEXT NOT NULL, class TEXT NOT NULL, submitter TEXT, reviewer TEXT, time TEXT NOT NULL,
    grp TEXT NOT NULL, until TEXT, undone INTEGER NOT NULL, json TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX decision_claim ON decision (iri, digest, id);
  CREATE INDEX decision_iri ON decision (iri, id);
  CREATE INDEX decision_label ON decision (label, id);
  CREATE INDEX decision_group ON decision (grp);
  CREATE INDEX decision_time ON decision (time);
  CREATE INDEX decision_filter ON decision (id, time, decision, class, label, reviewer, submitter);
  ${countTrigger('added', 'INSERT', ['NEW'], [])}
  ${countTrigger('removed', 'DELETE', [], ['OLD'])}
  ${countTrigger('changed', `UPDATE OF present, ${FILTERABLE.join(', ')}`, ['NEW'], ['OLD'])}
`;

/** The primary key of a table without row ids takes no nulls: an absent value is the empty string. */
function countTrigger(
  name: string,
  event: string,
  added: readonly string[],
  removed: readonly string[],
): string {
  const values = (row: string) => FILTERABLE.map((field) => `coalesce(${row}.${field}, '')`);
  const add = added.map(
    (row) => `INSERT INTO count SELECT ${values(row).join(', ')}, 1 WHERE ${row}.present = 1
      ON CONFLICT DO UPDATE SET n = n + 1;`,
  );
  const remove = removed.map((row) => {
    const same = FILTERABLE.map((field, at) => `${field} = ${values(row)[at]}`).join(' AND ');
    return `UPDATE count SET n = n - 1 WHERE ${row}.present = 1 AND ${same};
      DELETE FROM count WHERE ${row}.present = 1 AND n = 0 AND ${same};`;
  });
  return `CREATE TRIGGER submission_${name} AFTER ${event} ON submission BEGIN ${[...remove, ...add].join(' ')} END;`;
}

/**
 * Opens the index; one of another version, or made by another schema, starts empty.
 *
 * @param made what the rows were made with
 */
export function openQueueDatabase(file: string, made: string): DatabaseSync {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  // What a crash of the machine takes is read again from the stores: the cursors are in the same transactions.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY');
  if (madeOf(database) === madeBy(made)) return database;
  const names = database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all() as { name: string }[];
  database.exec('BEGIN');
  for (const { name } of names) database.exec(`DROP TABLE "${name}"`);
  database.exec(QUEUE_TABLES);
  database.prepare('INSERT INTO meta VALUES (?, ?)').run('made', madeBy(made));
  database.exec('COMMIT');
  return database;
}

/** What the index keeps of what its rows were made with. */
export function madeBy(made: string): string {
  return `${VERSION} ${made}`;
}

function madeOf(database: DatabaseSync): string | undefined {
  try {
    const row = database.prepare(`SELECT value FROM meta WHERE key = 'made'`).get();
    return (row as { value: string } | undefined)?.value;
  } catch {
    return undefined;
  }
}
