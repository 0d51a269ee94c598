/**
 * Where the entries of each record are in the repository: a SQLite database beside it, derived from the commits and
 * rebuilt when it is missing. It is complete up to the commit that it names.
 */
import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** One entry: the commit that holds it, and the blob of the `.yaml` after it. Its line is in the record's `.log`. */
export type IndexedEntry = { readonly commit: string; readonly yaml: string };

/** What is known of a record: the number of its entries, and its files as of the last one. */
export type IndexedRecord = {
  readonly entries: number;
  /** The blob of its `.log`, with a line for each entry. */
  readonly log: string;
  /** The blob of its `.yaml`. */
  readonly yaml: string;
};

/** A record with the entries that it got. */
export type RecordUpdate = IndexedRecord & {
  readonly key: string;
  /** Its pid, if the index does not have the key yet. */
  readonly newPid: string | undefined;
  readonly added: readonly IndexedEntry[];
};

/**
 * Entries stand in the order in which they came, so that a new one costs the end of the table and one place in the index
 * of keys. Names of git are kept as bytes. `log` is set in the last entry that an update brought, `pid` in the first one
 * of a record.
 */
const LAYOUT = 2;
const ENTRY_TABLES = `
  CREATE TABLE entry (id INTEGER PRIMARY KEY, key BLOB NOT NULL, position INTEGER NOT NULL, "commit" BLOB NOT NULL,
    yaml BLOB NOT NULL, log BLOB, pid TEXT);
  CREATE UNIQUE INDEX entry_of_record ON entry (key, position);
  CREATE TABLE state (tip TEXT);
  INSERT INTO state VALUES (NULL);
  PRAGMA user_version = ${LAYOUT};`;

export class EntryIndex {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** The index beside its owner, to be read only; undefined if there is none that can be read. */
  static openBeside(file: string): EntryIndex | undefined {
    try {
      const index = new EntryIndex(file, true);
      return index.tip === undefined ? undefined : index;
    } catch {
      return undefined;
    }
  }

  /**
   * Opens the index. One that cannot be read, or has another layout, is replaced by an empty one: it contains nothing that the commits
   * don't.
   */
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
    if (user_version === 0) this.clear();
    else if (user_version !== LAYOUT) throw new Error(`its layout is ${user_version}, expected ${LAYOUT}`);
  }

  /** The commit up to which the index is complete. */
  get tip(): string | undefined {
    const row = this.#statement('SELECT tip FROM state').get() as { tip: string | null } | undefined;
    return row?.tip ?? undefined;
  }

  record(key: string): IndexedRecord | undefined {
    const sql = 'SELECT position, log, yaml FROM entry WHERE key = ? ORDER BY position DESC LIMIT 1';
    const last = this.#statement(sql).get(bytes(key)) as LastEntry | undefined;
    return last && { entries: last.position + 1, log: name(last.log), yaml: name(last.yaml) };
  }

  /** The entries of a record, oldest first. */
  entries(key: string): IndexedEntry[] {
    const sql = 'SELECT "commit", yaml FROM entry WHERE key = ? ORDER BY position';
    const rows = this.#statement(sql).all(bytes(key)) as { commit: Uint8Array; yaml: Uint8Array }[];
    return rows.map(({ commit, yaml }) => ({ commit: name(commit), yaml: name(yaml) }));
  }

  *pids(): Iterable<string> {
    const sql = 'SELECT pid FROM entry WHERE pid IS NOT NULL';
    for (const row of this.#statement(sql).iterate()) yield row.pid as string;
  }

  /** Adds what commits have brought, up to the last of them. */
  add(updates: Iterable<RecordUpdate>, tip: string): void {
    this.#transaction(() => {
      const insert = this.#statement('INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?, ?)');
      for (const { key, newPid, entries, log, added } of updates) {
        const first = entries - added.length;
        const last = added.length - 1;
        added.forEach(({ commit, yaml }, i) => {
          const logAfter = i === last ? bytes(log) : null;
          const pid = i === 0 ? (newPid ?? null) : null;
          insert.run(bytes(key), first + i, bytes(commit), bytes(yaml), logAfter, pid);
        });
      }
      this.#statement('UPDATE state SET tip = ?').run(tip);
    });
  }

  /** Forgets everything. */
  clear(): void {
    this.#prepared.clear();
    this.#transaction(() => {
      for (const table of ['entry', 'state']) this.#database.exec(`DROP TABLE IF EXISTS ${table}`);
      this.#database.exec(ENTRY_TABLES);
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

type LastEntry = { position: number; log: Uint8Array; yaml: Uint8Array };

/** A name of git, or a key, as it is kept. */
function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

function name({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}
