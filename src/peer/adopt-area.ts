/**
 * Adopts one area: first its history (the git audit log, then the entries of release 0.2), then what lies in its
 * directory. Where the two differ, the directory is right, and the difference gets an entry without an author.
 *
 * Each step is a sequence of transactions that move a cursor, so an adoption that was interrupted goes on behind it.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { auditCursor } from '../audit/git/exporter.ts';
import { ServiceError } from '../errors.ts';
import { canonicalJson, type JsonObject } from '../json.ts';
import { addSchemaType, isSameRecord, schemaTypeIn } from '../schema-type.ts';
import type { Database, Draft, Value } from '../storage/database.ts';
import { type Dialect, SQLITE } from '../storage/dialect.ts';
import type { LoadedArea, LoadedRecord, Loader } from '../storage/load.ts';
import type { AreaId, Entry, RecordKey, RecordStore } from '../storage/store.ts';
import { timeOf } from '../storage/times.ts';
import { requireStorable } from '../storage/write-records.ts';
import { type FileRow, setCursor, writeRows } from './file-table.ts';
import { FormerArea } from './former.ts';
import { countCommits, formerPosition, type LogPosition, readGitLog } from './git-log.ts';
import { type Naming, RecordFileError } from './record-files.ts';
import { fileSource, type Source, type SourceItem, tableFile, tableSource } from './sources.ts';

export type AreaToAdopt = {
  /** Its name in the database, and its directory. */
  readonly path: string;
  readonly directory: string;
  /** Whether its records are files, and else rows of a table. */
  readonly files: boolean;
  /** Whether they have a `schema_type`, as those of backends without `+stl`. */
  readonly typed: boolean;
  readonly naming: Naming & { readonly classOfSchemaType: (schemaType: string) => string | undefined };
  /** The audit logs of the area: the paths as they are configured, and located. */
  readonly logs: readonly { readonly name: string; readonly directory: string }[];
  /** Refuses what was read, so that it is read again when somebody has repaired it. */
  readonly check?: (store: RecordStore) => Promise<void>;
};

/** How many of the files, rows, entries or records of an area are done. */
export type AreaProgress = { readonly area: string; readonly done: number; readonly total: number };

/** Records, or entries, of one transaction: as many, or fewer long ones. */
const ITEMS_AT_ONCE = 2000;
const CHARACTERS_AT_ONCE = 4_000_000;

/** The cursor of an adoption, which is removed when all is adopted. */
export const ADOPTION = 'adopt';

/** A record as the database has it so far. */
type Current = RecordKey & { readonly json: string; readonly revision: number };

const BY_NOBODY = { committer: null, author: null, role: null } as const;

type NewEntry = Omit<Entry, 'time' | 'revision'> & { readonly time: number; readonly revision?: number };

/** Where the taking in of an area is: each step is over when the next one has begun. */
type Place =
  | { readonly step: 'log'; readonly after?: LogPosition; readonly commits: number }
  | { readonly step: 'entries'; readonly after: number; readonly shift: number }
  /** Records without a file are to be found in the end if there was a history. */
  | { readonly step: 'records'; readonly after: string; readonly shift: number; readonly isTracked: boolean }
  | { readonly step: 'done' };

type RecordsPlace = Extract<Place, { step: 'records' }>;

/** Behind all files and rows. */
const END = JSON.stringify([Number.MAX_SAFE_INTEGER, '']);

/** Receives what is adopted, in order. */
interface Sink {
  readonly dialect: Pick<Dialect, 'longestPid'>;
  readonly id: number;
  revision: number;
  /** The time of the last change, in microseconds since 1970. */
  changed: number;
  place(): Promise<Place | undefined>;
  current(iris: readonly string[]): Promise<Map<string, Current>>;
  /** The files that records have. */
  holders(iris: readonly string[]): Promise<Map<string, string>>;
  /** The records that have none, a page at a time. */
  unfiled(): AsyncIterable<RecordKey[]>;
  add(
    entries: readonly (NewEntry & { readonly revision: number })[],
    rows: readonly FileRow[],
    place: Place,
  ): Promise<void>;
}

/** Whether an area has no history, so that it can be loaded. */
export async function isFresh({ directory, files, logs }: AreaToAdopt): Promise<boolean> {
  const former = FormerArea.open(directory, files ? undefined : tableFile(directory));
  former?.close();
  if (former) return false;
  for (const log of logs) if ((await countCommits(log.directory)) > 1) return false;
  return true;
}

