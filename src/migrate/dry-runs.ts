/**
 * Rehearsals of schema changes: each runs through all records of a collection in the background, keeps its counts and
 * the records that need attention, and changes nothing. The last few are kept in memory.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { LedgerChange, StoredRecord } from '../storage/store.ts';
import { areasOf, SERVICE, type Stewarded } from './areas.ts';
import { compareSchemas, type SchemaComparison } from './compare-schemas.ts';
import {
  addToSummary,
  emptySummary,
  type RehearsalSummary,
  type RehearsedRecord,
  rehearseRecord,
} from './rehearse.ts';

/** A record in an area, and what the change means for it. */
export type RehearsedIn = RehearsedRecord & {
  readonly area: string;
  /** As it is stored. */
  readonly stored: StoredRecord;
  /** Whether its Turtle differs; null if it was not compared. */
  readonly turtleChanges: boolean | null;
};

/** Writes a record as Turtle; undefined if it cannot be written. */
export type TurtleOf = (schema: Schema, record: { className: string; json: string }) => string | undefined;

export type RehearsalOf = {
  readonly stewarded: Stewarded;
  readonly to: Schema;
  /** The text of the new schema, if it was sent and not found at an address. */
  readonly text?: string;
  readonly turtleOf?: TurtleOf;
};

export type Rehearsal = RehearsalOf & {
  readonly id: string;
  readonly comparison: SchemaComparison;
  readonly summary: RehearsalSummary;
  /** The first records that are not valid as they are. */
  readonly items: RehearsedIn[];
  state: 'running' | 'done' | 'failed';
  readonly done: Promise<void>;
};

/** So many rehearsals are kept. */
const MOST_KEPT = 8;
/** So many records are listed with the counts; all are in the stream. */
const MOST_ITEMS = 200;
/** Other requests have their turn after so many milliseconds. */
const REHEARSAL_TURN_MS = 10;

