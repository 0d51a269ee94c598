/**
 * Keeps rows that are made of records in tables, such as faults: a projection follows the changes of an area from its
 * cursor, and starts again if its version is another one.
 */

import type { Draft, Value } from '../storage/database.ts';
import type { AreaId, RecordStore, StoredChange, StoredRecord } from '../storage/store.ts';
import type { Threads } from '../work/threads.ts';
import type { CollectionStores } from './stores.ts';

export type Projection = {
  readonly name: string;
  /** What the rows are made with, besides the records. */
  readonly version: string;
  /** Has the columns `collection`, `area`, `iri`, and these. */
  readonly table: string;
  readonly columns: readonly string[];
  rowsOf(record: StoredRecord): Promise<readonly (readonly Value[])[]>;
};

/** Lets others have their turn; see the context of jobs. */
export type Turn = {
  breathe(): Promise<void>;
  readonly stopping: boolean;
  /** Up to which revision of its area the work has come. */
  reached?(revision: number): void;
};

export type FollowOptions = {
  readonly turn?: Turn;
  /** How far to go; to the end by default. */
  readonly steps?: number;
  /** Where long records are read; without it, like short ones. */
  readonly threads?: Threads;
};

/** For a request, which cannot wait for a whole area; the rest is for the job. */
export const BRIEFLY: FollowOptions = { steps: 20 };

/** Changes that one transaction handles. */
const CHANGES_AT_ONCE = 100;

/**
 * Passes the changes of an area after a revision on, in steps.
 *
 * @param write makes one transaction of what `read` has returned for a step, and of the revision of its last change
 * @returns the revision that it has come to
 */
export async function eachStep<T>(
  store: RecordStore,
  after: number,
  { turn, steps = Number.POSITIVE_INFINITY }: FollowOptions,
  read: (change: StoredChange) => Promise<T>,
  write: (made: readonly T[], revision: number) => Promise<void>,
): Promise<number> {
  for (let step = 0; step < steps && !turn?.stopping; step++) {
    const changes = await store.changesSince(after, CHANGES_AT_ONCE);
    const last = changes.at(-1);
    if (!last) break;
    const made: T[] = [];
    for (const change of changes) {
      await turn?.breathe();
      made.push(await read(change));
    }
    after = last.kind === 'put' ? last.record.revision : last.revision;
    await write(made, after);
    turn?.reached?.(after);
  }
  return after;
}

/** @returns how many changes are left */
export async function follow(
  { database, name: collection }: CollectionStores,
  projection: Projection,
  store: RecordStore,
  options: FollowOptions = {},
): Promise<number> {
  const { area } = store;
  const cursor = `${projection.name} ${collection}`;
  const [row] = await database.tuples<[revision: number]>(
    'SELECT revision FROM accession_cursor WHERE name = $1 AND area = $2 AND version = $3',
    [cursor, area.id, projection.version],
  );
  const revision = await eachStep(
    store,
    row?.[0] ?? 0,
    database.readOnly ? { steps: 0 } : options,
    async (change) => {
      if (change.kind === 'delete') return { iri: change.iri, rows: [] };
      return { iri: change.record.iri, rows: await projection.rowsOf(change.record) };
    },
    (made, revision) =>
      database.transact(async (draft) => {
        replaceRows(draft, collection, area, projection, made);
        draft.run(
          `INSERT INTO accession_cursor (name, area, revision, version) VALUES ($1, $2, $3, $4)
           ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision, version = excluded.version`,
          [cursor, area.id, revision, projection.version],
        );
      }),
  );
  return Math.max(0, (await store.revision()) - revision);
}

function replaceRows(
  draft: Draft,
  collection: string,
  { id }: AreaId,
  { table, columns }: Projection,
  made: readonly { readonly iri: string; readonly rows: readonly (readonly Value[])[] }[],
): void {
  draft.run(`DELETE FROM ${table} WHERE collection = $1 AND area = $2 AND ${draft.dialect.among('iri', 3)}`, [
    ...[collection, id, made.map(({ iri }) => iri)],
  ]);
  const parameters = columns.map((_, at) => `$${at + 4}`).join(', ');
  for (const { iri, rows } of made)
    for (const row of rows)
      draft.run(
        `INSERT INTO ${table} (collection, area, iri, ${columns.join(', ')}) VALUES ($1, $2, $3, ${parameters})`,
        [collection, id, iri, ...row],
      );
}