/** Adopts areas without history. */
export async function loadAreas(
  loader: Loader,
  areas: readonly AreaToAdopt[],
  options: AdoptAreaOptions,
): Promise<void> {
  for (const area of areas)
    await new AreaAdoption(area, options, loaderSink(loader, loader.area(area.path))).takeIn();
  loader.finish();
  for (const area of areas) {
    const { id, revision } = loader.area(area.path);
    const also: Statement[] = [];
    const draft = collecting(also);
    if (area.files) setCursor(draft, id, revision);
    setPlace(draft, id, { step: 'done' });
    loader.add(id, [], also);
  }
}

/** Adopts an area through its database. */
export async function adoptArea(
  database: Database,
  area: AreaToAdopt,
  options: AdoptAreaOptions,
): Promise<void> {
  const store = await database.area(area.path);
  const [row] = await database.tuples<[revision: number, changed: number]>(
    'SELECT revision, changed FROM accession_area WHERE area = $1',
    [store.area.id],
  );
  const sink = databaseSink(database, store.area, { revision: row![0], changed: row![1] });
  const adoption = new AreaAdoption(area, options, sink);
  if (!(await adoption.takeIn())) return;
  try {
    await area.check?.(store);
  } catch (error) {
    const again: Place = { step: 'records', after: '', shift: 0, isTracked: true };
    await database.transact(async (draft) => setPlace(draft, store.area.id, again));
    throw error;
  }
  await database.transact(async (draft) => {
    const { id } = store.area;
    for (const [name, version, revision] of adoption.auditCursors)
      draft.run('INSERT INTO accession_cursor (name, area, version, revision) VALUES ($1, $2, $3, $4)', [
        ...[name, id, version, revision],
      ]);
    // The rows of a table are listed as files to find the records that it does not have. Faults stay.
    if (!area.files) draft.run('DELETE FROM accession_file WHERE area = $1 AND fault IS NULL', [id]);
    else setCursor(draft, id, adoption.mirrored);
    setPlace(draft, id, { step: 'done' });
  });
}

export type AdoptAreaOptions = {
  /** When the taking in has begun, in microseconds since 1970: the time of records without one. */
  readonly begun: number;
  readonly progress: (progress: AreaProgress) => void;
};

class AreaAdoption {
  /** The cursors of audit logs that release 0.2 has written. */
  readonly auditCursors: [name: string, version: string, revision: number][] = [];
  readonly #area: AreaToAdopt;
  readonly #options: AdoptAreaOptions;
  readonly #sink: Sink;
  readonly #former: FormerArea | undefined;

  constructor(area: AreaToAdopt, options: AdoptAreaOptions, sink: Sink) {
    this.#area = area;
    this.#options = options;
    this.#sink = sink;
    this.#former = FormerArea.open(area.directory, area.files ? undefined : tableFile(area.directory));
  }

  /** @returns whether there was something left to do */
  async takeIn(): Promise<boolean> {
    let place: Place = (await this.#sink.place()) ?? { step: 'log', commits: 0 };
    if (place.step === 'done') return false;
    try {
      if (place.step === 'log') place = await this.#takeLog(place);
      if (place.step === 'entries') place = await this.#takeEntries(place);
      if (place.step === 'records') await this.#takeRecords(place);
      return true;
    } finally {
      this.#former?.close();
    }
  }

  async #takeLog(from: Extract<Place, { step: 'log' }>): Promise<Place> {
    const { logs, naming } = this.#area;
    const counts = await Promise.all(logs.map(({ directory }) => countCommits(directory)));
    const log = logs[counts.findIndex((count) => count > 1)];
    let { commits } = from;
    let after = from.after;
    const total = Math.max(...counts, 0);
    // What release 0.2 has entries of is read from these.
    const until = this.#former?.begin ?? Number.POSITIVE_INFINITY;
    const batch = new Batch<NewEntry>();
    const flush = async () => {
      const known = await this.#sink.current(batch.items.map(({ iri }) => iri));
      const entries = batch.items.flatMap((entry) => withClass(entry, known) ?? []);
      await this.#add(entries, [], { step: 'log', commits, ...(after && { after }) });
      batch.clear();
      this.#report(commits, total);
    };
    for await (const change of log ? readGitLog(log.directory, after, () => void commits++) : []) {
      const { pid, record, time, committer, author } = change;
      const iri = naming.expand(pid);
      if (iri !== undefined && time < until) {
        const { className, json } = record ? this.#logged(record) : { className: '', json: null };
        const kind = record ? ('put' as const) : ('delete' as const);
        batch.add(
          { iri, pid, className, kind, time, committer, author, role: 'curator', json },
          json?.length,
        );
      }
      after = change.position;
      if (batch.isFull) await flush();
    }
    if (batch.items.length > 0) await flush();
    return { step: 'entries', after: 0, shift: this.#sink.revision };
  }

  /** The class and the text of a record in a log: the peer has its `schema_type` there, also under `+stl`. */
  #logged(read: JsonObject): { readonly className: string; readonly json: string } {
    const { naming } = this.#area;
    const record = naming.mend?.(read) ?? read;
    const type = String(schemaTypeIn(record) ?? '');
    const className =
      naming.classOfSchemaType(type) ??
      type.slice(Math.max(type.lastIndexOf(':'), type.lastIndexOf('/')) + 1);
    return { className, json: canonicalJson(record) };
  }

