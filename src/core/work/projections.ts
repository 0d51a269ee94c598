/**
 * Data that follows the changes of areas: faults, identifiers, references, the text index, audit logs in git. Data that must be exact at
 * a commit is part of the transaction instead.
 *
 * A projection is one object and one row where it is added. Its cursor, the revision up to which it has come in an area, moves
 * in the transaction that has its rows, so a crash leaves both or neither. Work outside of the database is done before that
 * transaction, and may come again: it has to recognize what it has done.
 */
import { type Cursor, readCursor, setCursor } from '../storage/cursors.ts';
import type { Database, Derived, Draft, ReadDatabase, RevisionSpan } from '../storage/database.ts';
import type { Value } from '../storage/dialect.ts';
import type { Places } from '../storage/places.ts';
import { scanEntries } from '../storage/read/paging.ts';
import type { AreaId, Entry, ReadStore, RecordStore } from '../storage/store.ts';
import { yielder } from '../yield.ts';

/** Takes the writes of {@link Projection.apply}. Nothing is written before it has returned. */
export type ProjectionDraft = Pick<Draft, 'dialect'> & {
  readonly area: AreaId;
  /** Adds a statement to the transaction that moves the cursor. */
  run(sql: string, values?: readonly Value[]): void;
  /** Lets requests have their turn. To be called between records. */
  yieldIfDue(): Promise<void>;
  /** Aborted when the result is not needed. */
  readonly signal: AbortSignal;
};

export type Projection = {
  readonly name: string;
  /** Whose areas it follows. */
  readonly collection?: string;
  /** The name of its cursors; by default, its own with that of the collection. */
  readonly cursor?: string;
  /**
   * Its inputs besides the changes. With another version it begins again at the first change, in the
   * background. Rows are replaced one record after the other, so the old ones answer until then. Undefined if there is nothing
   * to follow.
   */
  readonly version: string | (() => Promise<string | undefined>);
  /** The areas that it follows. */
  readonly places: Places;
  /** Milliseconds from a change to the run that follows it, so that one run serves several changes. Default 250. */
  readonly delay?: number;
  /** Whether only the instance that leads may run it, because it writes files. Default false. */
  readonly leaderOnly?: boolean;
  /** Adds to the first step of an area under a version. */
  begin?(draft: ProjectionDraft): void;
  /** The revision of the area, if it has come to `reached` and transactions have done its work since; else 0. */
  settled?(area: AreaId, reached: number): Promise<number>;
} & (
  | {
      /** Every change, or the last one of each record. */
      readonly reads: 'entries' | 'changes';
      /** Gets the next of these in order, some hundred at a time. */
      apply(entries: readonly Entry[], draft: ProjectionDraft): Promise<void>;
    }
  | {
      /** Only how long the next changes are: the connection that writes reads the texts, and derives rows of them. */
      readonly reads: 'spans';
      derived(span: RevisionSpan): Derived;
    }
);

/** How far to go, and how. */
export type Pace = {
  /** Batches; to the end by default. */
  readonly steps?: number;
  /** Whether a cursor moves that transactions have settled. Requests leave that to the background. */
  readonly settle?: boolean;
  /** Whether requests are answered meanwhile: none of their writes waits for rows of many records. */
  readonly besideRequests?: boolean;
  readonly yieldIfDue?: () => Promise<void>;
  readonly signal?: AbortSignal;
};

/** For a request, which cannot wait for a whole area. */
export const BRIEFLY: Pace = { steps: 5 };

/** The bounds of one transaction: entries, and the characters, or the bytes of spans, of their records. */
export const AT_ONCE = {
  entries: { most: 500, characters: 4_000_000 },
  changes: { most: 400, characters: 200_000 },
  spans: { most: 400, characters: 200_000 },
  /** Some milliseconds of the connection that writes. The rows of fewer records would cost more each. */
  spansBesideRequests: { most: 64, characters: 32_000 },
} as const;

const NEVER = new AbortController().signal;

