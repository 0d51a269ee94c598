/**
 * Where the entries of each record are in the repository: a SQLite database beside it, derived from the commits and
 * made anew when it is missing. It is complete up to the commit that it names.
 */
import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** One entry: its line in the `.log`, the commit that holds it, and the content after it. */
export type IndexedEntry = { readonly line: string; readonly commit: string; readonly yaml: string };

/** What is known of a record: its files as of the last entry. */
export type IndexedRecord = {
  readonly key: string;
  readonly pid: string;
  readonly entries: number;
  /** The blob of its `.log`. */
  readonly log: string;
  /** The blob of its `.yaml`. */
  readonly yaml: string;
};

/** A record with the entries that it got. */
export type RecordUpdate = IndexedRecord & { readonly added: readonly IndexedEntry[] };

const LAYOUT = 1;
const TABLES = `
  CREATE TABLE record (key TEXT PRIMARY KEY, pid TEXT NOT NULL, entries INTEGER NOT NULL, log TEXT NOT NULL,
    yaml TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE entry (key TEXT, n INTEGER, line TEXT NOT NULL, "commit" TEXT NOT NULL, yaml TEXT NOT NULL,
    PRIMARY KEY (key, n)) WITHOUT ROWID;
  CREATE TABLE state (tip TEXT);
  INSERT INTO state VALUES (NULL);
  PRAGMA user_version = ${LAYOUT};`;

export class EntryIndex {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** The index beside its owner, to be read only; undefined where there is none that can be read. */
  static openBeside(file: string): EntryIndex | undefined {
    try {
      const index = new EntryIndex(file, true);
      return index.tip === undefined ? undefined : index;
    } catch {
      return undefined;
    }
  }

  /** Opens the index. One that can't be read is made anew, empty: it holds nothing that the commits don't. */
  static open(file: string): EntryIndex {
    try {
      return new EntryIndex(file);
    } catch {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      return new EntryIndex(file);
    }
  }

  private constructor(file: string, readOnly = false) {
    this.#database = new DatabaseSync(file, { readOnly, timeout: 5000 });
    if (readOnly) return;
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const { user_version } = this.#database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (user_version !== LAYOUT) this.clear();
  }

  /** The commit up to which the index is complete. */
  get tip(): string | undefined {
    const row = this.#statement('SELECT tip FROM state').get() as { tip: string | null } | undefined;
    return row?.tip ?? undefined;
  }

  record(key: string): IndexedRecord | undefined {
    return this.#statement('SELECT key, pid, entries, log, yaml FROM record WHERE key = ?').get(key) as
      | IndexedRecord
      | undefined;
  }

  /** The entries of a record, oldest first. */
  entries(key: string): IndexedEntry[] {
    const sql = 'SELECT line, "commit", yaml FROM entry WHERE key = ? ORDER BY n';
    return this.#statement(sql).all(key) as IndexedEntry[];
  }

  *pids(): Iterable<string> {
    for (const row of this.#statement('SELECT pid FROM record').iterate()) yield row.pid as string;
  }

  /** Adds what commits have brought, up to the last of them. */
  add(updates: Iterable<RecordUpdate>, tip: string): void {
    this.#transaction(() => {
      const record = this.#statement('INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)');
      const entry = this.#statement('INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?)');
      for (const { key, pid, entries, log, yaml, added } of updates) {
        record.run(key, pid, entries, log, yaml);
        added.forEach((one, i) => {
          entry.run(key, entries - added.length + i, one.line, one.commit, one.yaml);
        });
      }
      this.#statement('UPDATE state SET tip = ?').run(tip);
    });
  }

  /** Forgets everything. */
  clear(): void {
    this.#prepared.clear();
    this.#transaction(() => {
      for (const table of ['record', 'entry', 'state']) this.#database.exec(`DROP TABLE IF EXISTS ${table}`);
      this.#database.exec(TABLES);
    });
  }

  close(): void {
    this.#database.close();
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}