  async #takeEntries(from: Extract<Place, { step: 'entries' }>): Promise<Place> {
    const former = this.#former;
    const { shift } = from;
    let { after } = from;
    const total = former?.total ?? 0;
    let done = 0;
    const batch = new Batch<NewEntry>();
    const flush = async () => {
      // An area that had a log before has begun its entries with what that ended with.
      const known =
        shift > 0 ? await this.#sink.current(batch.items.map(({ iri }) => iri)) : new Map<string, Current>();
      const entries = batch.items.filter((entry) => shift === 0 || !repeats(entry, known));
      await this.#add(entries, [], { step: 'entries', after, shift });
      batch.clear();
      this.#report(done, total);
    };
    for (const entry of former?.entries(after) ?? []) {
      const { iri, pid, className, deleted, note, time, by } = entry;
      const json = entry.json === null ? null : this.#text(className, entry.json);
      // A value that retention has removed, and no later entry has.
      const kind = deleted || json === null ? ('delete' as const) : ('put' as const);
      const { committer = null, author = null, role = null } = by ?? {};
      const revision = entry.revision + shift;
      batch.add(
        { ...note, iri, pid, className, kind, time, committer, author, role, json, revision },
        json?.length,
      );
      after = entry.revision;
      done += 1;
      if (batch.isFull) await flush();
    }
    if (batch.items.length > 0) await flush();
    return { step: 'records', after: '', shift, isTracked: this.#area.files || this.#sink.revision > 0 };
  }