/** Every record of all areas with what the change means for it. */
export async function* rehearse(of: RehearsalOf, comparison: SchemaComparison): AsyncGenerator<RehearsedIn> {
  const { stewarded, to, turtleOf } = of;
  const from = stewarded.schema;
  let turn = performance.now();
  for await (const { area, store } of areasOf(stewarded)) {
    for await (const stored of store.scan({})) {
      const rehearsed = rehearseRecord(stored, from, to, comparison);
      const { outcome, mended } = rehearsed;
      let turtleChanges: boolean | null = null;
      if (turtleOf && (outcome === 'valid' || mended)) {
        const { className, record } = mended ?? { className: stored.className, record: undefined };
        const json = record ? JSON.stringify(record) : stored.json;
        turtleChanges = turtleOf(from, stored) !== turtleOf(to, { className, json });
      }
      yield { ...rehearsed, area, stored, turtleChanges };
      if (performance.now() - turn < REHEARSAL_TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  }
}

/** The rehearsals of a service. */
export class Rehearsals {
  readonly #known = new Map<string, Rehearsal>();
  readonly #changing = new Map<string, Promise<unknown>>();

  /**
   * Begins a rehearsal.
   *
   * @param ended is called when it needs the collection no longer
   * @param id that of the same rehearsal on another instance
   */
  start(of: RehearsalOf, ended: () => void = () => {}, id: string = randomUUID()): Rehearsal {
    const comparison = compareSchemas(of.stewarded.schema, of.to);
    const summary = emptySummary();
    if (of.turtleOf) summary.turtle_changes = 0;
    const items: RehearsedIn[] = [];
    const run = async () => {
      for await (const one of rehearse(of, comparison)) {
        addToSummary(summary, one, one.area);
        if (one.turtleChanges && summary.turtle_changes !== null) summary.turtle_changes++;
        if (one.outcome !== 'valid' && items.length < MOST_ITEMS) items.push(one);
      }
    };
    const rehearsal: Rehearsal = {
      ...of,
      id,
      comparison,
      summary,
      items,
      state: 'running',
      done: run().then(
        () => {
          rehearsal.state = 'done';
        },
        () => {
          rehearsal.state = 'failed';
        },
      ),
    };
    void rehearsal.done.then(ended);
    this.#known.set(rehearsal.id, rehearsal);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KEPT && oldest !== undefined) this.#known.delete(oldest);
    return rehearsal;
  }

  /** Changes the schema of a collection, when former changes of it have ended. */
  async inTurn<T>(collection: string, change: () => Promise<T>): Promise<T> {
    const done = (this.#changing.get(collection) ?? Promise.resolve()).then(change);
    const settled = done.catch(() => undefined);
    this.#changing.set(collection, settled);
    try {
      return await done;
    } finally {
      if (this.#changing.get(collection) === settled) this.#changing.delete(collection);
    }
  }

  /** A rehearsal of a collection that began on this instance, or was repeated on it. */
  get(collection: string, id: string): Rehearsal | undefined {
    const found = this.#known.get(id);
    return found?.stewarded.name === collection ? found : undefined;
  }
}

export function rehearsalUnknown(collection: string, id: string): ServiceError {
  return new ServiceError(
    'rehearsal_unknown',
    `There is no rehearsal '${id}' of the collection '${collection}': start another one.`,
  );
}

/** What another instance needs to repeat a rehearsal. */
export type KeptRehearsal = {
  readonly time: string;
  /** The digests of both schemas: with others, it is another rehearsal. */
  readonly from: string;
  readonly to: string;
  readonly address: string;
  readonly text: string | null;
  /** The files that the new schema may import; null for all. */
  readonly only: readonly string[] | null;
};

const REHEARSAL = 'rehearsal';

/** Keeps the last rehearsals of a collection where other instances find them. */
export async function keepRehearsal(
  { name, curated }: Stewarded,
  id: string,
  kept: KeptRehearsal,
): Promise<void> {
  const { ledger } = curated;
  const rows = await ledger.list({ kind: REHEARSAL, keys: [name], limit: 100 });
  const former = rows
    .map(({ id, json }) => ({ id, time: (JSON.parse(json) as KeptRehearsal).time }))
    .sort((a, b) => (a.time < b.time ? 1 : -1));
  const removed = former
    .slice(MOST_KEPT - 1)
    .map((row): LedgerChange => ({ remove: { kind: REHEARSAL, id: row.id } }));
  const set = { kind: REHEARSAL, id, keys: [name], json: JSON.stringify(kept) };
  await curated.write([], SERVICE, [...removed, { set }]);
}

/** What another instance has rehearsed; undefined if it is unknown, or was about another schema of the collection. */
export async function keptRehearsal(
  { name, schema, curated }: Stewarded,
  id: string,
): Promise<KeptRehearsal | undefined> {
  const row = await curated.ledger.get(REHEARSAL, id);
  if (!row?.keys.includes(name)) return undefined;
  const kept = JSON.parse(row.json) as KeptRehearsal;
  return kept.from === schema.digest ? kept : undefined;
}

/** What a response says of a record. */
export function rehearsedRow({ area, stored, pid, className, outcome, ...rest }: RehearsedIn): object {
  return {
    pid,
    class: className,
    in: area,
    outcome,
    canonical_changes: rest.canonicalChanges,
    turtle_changes: rest.turtleChanges,
    identity_changes: rest.identityChanges,
    problems: rest.problems,
    steps: rest.steps,
    ...(rest.mended && { mended: { class: rest.mended.className, record: rest.mended.record } }),
  };
}

/** What a response says of a rehearsal. */
export function rehearsalReport({ id, state, stewarded, to, text, ...rest }: Rehearsal): object {
  const { schema } = stewarded;
  return {
    id,
    state,
    from: { address: schema.address, digest: schema.digest },
    to: { address: text === undefined ? to.address : null, digest: to.digest },
    changes: rest.comparison.changes,
    summary: rest.summary,
    items: rest.items.map(rehearsedRow),
  };
}
