/** Where adopted areas go: through a loader, without indexes, or through the database, which knows what it has. */

import { batches } from '../../../core/batches.ts';
import type { LogPosition } from '../../../core/collections/area-logs.ts';
import { readCursor, setCursor } from '../../../core/storage/cursors.ts';
import type { Database, Draft } from '../../../core/storage/database.ts';
import type { Value } from '../../../core/storage/dialect.ts';
import { type Dialect, SQLITE } from '../../../core/storage/dialect.ts';
import type { Loader } from '../../../core/storage/load.ts';
import { storedArea } from '../../../core/storage/read/areas.ts';
import type { Entry, RecordKey, RecordStore, StoredRecord } from '../../../core/storage/store.ts';
import { timeOf } from '../../../core/storage/times.ts';
import { type FileRow, filesOfRecords, writeRows } from '../mirror/file-table.ts';
import { recordsByIri } from '../mirror/record-files.ts';
import { MIRROR } from '../tables.ts';
import { noteImported, type tableState } from './imported-tables.ts';

/** The cursor of an adoption, which is removed when all is adopted. */
export const ADOPTION = 'adopt';

/** Its version when an area is adopted. */
export const DONE = JSON.stringify({ step: 'done' });

/** An entry before it has its place in the area. The time is in microseconds since 1970. */
export type NewEntry = Omit<Entry, 'time' | 'revision'> & {
  readonly time: number;
  readonly revision?: number;
};

type Places = {
  /** With the number of records in the log that are done; older places have none. */
  log: { readonly after: LogPosition | null; readonly done?: number };
  /** Entries of release 0.2 have their revisions, shifted behind those of the log. */
  entries: { readonly after: number; readonly shift: number };
  /** If there was a history, every file or row is noted, to find in the end the records that have none. */
  records: { readonly after: string; readonly shift: number; readonly isTracked: boolean };
  missing: { readonly shift: number; readonly isTracked: boolean };
  done: object;
};

/** Where the adoption of an area is: each step is over when the next one has begun. */
export type Place<Step extends keyof Places = keyof Places> = {
  [S in Step]: { readonly step: S } & Places[S];
}[Step];

/** Receives what is adopted, in order. */
export interface Sink {
  readonly dialect: Pick<Dialect, 'longestPid'>;
  revision: number;
  /** The time of the last change, in microseconds since 1970. */
  changed: number;
  place(): Promise<Place | undefined>;
  current(iris: readonly string[]): Promise<Map<string, StoredRecord>>;
  /** The files that records have. */
  holders(iris: readonly string[]): Promise<Map<string, string>>;
  /** The records that have none, a page at a time. */
  unfiled(): AsyncIterable<RecordKey[]>;
  /** Adds entries, rows of files and the place in one transaction. */
  add(
    entries: readonly (NewEntry & { readonly revision: number })[],
    rows: readonly FileRow[],
    place: Place,
  ): Promise<void>;
}

/** The limits of a page of records. */
const PAGE = { items: 2000, characters: 4_000_000 };

type Statement = readonly [sql: string, values: readonly Value[]];

export function loaderSink(loader: Loader, { path }: { readonly path: string }): Sink {
  const { id, revision, changed } = loader.area(path);
  return {
    dialect: SQLITE,
    revision,
    changed,
    place: async () => JSON.parse(loader.cursor(ADOPTION, id) ?? 'null') ?? undefined,
    current: async () => new Map(),
    holders: async () => new Map(),
    async *unfiled() {},
    async add(entries, rows, place) {
      const records = entries.map((entry) => ({ ...entry, json: entry.json! }));
      loader.add(
        id,
        records,
        statementsOf((draft) => addRows(draft, id, rows, place)),
      );
    },
  };
}

/** Notes that an area was loaded. @param table the state of its table, if it has one */
export function finishLoaded(
  loader: Loader,
  { path, files }: { readonly path: string; readonly files: boolean },
  table: Awaited<ReturnType<typeof tableState>>,
): void {
  const { id, revision } = loader.area(path);
  const statements = statementsOf((draft) => {
    if (files) setCursor(draft, MIRROR, id, [revision, '']);
    if (table) noteImported(draft, id, table);
    setPlace(draft, id, { step: 'done' });
  });
  loader.add(id, [], statements);
}

/** The statements that a draft would get. */
function statementsOf(prepare: (draft: Pick<Draft, 'run' | 'dialect'>) => void): Statement[] {
  const statements: Statement[] = [];
  const run = (sql: string, values: readonly Value[]) => void statements.push([sql, values]);
  prepare({ run: run as unknown as Draft['run'], dialect: SQLITE });
  return statements;
}

export async function databaseSink(database: Database, store: RecordStore): Promise<Sink> {
  const { area } = store;
  const { dialect } = database;
  const { id } = area;
  const { revision, changed } = await storedArea(database, area);
  return {
    dialect,
    revision,
    changed,
    async place() {
      const cursor = await readCursor(database, ADOPTION, id);
      return cursor && (JSON.parse(cursor[1]) as Place);
    },
    current: (iris) => recordsByIri(store, [...new Set(iris)]),
    async holders(iris) {
      const files = await filesOfRecords(database, dialect, id, [...new Set(iris)]);
      return new Map([...files].map(([iri, { path }]) => [iri, path]));
    },
    async *unfiled() {
      for await (const page of batches(store.scan({}), PAGE, ({ json }) => json.length)) {
        const iris = page.map(({ iri }) => iri);
        const files = await filesOfRecords(database, dialect, id, iris);
        yield page.flatMap(({ pid, iri, className }) => (files.has(iri) ? [] : { pid, iri, className }));
      }
    },
    async add(entries, rows, place) {
      await database.transact(async (draft) => {
        const restored = entries.map((entry): Entry => ({ ...entry, time: timeOf(entry.time) }));
        if (restored.length > 0) draft.restore(area, restored);
        addRows(draft, id, rows, place);
      });
    },
  };
}

function addRows(
  draft: Pick<Draft, 'run' | 'dialect'>,
  area: number,
  rows: readonly FileRow[],
  place: Place,
): void {
  writeRows(
    draft,
    area,
    rows.map((row) => [row.path, row]),
  );
  setPlace(draft, area, place);
}

export function setPlace(draft: Pick<Draft, 'run'>, area: number, place: Place): void {
  setCursor(draft, ADOPTION, area, [0, JSON.stringify(place)]);
}
