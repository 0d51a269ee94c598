/**
 * Fills a new database file with records that had no entries before, as when a store is adopted: a million rows in a third
 * of the time that changes take. No service uses the file yet, so rows are inserted without indexes, which are made in
 * the end from sorted keys. Each call of {@link Loader.add} is a transaction; a loading that was interrupted goes on in
 * the same file.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Value } from './dialect.ts';
import { SQLITE } from './dialect.ts';
import { ddl } from './layout.ts';
import { layTables } from './sqlite/sqlite.ts';
import type { RecordKey } from './store.ts';
import { inWordsOf, type TablesOfModules } from './tables.ts';
import { BLOCK_SIZE, type BlockKey, blocksOf } from './write/blocks.ts';

/** A record with the only entry that it has, without an author. */
type LoadedRecord = RecordKey & {
  readonly json: string;
  readonly revision: number;
  /** In microseconds since 1970. */
  readonly time: number;
};

type LoadedArea = { readonly id: number; readonly revision: number; readonly changed: number };

/** Memory for pages and for sorting, in KiB. */
const CACHE = 32_000;
/** Threads that help to sort the keys of an index. */
const SORTERS = 2;

const UNIQUE_IRI = 'accession_record_iri';

/** The indexes that statements make. */
function indexesIn(statements: string) {
  const found = statements.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+) ON \w+ [^;]*/g);
  return Array.from(found, ([sql, name]) => ({
    name: name!,
    sql: sql.replace('INDEX', 'INDEX IF NOT EXISTS'),
  }));
}

/** Those of the tables that records are added to. */
const INDEXES = indexesIn(ddl(SQLITE)).filter(({ sql }) => / ON accession_(record|entry) /.test(sql));

type LoaderOptions = {
  /** The tables of modules that are filled with the records. */
  readonly tables?: TablesOfModules;
  /**
   * Notes in these that a record was left out, since another one has its IRI: a statement for each such IRI. $1 is the area, $2 the
   * IRI, $3 the revision of the record that stays.
   */
  readonly repeated?: string;
};

export class Loader {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  readonly #indexes: readonly { readonly name: string; readonly sql: string }[];
  readonly #repeated: string | undefined;

