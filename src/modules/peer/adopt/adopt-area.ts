/**
 * Adopts one area: first its history (the git audit log, then the entries of release 0.2), then what lies in its
 * directory. Where the two differ, the directory is right, and the difference gets an entry without an author.
 *
 * Each step is a sequence of transactions that move a cursor, so an adoption that was interrupted goes on behind it.
 */

import { canonicalJson } from '#linkml/json.ts';
import { batches } from '../../../core/batches.ts';
import type { AreaProgress } from '../../../core/collections/adoption.ts';
import type { AreaLog, LoggedChange } from '../../../core/collections/area-logs.ts';
import { isServiceError } from '../../../core/errors.ts';
import { addSchemaType, isSameRecord, schemaTypeIn } from '../../../core/schema-type.ts';
import { setCursor } from '../../../core/storage/cursors.ts';
import type { Database } from '../../../core/storage/database.ts';
import type { Loader } from '../../../core/storage/load.ts';
import type { RecordStore, StoredRecord } from '../../../core/storage/store.ts';
import { requireStorable } from '../../../core/storage/write/records.ts';
import { yielder } from '../../../core/yield.ts';
import { type FileRow, removeRows } from '../mirror/file-table.ts';
import { type Naming, RecordFileError } from '../mirror/record-files.ts';
import { MIRROR } from '../tables.ts';
import {
  databaseSink,
  finishLoaded,
  loaderSink,
  type NewEntry,
  type Place,
  type Sink,
  setPlace,
} from './adoption-sinks.ts';
import { FormerArea, type FormerEntry } from './former.ts';
import { noteImported, tableState } from './imported-tables.ts';
import { openSource, type SourceItem, tableFile } from './sources.ts';

export type AreaToAdopt = {
  /** Its name in the database, and its directory. */
  readonly path: string;
  readonly directory: string;
  /** Whether its records are files, and else rows of a table. */
  readonly files: boolean;
  /** Whether they have a `schema_type`, as those of backends without `+stl`. */
  readonly typed: boolean;
  readonly naming: Naming & { readonly classOfSchemaType: (schemaType: string) => string | undefined };
  readonly logs: readonly AreaLog[];
  /** Refuses what was read, so that it is read again when somebody has repaired it. */
  readonly check?: (store: RecordStore) => Promise<void>;
};

export type AdoptAreaOptions = {
  /** When the adoption has begun, in microseconds since 1970: the time of records without one. */
  readonly begun: number;
  readonly progress: (progress: AreaProgress) => void;
};

/** Whether an area has no history, so that it can be loaded. */
export async function isFresh({ directory, files, logs }: AreaToAdopt): Promise<boolean> {
  const former = FormerArea.open(directory, files ? undefined : tableFile(directory));
  former?.close();
  if (former) return false;
  for (const log of logs) if (await log.hasChanges()) return false;
  return true;
}

/** Adopts areas without history. */
export async function loadAreas(
  loader: Loader,
  areas: readonly AreaToAdopt[],
  options: AdoptAreaOptions,
): Promise<void> {
  for (const area of areas) await new AreaAdoption(area, options, loaderSink(loader, area)).adopt();
  loader.finish();
  for (const area of areas) finishLoaded(loader, area, await stateOfTable(area));
}

/** Adopts an area through its database. */
export async function adoptArea(
  database: Database,
  area: AreaToAdopt,
  options: AdoptAreaOptions,
): Promise<void> {
  const store = await database.area(area.path);
  const { id } = store.area;
  const table = await stateOfTable(area);
  const rest = await new AreaAdoption(area, options, await databaseSink(database, store)).adopt();
  if (!rest) return;
  try {
    await area.check?.(store);
  } catch (error) {
    const { shift } = rest;
    await database.transact(async (draft) => setPlace(draft, id, recordsFrom(shift, true)));
    throw error;
  }
  await database.transact(async (draft) => {
    for (const [log, revision] of rest.logged) log.followFrom(draft, id, revision);
    // The rows of a table are listed as files to find the records that it does not have. Faults stay.
    if (!area.files) removeRows(draft, id, { faults: false });
    else setCursor(draft, MIRROR, id, [rest.mirrored, '']);
    if (table) noteImported(draft, id, table);
    setPlace(draft, id, { step: 'done' });
  });
}

async function stateOfTable({ files, directory }: AreaToAdopt) {
  return files ? undefined : tableState(directory);
}

const BY_UNNAMED = { committer: null, author: null, role: null } as const;

const recordsFrom = (shift: number, isTracked: boolean): Place<'records'> => ({
  step: 'records',
  after: '',
  shift,
  isTracked,
});

