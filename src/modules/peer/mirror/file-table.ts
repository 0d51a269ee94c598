/**
 * The files of a mirrored area as they were when the mirror wrote them or read them last: rows of `accession_file`. Rows
 * are kept in memory first and saved some at a time, so that a write needs no statement of its own for them. What a crash
 * loses are rows of changes after the cursor.
 */
import { readCursor, setCursor } from '../../../core/storage/cursors.ts';
import type { Database, Draft } from '../../../core/storage/database.ts';
import type { Dialect } from '../../../core/storage/dialect.ts';
import type { Reader } from '../../../core/storage/reader.ts';
import type { AreaId } from '../../../core/storage/store.ts';
import { MIRROR } from '../tables.ts';
import type { FileStamp } from './disk.ts';

export type FileRow = {
  /** Relative to the directory of the area. */
  readonly path: string;
  /** The record that the file holds, or repeats; null if it has none. */
  readonly iri: string | null;
  /** The revision of the record that the file holds, or held before it was broken; 0 if it is the file of no record. */
  readonly revision: number;
  readonly stamp: FileStamp;
  /** Of the content; see `digestOf`. */
  readonly digest: string;
  /** Why the file is left out, as a part of a sentence. */
  readonly fault: string | null;
};

const COLUMNS = 'path, iri, revision, size, modified, inode, digest, fault';

/** Rows of one statement, and of one transaction, for which stores wait: some milliseconds. */
const ROWS_AT_ONCE = 50;
const ROWS_OF_TRANSACTION = 100;
/** Rows of a page. */
const PAGE = 500;

type Row = [
  path: string,
  iri: string | null,
  revision: number,
  size: number,
  modified: number,
  inode: number,
  digest: string,
  fault: string | null,
];

/** The input of a lookup, and how many times rows had been saved before. */
type Lookup = {
  readonly paths: readonly string[];
  readonly iris: readonly string[];
  readonly generation: number;
};

/** Rows as a lookup has found them. What is set or removed goes to the table, too. */
export class FoundRows {
  readonly lookup: Lookup;
  readonly #table: FileTable;
  readonly #rows: Map<string, FileRow>;
  readonly #paths = new Map<string, Set<string>>();