  constructor(file: string, { tables = {}, repeated }: LoaderOptions = {}) {
    this.#repeated = repeated;
    this.#indexes = [
      ...INDEXES,
      ...Object.values(tables).flatMap(({ sql }) => indexesIn(inWordsOf(SQLITE, sql))),
    ];
    layTables(file, tables);
    this.#database = new DatabaseSync(file, { timeout: 10_000 });
    // After a loss of power, the last transactions may be missing, as if they had not been made.
    this.#database.exec(
      `PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE}; PRAGMA threads = ${SORTERS}`,
    );
    for (const { name } of this.#indexes) this.#database.exec(`DROP INDEX IF EXISTS ${name}`);
  }

  /** The area of a path, which is made if it is missing. */
  area(path: string): LoadedArea {
    this.#run('INSERT INTO accession_area (path) VALUES (?) ON CONFLICT DO NOTHING', [path]);
    const sql = 'SELECT area AS id, revision, changed FROM accession_area WHERE path = ?';
    return this.#statement(sql).get(path) as LoadedArea;
  }

  /**
   * Adds records to an area, by revision, and runs other statements for rows that belong to them.
   */
  add(
    area: number,
    records: readonly LoadedRecord[],
    also: readonly (readonly [sql: string, values: readonly Value[]])[],
  ): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { iri, pid, className, revision, json, time } of records) {
        this.#run(
          'INSERT INTO accession_record (area, iri, pid, class_name, revision, json) VALUES (?, ?, ?, ?, ?, ?)',
          [area, iri, pid, className, revision, json],
        );
        this.#run(
          'INSERT INTO accession_entry (area, revision, iri, pid, class_name, deleted, time) VALUES (?, ?, ?, ?, ?, 0, ?)',
          [area, revision, iri, pid, className, time],
        );
      }
      const last = records.at(-1);
      if (last) {
        const sql = 'UPDATE accession_area SET revision = ?, changed = ? WHERE area = ?';
        this.#run(sql, [last.revision, last.time, area]);
      }
      for (const [sql, values] of also) this.#run(numbered(sql), values);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Makes the indexes and counts the records. Of records with one IRI, the first one stays. */
  finish(): void {
    this.#makeIndexes();
    const areas = this.#database.prepare('SELECT area FROM accession_area').all() as { area: number }[];
    for (const { area } of areas) this.#count(area);
  }

  /** The version of a cursor. */
  cursor(name: string, area: number): string | undefined {
    const row = this.#statement('SELECT version FROM accession_cursor WHERE name = ? AND area = ?').get(
      name,
      area,
    );
    return row?.version as string | undefined;
  }

  close(): void {
    this.#database.close();
  }

  #makeIndexes(): void {
    for (const { name, sql } of this.#indexes) if (name !== UNIQUE_IRI) this.#database.exec(sql);
    const { sql } = this.#indexes.find(({ name }) => name === UNIQUE_IRI)!;
    try {
      this.#database.exec(sql);
      return;
    } catch (error) {
      if (((error as { errcode?: number }).errcode ?? 0) % 256 !== SQLITE_CONSTRAINT) throw error;
    }
    this.#removeRepeated();
    this.#database.exec(sql);
  }

  #removeRepeated(): void {
    const all = this.#database
      .prepare(
        'SELECT area, iri, min(revision) AS first FROM accession_record GROUP BY area, iri HAVING count(*) > 1',
      )
      .all() as { area: number; iri: string; first: number }[];
    this.#database.exec('BEGIN IMMEDIATE');
    for (const { area, iri, first } of all) {
      for (const table of ['accession_record', 'accession_entry'])
        this.#run(`DELETE FROM ${table} WHERE area = ? AND iri = ? AND revision > ?`, [area, iri, first]);
      if (this.#repeated !== undefined) this.#run(numbered(this.#repeated), [area, iri, first]);
    }
    this.#database.exec('COMMIT');
  }

  #count(area: number): void {
    const keys = this.#database.prepare(
      'SELECT pid, iri, class_name, policy FROM accession_record WHERE area = ? ORDER BY pid, iri',
    );
    keys.setReturnArrays(true);
    const add =
      'INSERT INTO accession_block (area, block, start_pid, start_iri, counts, revision) VALUES (?, ?, ?, ?, ?, 0)';
    let some: BlockKey[] = [];
    let block = 0;
    let records = 0;
    const flush = () => {
      const [pid, iri] = block === 0 ? ['', ''] : some[0]!;
      for (const { start, counts } of blocksOf(some, { pid, iri }))
        this.#run(add, [area, block++, start.pid, start.iri, JSON.stringify(counts)]);
      records += some.length;
      some = [];
    };
    this.#database.exec('BEGIN IMMEDIATE');
    this.#run('DELETE FROM accession_block WHERE area = ?', [area]);
    for (const key of keys.iterate(area) as Iterable<unknown>) {
      if (some.push(key as BlockKey) === BLOCK_SIZE) flush();
    }
    if (block === 0 || some.length > 0) flush();
    this.#run('UPDATE accession_area SET records = ?, links_since = revision WHERE area = ?', [
      records,
      area,
    ]);
    this.#database.exec('COMMIT');
  }

  #run(sql: string, values: readonly Value[]): void {
    this.#statement(sql).run(...(values as (string | number | null)[]));
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, known);
    return known;
  }
}

/** Parameters as SQLite numbers them. */
function numbered(sql: string): string {
  return sql.replaceAll(/\$(\d+)/g, '?$1');
}

const SQLITE_CONSTRAINT = 19;