  /** A string of release 0.2 with its `schema_type`. */
  #text(className: string, json: string): string {
    const { naming, typed } = this.#area;
    const schemaType = naming.schemaTypeOf(className);
    return schemaType === undefined ? json : addSchemaType(json, schemaType, typed ? 'keep' : 'replace');
  }

  async #takeRecords(from: RecordsPlace): Promise<void> {
    const source = this.#open();
    const pending = new Set(this.#former?.pending().map(({ path }) => path));
    const batch = new Batch<SourceItem>();
    let done = 0;
    const flush = async () => {
      if (batch.items.length === 0) return;
      const { entries, rows } = await this.#compare(batch.items, pending, from.isTracked);
      const kept = from.isTracked ? rows : rows.filter(({ fault }) => fault !== null);
      await this.#add(entries, kept, { ...from, after: batch.items.at(-1)!.at });
      batch.clear();
      this.#report(done, source.total);
      await nextTurn();
    };
    try {
      for (const item of source.items(from.after)) {
        const json = item.found instanceof RecordFileError ? '' : item.found.json;
        batch.add(item, json.length);
        done += 1;
        if (batch.isFull) await flush();
      }
      await flush();
      if (from.isTracked) await this.#removeMissing({ ...from, after: END });
      await this.#noteFormer(from.shift);
    } finally {
      source.close();
    }
  }

  /** Deletes the records of the history that the directory does not have. */
  async #removeMissing(place: RecordsPlace): Promise<void> {
    const pending = new Set(this.#former?.pending().map(({ iri }) => iri));
    for await (const page of this.#sink.unfiled()) {
      const missing = page.filter(({ iri }) => !pending.has(iri));
      const gone = { kind: 'delete', time: this.#options.begun, ...BY_NOBODY, json: null } as const;
      await this.#add(
        missing.map((key) => ({ ...key, ...gone })),
        [],
        place,
      );
    }
  }

  #open(): Source {
    const { directory, files, naming, typed } = this.#area;
    if (files) return fileSource(directory, naming, typed);
    const table = tableFile(directory);
    return table === undefined ? NO_SOURCE : tableSource(table, naming, typed);
  }

  /** What differs from the records so far, and the rows of the files. */
  async #compare(items: readonly SourceItem[], pending: ReadonlySet<string>, isTracked: boolean) {
    const iriOf = ({ path, found, iri }: SourceItem) =>
      found instanceof RecordFileError ? (iri ?? this.#former?.iriOf(path)) : found.iri;
    const iris = items.flatMap((item) => iriOf(item) ?? []);
    const current = await this.#sink.current(iris);
    const holders = isTracked
      ? await this.#sink.holders(iris)
      : new Map(Array.from(current.keys(), (iri) => [iri, iri]));
    const entries: NewEntry[] = [];
    const rows: FileRow[] = [];
    let { revision } = this.#sink;
    for (const item of items) {
      const { path, stamp, digest } = item;
      const row = { path, stamp, digest, iri: null, revision: 0, fault: null };
      const found = this.#storable(item);
      if (found instanceof RecordFileError) {
        const former = current.get(iriOf(item) ?? '');
        rows.push({
          ...row,
          ...(former && { iri: former.iri, revision: former.revision }),
          fault: found.message,
        });
        continue;
      }
      const { iri, pid, className, json } = found;
      const former = current.get(iri);
      const holder = holders.get(iri);
      if (holder !== undefined && holder !== path) {
        rows.push({ ...row, iri, fault: `it holds the same record as '${holder}'` });
        continue;
      }
      holders.set(iri, path);
      const isKept = former?.pid === pid && former.className === className && former.json === json;
      if (former && (isKept || pending.has(path))) rows.push({ ...row, iri, revision: former.revision });
      else {
        const time = Math.min(item.time ?? this.#options.begun, this.#options.begun);
        entries.push({ iri, pid, className, kind: 'put', time, ...BY_NOBODY, json });
        rows.push({ ...row, iri, revision: ++revision });
      }
    }
    return { entries, rows };
  }

  /** What the database can't store stays a file. */
  #storable({ found }: SourceItem) {
    if (found instanceof RecordFileError) return found;
    try {
      requireStorable(this.#sink.dialect, found);
      return found;
    } catch (error) {
      if (error instanceof ServiceError) return new RecordFileError(error.message);
      throw error;
    }
  }

  /** Up to where the files are as the records: not those that a crash has left unwritten. */
  mirrored = 0;

  async #noteFormer(shift: number): Promise<void> {
    const pending = this.#former?.pending() ?? [];
    const { revision } = this.#sink;
    this.mirrored = pending.length > 0 ? shift : revision;
    const name = this.#former?.auditName;
    if (name === undefined) return;
    for (const log of this.#area.logs) {
      const position = await formerPosition(log.directory, name);
      if (position > 0) this.auditCursors.push([auditCursor(log.name), randomUUID(), position + shift]);
    }
  }

  /** Adds entries behind those that the area has; their times rise. */
  async #add(added: readonly NewEntry[], rows: readonly FileRow[], place: Place): Promise<void> {
    let { revision, changed } = this.#sink;
    const entries = added.map((entry) => {
      revision = Math.max(entry.revision ?? 0, revision + 1);
      changed = Math.max(entry.time, changed + 1);
      return { ...entry, revision, time: changed };
    });
    await this.#sink.add(entries, rows, place);
    this.#sink.revision = revision;
    this.#sink.changed = changed;
  }

  #report(done: number, total: number): void {
    this.#options.progress({ area: this.#area.path, done, total: Math.max(done, total) });
  }
}

/** Whether an entry without an author says what is known already: with such entries, an area began that had a log before. */
function repeats(entry: NewEntry, known: Map<string, Current>): boolean {
  const { iri, pid, className, json, committer } = entry;
  const former = known.get(iri)?.json;
  if (json === null) known.delete(iri);
  else known.set(iri, { iri, pid, className, json, revision: 0 });
  return committer === null && isSameRecord(former, json ?? undefined);
}

/** A logged change of a record that is there, or that it makes. The log of a delete does not say its class. */
function withClass(entry: NewEntry, known: Map<string, Current>): NewEntry | undefined {
  const { iri, pid, className, kind, json } = entry;
  const former = known.get(iri);
  if (kind === 'delete') {
    known.delete(iri);
    return former && { ...entry, className: former.className };
  }
  known.set(iri, { iri, pid, className, json: json ?? '', revision: 0 });
  return entry;
}