export function cursorOf({ name, collection, cursor }: Projection): string {
  return cursor ?? (collection === undefined ? name : `${name} ${collection}`);
}

type Position = {
  readonly version: string;
  /** The row of the cursor as it was read. */
  readonly row: Cursor | undefined;
  readonly reached: number;
  /** Whether transactions have done the work of the whole area themselves. */
  readonly isSettled: boolean;
};

async function positionOf(
  database: Pick<Database, 'tuples'>,
  projection: Projection,
  area: AreaId,
): Promise<Position | undefined> {
  const version = await versionOf(projection);
  if (version === undefined) return undefined;
  const row = await readCursor(database, cursorOf(projection), area.id);
  if (row?.[1] !== version) return { version, row, reached: 0, isSettled: false };
  const settled = (await projection.settled?.(area, row[0])) ?? 0;
  return { version, row, reached: Math.max(row[0], settled), isSettled: settled > 0 };
}

async function versionOf({ version }: Projection): Promise<string | undefined> {
  return typeof version === 'string' ? version : version();
}

/**
 * Applies a projection to the next changes of an area. Two that do so at once, here or in other processes, do no harm: the
 * cursor moves for one of them.
 *
 * @returns how many changes are left. A process that only reads leaves all to the one that owns the database
 */
export async function advance(
  database: Database,
  projection: Projection,
  store: RecordStore,
  pace: Pace = {},
): Promise<number> {
  const { steps = Number.POSITIVE_INFINITY, settle = false, signal } = pace;
  for (let step = 1; ; step++) {
    const position = await positionOf(database, projection, store.area);
    if (!position || (position.isSettled && !settle)) return 0;
    const revision = await store.revision();
    const { reached, row } = position;
    if (reached >= revision) {
      if (settle && row && row[0] < reached)
        await move({ database, projection, store, position }, reached, []);
      return 0;
    }
    if (database.readOnly || signal?.aborted) return revision - reached;
    const made = await makeStep({ database, projection, store, position }, revision, pace);
    if (step >= steps || signal?.aborted) return revision - made;
  }
}

/**
 * How many changes of an area a projection has still to follow. Requests that read leave them to the background, and answer
 * from its present rows.
 */
export async function changesBehind(
  database: Pick<ReadDatabase, 'tuples'>,
  projection: Projection,
  store: Pick<ReadStore, 'area' | 'revision'>,
): Promise<number> {
  const position = await positionOf(database, projection, store.area);
  if (!position || position.isSettled) return 0;
  // Before its first step, transactions may have done the work since the area was made.
  if (!position.row && ((await projection.settled?.(store.area, 0)) ?? 0) > 0) return 0;
  return Math.max(0, (await store.revision()) - position.reached);
}

/** Cursors that are read in one statement. */
const CURSORS_AT_ONCE = 2000;

/** The same of many areas together, such as thousands of zones. Those that it has followed to their ends cost no statement each. */
export async function changesBehindIn(
  database: Pick<ReadDatabase, 'tuples'>,
  projection: Projection,
  stores: readonly Pick<ReadStore, 'area' | 'revision'>[],
): Promise<number> {
  const version = await versionOf(projection);
  if (version === undefined) return 0;
  const yieldIfDue = yielder();
  const followed = new Set<number>();
  for (let after = -1; ; ) {
    const rows = await database.tuples<[area: number, isFollowed: number]>(FOLLOWED, [
      ...[cursorOf(projection), after, version, CURSORS_AT_ONCE],
    ]);
    for (const [area, isFollowed] of rows) if (isFollowed) followed.add(area);
    if (rows.length < CURSORS_AT_ONCE) break;
    after = rows.at(-1)![0];
    await yieldIfDue();
  }
  let behind = 0;
  for (const store of stores) {
    if (followed.has(store.area.id)) continue;
    await yieldIfDue();
    behind += await changesBehind(database, projection, store);
  }
  return behind;
}

