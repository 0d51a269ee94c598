/**
 * Dry runs of schema changes: each judges all records of a collection in the background, keeps its counts and the records
 * that need attention, and changes nothing. The last few of a collection are kept in memory; what they were about is kept
 * in the database, where other instances find it.
 */
import { randomUUID } from 'node:crypto';
import { JsonText, jsonWith } from '#linkml/json.ts';
import { suggestionBudget } from '#linkml/suggestions.ts';
import { areasOf, type CollectionStores } from '../../core/collections/stores.ts';
import type { ConfiguredTerms } from '../../core/collections/terms.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { runIfLong } from '../../core/work/pool.ts';
import { yielder } from '../../core/yield.ts';
import { compareSchemas, type SchemaComparison } from './compare-schemas.ts';
import { addToSummary, type DryRunSummary, emptySummary } from './judge.ts';
import type { JudgedRow } from './judged.ts';
import { judgedRowIn } from './tasks.ts';

/** A record in an area, and what the change means for it. */
export type JudgedIn = JudgedRow & { readonly area: string };

export type DryRunOf = {
  /** The user who asked for it. */
  readonly by: string;
  readonly stores: CollectionStores;
  readonly to: Schema;
  /** The text of the new schema, if it was sent and not found at an address. */
  readonly text?: string | undefined;
  /** The vocabularies of the collection with it. */
  readonly vocabularies?: ConfiguredTerms;
};

export type DryRun = DryRunOf & {
  readonly id: string;
  readonly comparison: SchemaComparison;
  readonly summary: DryRunSummary;
  /** The first records that are not valid as they are. */
  readonly items: JudgedIn[];
  state: 'running' | 'done' | 'failed';
  readonly done: Promise<void>;
};

/** The dry runs of a collection that are kept, besides those in progress. */
const MOST_KEPT = 8;
/** The dry runs of a user that are in progress at once. */
const MOST_RUNNING = 2;
/** The records that are listed with the counts, and their characters together; all are in the stream. */
const MOST_ITEMS = 200;
const MOST_CHARACTERS = 10_000_000;

/** Every record of all areas with what the change means for it. */
export async function* judgeAll(
  of: Pick<DryRunOf, 'stores' | 'to'>,
  comparison: SchemaComparison,
): AsyncGenerator<JudgedIn> {
  const { stores, to } = of;
  const { schema, pool } = stores;
  const yieldIfDue = yielder();
  const suggestions = suggestionBudget();
  for (const { area, store } of await areasOf(stores)) {
    for await (const record of store.scan({})) {
      const judging = { schema, to, comparison, record, area, suggestions };
      yield { ...(await runIfLong(pool, judgedRowIn, judging, record.json.length)), area };
      await yieldIfDue();
    }
  }
}

export class DryRuns {
  readonly #known = new Map<string, DryRun>();

  /**
   * Begins a dry run.
   *
   * @param id that of the same one on another instance
   * @throws ServiceError `too_many_requests` if others of the user are in progress
   */
  start(of: DryRunOf, id: string = randomUUID()): DryRun {
    const running = [...this.#known.values()].filter(({ by, state }) => by === of.by && state === 'running');
    if (running.length >= MOST_RUNNING) throw tooManyDryRuns();
    const comparison = compareSchemas(of.stores.schema, of.to);
    const summary = emptySummary();
    summary.turtle_changes = 0;
    const items: JudgedIn[] = [];
    let characters = 0;
    const run = async () => {
      for await (const one of judgeAll(of, comparison)) {
        addToSummary(summary, one, one.area);
        if (one.turtleChanges && summary.turtle_changes !== null) summary.turtle_changes++;
        if (one.outcome === 'valid' || items.length >= MOST_ITEMS) continue;
        characters += one.json.length;
        if (characters <= MOST_CHARACTERS) items.push(one);
      }
    };
    const end = (state: DryRun['state']) => () => {
      dryRun.state = state;
    };
    const done = run().then(end('done'), end('failed'));
    const dryRun: DryRun = { ...of, id, comparison, summary, items, state: 'running', done };
    this.#known.set(id, dryRun);
    const ended = [...this.#known.values()].filter(
      ({ stores, state }) => stores.name === of.stores.name && state !== 'running',
    );
    for (const { id: oldest } of ended.slice(0, -MOST_KEPT)) this.#known.delete(oldest);
    return dryRun;
  }

  /** A dry run of a collection that began on this instance, or was repeated on it. */
  get(collection: string, id: string): DryRun | undefined {
    const found = this.#known.get(id);
    return found?.stores.name === collection ? found : undefined;
  }
}

function tooManyDryRuns(): ServiceError {
  return new ServiceError(
    'too_many_requests',
    `${MOST_RUNNING} rehearsals of this user are in progress: wait until one of them has ended.`,
  );
}

export function dryRunUnknown(collection: string, id: string): ServiceError {
  return new ServiceError(
    'rehearsal_unknown',
    `There is no rehearsal '${id}' of the collection '${collection}': start another one.`,
  );
}

/** The input of a dry run, with which another instance repeats it. */
type KeptDryRun = {
  /** The digests of both schemas: with others, it is another dry run. */
  readonly from: string;
  readonly to: string;
  readonly address: string;
  readonly text: string | null;
  readonly vocabularies?: ConfiguredTerms;
  /** The files that the new schema may import; null for all. */
  readonly only: readonly string[] | null;
};

/** Keeps what a dry run is about, in place of the oldest one of the collection. */
export async function keepDryRun(
  { name, curated, database }: CollectionStores,
  id: string,
  kept: KeptDryRun,
): Promise<void> {
  if (database.readOnly) return;
  const of = [curated.area.id, name];
  await database.transact(async (draft) => {
    draft.run(
      'INSERT INTO accession_dry_run (id, area, collection, time, json) VALUES ($3, $1, $2, $4, $5)',
      [...of, id, new Date().toISOString(), JSON.stringify(kept)],
    );
    draft.run(
      `DELETE FROM accession_dry_run WHERE area = $1 AND collection = $2 AND id <> $3 AND id NOT IN (
         SELECT id FROM accession_dry_run WHERE area = $1 AND collection = $2 AND id <> $3
         ORDER BY time DESC, id LIMIT ${MOST_KEPT - 1}
       )`,
      [...of, id],
    );
  });
}

/** Reads the input of a dry run; undefined if it is unknown, or was about another schema of the collection. */
export async function keptDryRun(
  { name, schema, curated, database }: CollectionStores,
  id: string,
): Promise<KeptDryRun | undefined> {
  const [row] = await database.tuples<[json: string]>(
    'SELECT json FROM accession_dry_run WHERE id = $1 AND area = $2 AND collection = $3',
    [id, curated.area.id, name],
  );
  const kept = row && (JSON.parse(row[0]) as KeptDryRun);
  return kept?.from === schema.digest ? kept : undefined;
}

/** A dry run as responses have it. */
export function dryRunReport({ id, state, stores, to, text, vocabularies, ...rest }: DryRun): JsonText {
  const { schema } = stores;
  const report = {
    id,
    state,
    from: { address: schema.address, digest: schema.digest },
    to: {
      address: text === undefined ? to.address : null,
      digest: to.digest,
      ...(vocabularies && { vocabularies }),
    },
    changes: rest.comparison.changes,
    summary: rest.summary,
  };
  const items = `[${rest.items.map(({ json }) => json).join(',')}]`;
  return new JsonText(jsonWith({ ...report, items: new JsonText(items) }));
}