  constructor(table: FileTable, lookup: Lookup, rows: Map<string, FileRow>) {
    this.#table = table;
    this.lookup = lookup;
    this.#rows = rows;
    for (const row of rows.values()) notePath(this.#paths, row);
  }

  [Symbol.iterator](): Iterator<[string, FileRow]> {
    return this.#rows[Symbol.iterator]();
  }

  at(path: string): FileRow | undefined {
    return this.#rows.get(path);
  }

  /** The row of the file of a record; with a fault if the file is broken since. */
  of(iri: string): FileRow | undefined {
    return this.#having(iri).find(({ revision }) => revision > 0);
  }

  /** The rows of files that repeat a record, and so are left out. */
  repeated(iri: string): FileRow[] {
    return this.#having(iri).filter(({ revision }) => revision === 0);
  }

  set(row: FileRow): void {
    this.#rows.set(row.path, row);
    notePath(this.#paths, row);
    this.#table.set(row);
  }

  remove(path: string): void {
    this.#rows.delete(path);
    this.#table.remove(path);
  }

  #having(iri: string): FileRow[] {
    const rows = Array.from(this.#paths.get(iri) ?? [], (path) => this.#rows.get(path));
    return rows.filter((row) => row?.iri === iri) as FileRow[];
  }
}

/** Adds the path of a row to those of its record. */
function notePath(paths: Map<string, Set<string>>, { path, iri }: FileRow): void {
  if (iri === null) return;
  const known = paths.get(iri);
  if (known) known.add(path);
  else paths.set(iri, new Set([path]));
}

export class FileTable {
  readonly #database: Database;
  readonly #area: () => Promise<AreaId>;
  /** Rows that are not saved, and those that were saved last; null for one that is to be removed. */
  readonly #unsaved = new Map<string, FileRow | null>();
  #saved = new Map<string, FileRow | null>();
  #generation = 0;
  /** Their paths by IRI. */
  readonly #paths = new Map<string, Set<string>>();

  constructor(database: Database, area: () => Promise<AreaId>) {
    this.#database = database;
    this.#area = area;
  }

  /** The number of rows that wait to be saved. */
  get waiting(): number {
    return this.#unsaved.size;
  }

  /** The rows of some paths and of some records. */
  async find(paths: readonly string[], iris: readonly string[]): Promise<FoundRows> {
    const { dialect } = this.#database;
    const { id } = await this.#area();
    const generation = this.#generation;
    // The join is in this order, so that the index is used for each value.
    const among = (column: string, list: number) =>
      `SELECT f.${COLUMNS.replaceAll(', ', ', f.')} FROM ${dialect.values(list)} v CROSS JOIN accession_file f
       WHERE f.area = $1 AND f.${column} = v.value`;
    const saved = paths.filter((path) => this.#kept(path) === undefined);
    const lists = [
      { column: 'path', values: saved },
      { column: 'iri', values: iris },
    ].filter(({ values }) => values.length > 0);
    const rows = new Map<string, FileRow>();
    if (lists.length > 0) {
      const sql = lists.map(({ column }, at) => among(column, at + 2)).join(' UNION ALL ');
      for (const row of await this.#database.tuples<Row>(sql, [id, ...lists.map(({ values }) => values)]))
        rows.set(row[0], toFileRow(row));
    }
    return this.#found({ paths, iris, generation }, rows);
  }

  /** The rows that lookups have found, as they are now: without reading, if that was not long ago. */
  async now(found: readonly FoundRows[]): Promise<FoundRows> {
    const paths = found.flatMap(({ lookup }) => lookup.paths);
    const iris = found.flatMap(({ lookup }) => lookup.iris);
    const generation = Math.min(...found.map(({ lookup }) => lookup.generation));
    // Rows that have changed since are among those that are not saved, or were saved last.
    if (this.#generation - generation > 1) return this.find(paths, iris);
    return this.#found({ paths, iris, generation }, new Map(found.flatMap((rows) => [...rows])));
  }

  #found(lookup: Lookup, rows: Map<string, FileRow>): FoundRows {
    const later = new Set([...lookup.paths, ...rows.keys()]);
    for (const iri of lookup.iris) for (const path of this.#paths.get(iri) ?? []) later.add(path);
    for (const path of later) this.#overlay(rows, path);
    return new FoundRows(this, lookup, rows);
  }

  /** Rows in the order of paths, after one; fewer than a page are the last. */
  async page(after: string): Promise<{ readonly rows: FileRow[]; readonly next?: string }> {
    const found = await this.#database.tuples<Row>(
      `SELECT ${COLUMNS} FROM accession_file WHERE area = $1 AND path > $2 ORDER BY path LIMIT ${PAGE}`,
      [(await this.#area()).id, after],
    );
    const rows = new Map(found.map((row) => [row[0], toFileRow(row)]));
    for (const [path] of found) this.#overlay(rows, path);
    return { rows: [...rows.values()], ...(found.length === PAGE && { next: found.at(-1)![0] }) };
  }

  /** The files that are left out. */
  async faults(): Promise<{ readonly path: string; readonly message: string }[]> {
    const found = await this.#database.tuples<Row>(
      `SELECT ${COLUMNS} FROM accession_file WHERE area = $1 AND fault IS NOT NULL ORDER BY path`,
      [(await this.#area()).id],
    );
    const rows = new Map(found.map((row) => [row[0], toFileRow(row)]));
    for (const path of new Set([...this.#unsaved.keys(), ...this.#saved.keys()])) this.#overlay(rows, path);
    return [...rows.values()].flatMap(({ path, fault }) =>
      fault === null ? [] : [{ path, message: fault }],
    );
  }

  set(row: FileRow): void {
    this.#unsaved.set(row.path, row);
    notePath(this.#paths, row);
  }

  remove(path: string): void {
    this.#unsaved.set(path, null);
  }

  /** The rows that are to be saved, which {@link save} does. A lookup may not be in progress. */
  take(): ReadonlyMap<string, FileRow | null> {
    this.#generation += 1;
    this.#saved = new Map(this.#unsaved);
    this.#unsaved.clear();
    this.#paths.clear();
    for (const row of this.#saved.values()) if (row) notePath(this.#paths, row);
    return this.#saved;
  }

  /** Saves rows that were taken, then the cursor if it is known. */
  async save(taken: ReadonlyMap<string, FileRow | null>, cursor: number | undefined): Promise<void> {
    const { id } = await this.#area();
    const rows = [...taken];
    for (let start = 0; start === 0 || start < rows.length; start += ROWS_OF_TRANSACTION) {
      const some = rows.slice(start, start + ROWS_OF_TRANSACTION);
      await this.#database.transact(async (draft) => {
        writeRows(draft, id, some);
        if (cursor !== undefined && start + ROWS_OF_TRANSACTION >= rows.length)
          setCursor(draft, MIRROR, id, [cursor, '']);
      });
    }
  }

  /** Keeps rows that could not be saved until the next time. */
  keepUnsaved(taken: ReadonlyMap<string, FileRow | null>): void {
    for (const [path, row] of taken) if (!this.#unsaved.has(path)) this.#unsaved.set(path, row);
  }

  async cursor(): Promise<number | undefined> {
    return (await readCursor(this.#database, MIRROR, (await this.#area()).id))?.[0];
  }

  /** Returns the row of a file that is in memory; undefined if none is. */
  #kept(path: string): FileRow | null | undefined {
    const row = this.#unsaved.get(path);
    return row === undefined ? this.#saved.get(path) : row;
  }

  #overlay(rows: Map<string, FileRow>, path: string): void {
    const later = this.#kept(path);
    if (later === null) rows.delete(path);
    else if (later) rows.set(path, later);
  }
}

type Reads = Pick<Reader, 'tuples'>;

/** A file that is left out. */
type StoredFault = { readonly area: number; readonly path: string; readonly message: string };

/** Reads saved faults, of one area or of all: of the areas in the order of their numbers. */
export async function storedFaults(
  reads: Reads,
  { area, limit }: { readonly area?: number; readonly limit: number },
): Promise<StoredFault[]> {
  const [within, values] = area === undefined ? ['', []] : ['AND area = $1', [area]];
  const rows = await reads.tuples<[area: number, path: string, fault: string]>(
    `SELECT area, path, fault FROM accession_file WHERE fault IS NOT NULL ${within} ORDER BY area, path LIMIT ${limit}`,
    values,
  );
  return rows.map(([area, path, message]) => ({ area, path, message }));
}

/** Counts the saved faults of all areas. */
export async function countFaults(reads: Reads): Promise<number> {
  const rows = await reads.tuples<[number]>('SELECT count(*) FROM accession_file WHERE fault IS NOT NULL');
  return rows[0]![0];
}

/** The saved paths of files that hold no record of an area. */
export async function pathsWithoutRecord(reads: Reads, area: number): Promise<string[]> {
  const rows = await reads.tuples<[string]>(
    'SELECT path FROM accession_file WHERE area = $1 AND fault IS NOT NULL AND revision = 0 ORDER BY path',
    [area],
  );
  return rows.map(([path]) => path);
}

/** The saved files of some records of an area, by IRI. A record keeps the file that was broken since. */
export async function filesOfRecords(
  reads: Reads,
  dialect: Pick<Dialect, 'among'>,
  area: number,
  iris: readonly string[],
): Promise<Map<string, { readonly path: string; readonly isBroken: boolean }>> {
  const rows = await reads.tuples<[iri: string, path: string, fault: string | null]>(
    `SELECT iri, path, fault FROM accession_file WHERE area = $1 AND revision > 0 AND ${dialect.among('iri', 2)}`,
    [area, iris],
  );
  return new Map(rows.map(([iri, path, fault]) => [iri, { path, isBroken: fault !== null }]));
}

/** Makes a fault of files that repeat the record of another one: $1 is the area, $2 the IRI, $3 the revision of the record. */
export const NOTE_REPEATED = `
  UPDATE accession_file SET revision = 0, fault = 'it holds the same record as ''' || (
    SELECT f.path FROM accession_file f WHERE f.area = $1 AND f.iri = $2 AND f.revision = $3) || ''''
  WHERE area = $1 AND iri = $2 AND revision > $3`;

/** Adds a statement that removes the rows of an area: all, or those without a fault. */
export function removeRows(draft: Pick<Draft, 'run'>, area: number, { faults = true } = {}): void {
  draft.run(`DELETE FROM accession_file WHERE area = $1${faults ? '' : ' AND fault IS NULL'}`, [area]);
}

/** Adds statements that save rows of an area, or remove them. */
export function writeRows(
  draft: Pick<Draft, 'run' | 'dialect'>,
  area: number,
  rows: Iterable<readonly [path: string, row: FileRow | null]>,
): void {
  const all = [...rows];
  const removed = all.flatMap(([path, row]) => (row ? [] : [path]));
  if (removed.length > 0)
    draft.run(`DELETE FROM accession_file WHERE area = $1 AND ${draft.dialect.among('path', 2)}`, [
      area,
      removed,
    ]);
  const kept = all.flatMap(([, row]) => row ?? []);
  for (let start = 0; start < kept.length; start += ROWS_AT_ONCE) {
    const some = kept.slice(start, start + ROWS_AT_ONCE);
    draft.run(
      insertOf(some.length),
      some.flatMap(({ path, iri, revision, stamp, digest, fault }) => [
        area,
        path,
        iri,
        revision,
        stamp.size,
        stamp.modified,
        stamp.inode,
        digest,
        fault,
      ]),
    );
  }
}

function insertOf(rows: number): string {
  const columns = ['area', ...COLUMNS.split(', ')];
  const values = Array.from(
    { length: rows },
    (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(', ')})`,
  );
  const updates = columns.slice(2).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO accession_file (${columns.join(', ')}) VALUES ${values.join(', ')}
    ON CONFLICT (area, path) DO UPDATE SET ${updates.join(', ')}`;
}

function toFileRow([path, iri, revision, size, modified, inode, digest, fault]: Row): FileRow {
  return { path, iri, revision, stamp: { size, modified, inode }, digest, fault };
}