const FOLLOWED = `SELECT c.area, CASE WHEN c.version = $3 AND c.revision >= a.revision THEN 1 ELSE 0 END
  FROM accession_cursor c JOIN accession_area a ON a.area = c.area
  WHERE c.name = $1 AND c.area > $2 ORDER BY c.area LIMIT CAST($4 AS BIGINT)`;

type Step = {
  readonly database: Database;
  readonly projection: Projection;
  readonly store: RecordStore;
  readonly position: Position;
};

/** @returns the revision up to which the projection has come: that before the step, if another one has moved the cursor meanwhile */
async function makeStep(
  step: Step,
  revision: number,
  { yieldIfDue = async () => {}, signal = NEVER, besideRequests = false }: Pace,
): Promise<number> {
  const { database, projection, store, position } = step;
  const { area } = store;
  const { reached, row, version } = position;
  const writes: ((draft: Draft) => void)[] = [];
  const draft: ProjectionDraft = {
    area,
    yieldIfDue,
    signal,
    dialect: database.dialect,
    run: (sql, values) => void writes.push((draft) => void draft.run(sql, values)),
  };
  if (row?.[1] !== version) projection.begin?.(draft);
  // There are revisions without a change.
  let last = revision;
  if (projection.reads === 'spans') {
    const bounds = AT_ONCE[besideRequests ? 'spansBesideRequests' : 'spans'];
    const span = await nextSpan(database, area, reached, revision, bounds);
    if (span) {
      const derived = projection.derived(span);
      writes.push((draft) => draft.derive(area, derived));
      last = span.to;
    }
  } else {
    const entries = await nextEntries(store, reached, revision, projection.reads);
    if (entries.length > 0) await projection.apply(entries, draft);
    last = entries.at(-1)?.revision ?? last;
  }
  return !signal.aborted && (await move(step, last, writes)) ? last : reached;
}

/** The next changes by the bytes of their records, before and after. */
const LENGTHS = `SELECT e.revision, coalesce(octet_length(e.former), 0) + coalesce(octet_length(r.json), 0)
  FROM accession_entry e LEFT JOIN accession_record r ON r.area = e.area AND r.iri = e.iri
  WHERE e.area = $1 AND e.revision > $2 AND e.revision <= $3 ORDER BY e.revision LIMIT CAST($4 AS BIGINT)`;

async function nextSpan(
  database: Pick<Database, 'tuples'>,
  { id }: AreaId,
  after: number,
  upTo: number,
  { most, characters }: { readonly most: number; readonly characters: number },
): Promise<RevisionSpan | undefined> {
  const rows = await database.tuples<[revision: number, bytes: number]>(LENGTHS, [id, after, upTo, most]);
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += row[1];
    return bytes >= characters;
  });
  const last = rows.at(end);
  return last && { from: rows[0]![0], to: last[0] };
}

/** @param upTo changes that are made meanwhile come later: a record comes once in a step */
async function nextEntries(
  store: RecordStore,
  after: number,
  upTo: number,
  reads: 'entries' | 'changes',
): Promise<Entry[]> {
  const atOnce = AT_ONCE[reads];
  const entries: Entry[] = [];
  let characters = 0;
  const query = { after, before: upTo + 1, lastOnly: reads === 'changes' };
  for await (const entry of scanEntries(store, query, atOnce.characters)) {
    entries.push(entry);
    characters += entry.json?.length ?? 0;
    if (entries.length >= atOnce.most || characters >= atOnce.characters) break;
  }
  return entries;
}

/** Writes, and moves the cursor. @returns whether it did: not if another one has moved it meanwhile */
async function move(
  { database, projection, store, position }: Step,
  revision: number,
  writes: readonly ((draft: Draft) => void)[],
): Promise<boolean> {
  const name = cursorOf(projection);
  const { id } = store.area;
  const { row, version } = position;
  return database.transact(async (draft) => {
    const now = await readCursor(draft, name, id);
    if (now?.[0] !== row?.[0] || now?.[1] !== row?.[1]) return false;
    for (const write of writes) write(draft);
    setCursor(draft, name, id, [revision, version]);
    return true;
  });
}