/** The state of an area that is noted when all of it is in the database. */
type Rest = {
  readonly shift: number;
  /** Up to where the files are as the records: not those that a crash has left unwritten. */
  readonly mirrored: number;
  /** Up to where release 0.2 has brought the entries to audit logs. */
  readonly logged: readonly (readonly [log: AreaLog, revision: number])[];
};

class AreaAdoption {
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

  /** @returns undefined if nothing was left to do */
  async adopt(): Promise<Rest | undefined> {
    try {
      let place: Place = (await this.#sink.place()) ?? { step: 'log', after: null };
      if (place.step === 'done') return undefined;
      if (place.step === 'log') place = await this.#takeLog(place);
      if (place.step === 'entries') place = await this.#takeEntries(place);
      if (place.step === 'records') place = await this.#takeRecords(place);
      return place.step === 'missing' ? await this.#removeMissing(place) : undefined;
    } finally {
      this.#former?.close();
    }
  }

  async #takeLog(from: Place<'log'>): Promise<Place<'entries'>> {
    const { logs } = this.#area;
    const changed = await Promise.all(logs.map((one) => one.hasChanges()));
    const log = logs[changed.indexOf(true)];
    if (!log) return { step: 'entries', after: 0, shift: this.#sink.revision };
    const total = await log.count();
    let done = from.done ?? 0;
    const changes = log.changes(from.after, {
      // Changes that release 0.2 has entries of are read from these.
      before: this.#former?.begin ?? Number.POSITIVE_INFINITY,
      read: (records) => {
        done += records;
      },
    });
    for await (const batch of batches(changes, TRANSACTION)) {
      const logged = batch.flatMap((change) => this.#loggedEntry(change) ?? []);
      const known = await this.#sink.current(logged.map(({ iri }) => iri));
      const entries = logged.flatMap((entry) => withClass(entry, known) ?? []);
      await this.#add(entries, [], { step: 'log', after: batch.at(-1)!.position, done });
      this.#report('log', done, total);
    }
    return { step: 'entries', after: 0, shift: this.#sink.revision };
  }

  /** The peer logs records with their `schema_type`, also under `+stl`. */
  #loggedEntry({ pid, record: read, time, committer, author }: LoggedChange): NewEntry | undefined {
    const { naming } = this.#area;
    const iri = naming.expand(pid);
    if (iri === undefined) return undefined;
    const entry = { iri, pid, time, committer, author, role: 'curator' } as const;
    if (!read) return { ...entry, kind: 'delete', className: '', json: null };
    const record = naming.mend?.(read) ?? read;
    const type = String(schemaTypeIn(record) ?? '');
    const className = naming.classOfSchemaType(type) ?? /[^:/#]*$/.exec(type)![0];
    return { ...entry, kind: 'put', className, json: canonicalJson(record) };
  }

  async #takeEntries({ after, shift }: Place<'entries'>): Promise<Place<'records'>> {
    let done = 0;
    for await (const batch of batches(
      this.#former?.entries(after) ?? [],
      TRANSACTION,
      ({ json }) => json?.length ?? 0,
    )) {
      const entries = batch.map((entry) => this.#formerEntry(entry, shift));
      // An area that had a log before has begun its entries with what that ended with.
      const known = shift === 0 ? undefined : await this.#sink.current(entries.map(({ iri }) => iri));
      const kept = known ? entries.filter((entry) => !repeats(entry, known)) : entries;
      await this.#add(kept, [], { step: 'entries', after: batch.at(-1)!.revision, shift });
      done += batch.length;
      this.#report('entries', done, this.#former!.total);
    }
    return recordsFrom(shift, this.#area.files || this.#sink.revision > 0);
  }

  #formerEntry({ note, by, className, json: stored, ...entry }: FormerEntry, shift: number): NewEntry {
    const { naming, typed } = this.#area;
    const type = naming.schemaTypeOf(className);
    const json = stored && type ? addSchemaType(stored, type, typed ? 'keep' : 'replace') : stored;
    // Changes that retention has removed have none, either.
    const kind = json === null ? 'delete' : 'put';
    return {
      ...note,
      ...entry,
      ...(by ?? BY_UNNAMED),
      className,
      kind,
      json,
      revision: entry.revision + shift,
    };
  }

  async #takeRecords(from: Place<'records'>): Promise<Place<'missing'>> {
    const { directory, files, naming, typed } = this.#area;
    const source = await openSource(directory, files, naming, typed);
    const pending = new Set(this.#former?.pending().map(({ path }) => path));
    let done = 0;
    try {
      for await (const batch of batches(
        inTurns(source.items(from.after)),
        TRANSACTION,
        ({ stamp }) => stamp.size,
      )) {
        const { entries, rows } = await this.#compare(batch, pending, from.isTracked);
        const kept = from.isTracked ? rows : rows.filter(({ fault }) => fault !== null);
        await this.#add(entries, kept, { ...from, after: batch.at(-1)!.at });
        done += batch.length;
        this.#report('records', done, source.total);
      }
    } finally {
      source.close();
    }
    return { ...from, step: 'missing' };
  }

  /** Finds differences from the records so far, and the rows of the files. */
  async #compare(items: readonly SourceItem[], pending: ReadonlySet<string>, isTracked: boolean) {
    const iriOf = ({ path, found, iri }: SourceItem) =>
      found instanceof RecordFileError ? (iri ?? this.#former?.iriOf(path)) : found.iri;
    const iris = items.flatMap((item) => iriOf(item) ?? []);
    const current = await this.#sink.current(iris);
    // Without a history, what the database has was adopted from this source.
    const holders = isTracked
      ? await this.#sink.holders(iris)
      : new Map([...current.keys()].map((iri) => [iri, iri]));
    const entries: NewEntry[] = [];
    const rows: FileRow[] = [];
    let { revision } = this.#sink;
    for (const item of items) {
      const { path, stamp, digest } = item;
      const iri = iriOf(item) ?? null;
      const former = current.get(iri ?? '');
      const row = { path, stamp, digest, iri, revision: former?.revision ?? 0, fault: null };
      const found = this.#storable(item);
      const holder = holders.get(iri ?? '');
      if (found instanceof RecordFileError)
        rows.push({ ...row, iri: former ? iri : null, fault: found.message });
      else if (holder !== undefined && holder !== path)
        rows.push({ ...row, revision: 0, fault: `it holds the same record as '${holder}'` });
      else {
        const { pid, className, json } = found;
        const isSame = former?.pid === pid && former.className === className && former.json === json;
        holders.set(found.iri, path);
        if (!isSame && !(former && pending.has(path))) {
          const time = Math.min(item.time ?? this.#options.begun, this.#options.begun);
          entries.push({ ...found, kind: 'put', time, ...BY_UNNAMED });
          row.revision = ++revision;
        }
        rows.push(row);
      }
    }
    return { entries, rows };
  }

  /** A record that the database can't store stays a file. */
  #storable({ found }: SourceItem) {
    if (found instanceof RecordFileError) return found;
    try {
      requireStorable(this.#sink.dialect, found);
      return found;
    } catch (error) {
      if (isServiceError(error)) return new RecordFileError(error.message);
      throw error;
    }
  }

  /** Deletes the records of the history that the directory does not have. */
  async #removeMissing(place: Place<'missing'>): Promise<Rest> {
    const pending = this.#former?.pending() ?? [];
    const unwritten = new Set(pending.map(({ iri }) => iri));
    for await (const page of place.isTracked ? this.#sink.unfiled() : []) {
      const missing = page.filter(({ iri }) => !unwritten.has(iri));
      const gone = { kind: 'delete', time: this.#options.begun, ...BY_UNNAMED, json: null } as const;
      await this.#add(
        missing.map((key) => ({ ...key, ...gone })),
        [],
        place,
      );
    }
    const { shift } = place;
    const name = this.#former?.auditName;
    const logged: [AreaLog, number][] = [];
    for (const log of name === undefined ? [] : this.#area.logs) {
      const position = await log.formerPosition(name!);
      if (position > 0) logged.push([log, position + shift]);
    }
    return { shift, logged, mirrored: pending.length > 0 ? shift : this.#sink.revision };
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

  #report(step: AreaProgress['step'], done: number, total: number): void {
    this.#options.progress({ area: this.#area.path, step, done, total: Math.max(done, total) });
  }
}

/** Whether an entry without an author says what is known already. */
function repeats(entry: NewEntry, known: Map<string, StoredRecord>): boolean {
  const { iri, pid, className, json, committer } = entry;
  const former = known.get(iri)?.json;
  if (json === null) known.delete(iri);
  else known.set(iri, { iri, pid, className, json, revision: 0 });
  return committer === null && isSameRecord(former, json ?? undefined);
}

/** A logged change, but for the delete of a record that is not there. The log of a delete does not say its class. */
function withClass(entry: NewEntry, known: Map<string, StoredRecord>): NewEntry | undefined {
  const { iri, pid, className, json } = entry;
  const former = known.get(iri);
  if (json === null) {
    known.delete(iri);
    return former && { ...entry, className: former.className };
  }
  known.set(iri, { iri, pid, className, json, revision: 0 });
  return entry;
}

/** Reads items with turns for others in between: the service may run meanwhile. */
async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  const yieldIfDue = yielder();
  for (const item of items) {
    yield item;
    await yieldIfDue();
  }
}

/** The limits of one transaction. */
const TRANSACTION = { items: 2000, characters: 4_000_000 };