const NO_SOURCE: Source = { total: 0, items: () => [], close() {} };

/** What goes into one transaction. */
class Batch<T> {
  items: T[] = [];
  #characters = 0;

  add(item: T, characters = 0): void {
    this.items.push(item);
    this.#characters += characters;
  }

  get isFull(): boolean {
    return this.items.length >= ITEMS_AT_ONCE || this.#characters >= CHARACTERS_AT_ONCE;
  }

  clear(): void {
    this.items = [];
    this.#characters = 0;
  }
}

function loaderSink(loader: Loader, area: LoadedArea): Sink {
  const { id } = area;
  return {
    dialect: SQLITE,
    ...area,
    place: async () => JSON.parse(loader.cursor(ADOPTION, id) ?? 'null') ?? undefined,
    current: async () => new Map(),
    holders: async () => new Map(),
    async *unfiled() {},
    async add(entries, rows, place) {
      const records = entries.map((entry): LoadedRecord => ({ ...entry, json: entry.json! }));
      const also: Statement[] = [];
      const draft = collecting(also);
      writeRows(
        draft,
        id,
        rows.map((row) => [row.path, row]),
      );
      setPlace(draft, id, place);
      loader.add(id, records, also);
    },
  };
}

type Statement = readonly [sql: string, values: readonly Value[]];

/** Statements for a draft, as a list. */
function collecting(statements: Statement[]): Draft {
  const run = (sql: string, values: readonly Value[]) => void statements.push([sql, values]);
  return { run, dialect: SQLITE } as unknown as Draft;
}

function databaseSink(
  database: Database,
  area: AreaId,
  at: { readonly revision: number; readonly changed: number },
): Sink {
  const { dialect } = database;
  const { id } = area;
  return {
    ...{ dialect, id, ...at },
    async place() {
      const sql = 'SELECT version FROM accession_cursor WHERE name = $1 AND area = $2';
      const [row] = await database.tuples<[string]>(sql, [ADOPTION, id]);
      return row && (JSON.parse(row[0]) as Place);
    },
    async current(iris) {
      const rows = await database.tuples<[string, string, string, string, number]>(
        `SELECT iri, pid, class_name, json, revision FROM accession_record WHERE area = $1 AND ${dialect.among('iri', 2)}`,
        [id, [...new Set(iris)]],
      );
      return new Map(
        rows.map(([iri, pid, className, json, revision]) => [iri, { iri, pid, className, json, revision }]),
      );
    },
    async holders(iris) {
      const rows = await database.tuples<[string, string]>(
        `SELECT iri, path FROM accession_file WHERE area = $1 AND revision > 0 AND ${dialect.among('iri', 2)}`,
        [id, [...new Set(iris)]],
      );
      return new Map(rows);
    },
    async *unfiled() {
      for (let [pid, iri] = ['', '']; ; ) {
        const rows = await database.tuples<[string, string, string]>(
          `SELECT r.pid, r.iri, r.class_name FROM accession_record r
           WHERE r.area = $1 AND (r.pid, r.iri) > ($2, $3) AND NOT EXISTS (
             SELECT 1 FROM accession_file f WHERE f.area = r.area AND f.iri = r.iri AND f.revision > 0)
           ORDER BY r.pid, r.iri LIMIT ${ITEMS_AT_ONCE}`,
          [id, pid, iri],
        );
        if (rows.length === 0) return;
        yield rows.map(([pid, iri, className]) => ({ pid, iri, className }));
        [pid, iri] = rows.at(-1)!;
      }
    },
    async add(entries, rows, place) {
      await database.transact(async (draft) => {
        const restored = entries.map((entry): Entry => ({ ...entry, time: timeOf(entry.time) }));
        if (restored.length > 0) draft.restore(area, restored);
        writeRows(
          draft,
          id,
          rows.map((row) => [row.path, row]),
        );
        setPlace(draft, id, place);
      });
    },
  };
}

function setPlace(draft: Pick<Draft, 'run'>, area: number, place: Place): void {
  draft.run(
    `INSERT INTO accession_cursor (name, area, revision, version) VALUES ($1, $2, 0, $3)
     ON CONFLICT (name, area) DO UPDATE SET version = excluded.version`,
    [ADOPTION, area, JSON.stringify(place)],
  );
}
