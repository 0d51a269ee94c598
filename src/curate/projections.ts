/**
 * Keeps rows that are made of records in tables, such as faults: a projection follows the changes of an area from its
 * cursor, and starts again if its version is another one.
 */
import type { Draft, Value } from '../storage/database.ts';
import type { AreaId, RecordStore, StoredRecord } from '../storage/store.ts';
import type { FollowOptions } from './follow-links.ts';
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

/** Changes that one transaction handles. */
const CHANGES_AT_ONCE = 200;

/** @returns how many changes are left */
export async function follow(
  stores: CollectionStores,
  projection: Projection,
  store: RecordStore,
  { turn, steps = Number.POSITIVE_INFINITY }: FollowOptions = {},
): Promise<number> {
  const { database, name: collection } = stores;
  const { area } = store;
  const cursor = `${projection.name} ${collection}`;
  const [row] = await database.tuples<[revision: number]>(
    'SELECT revision FROM accession_cursor WHERE name = $1 AND area = $2 AND version = $3',
    [cursor, area.id, projection.version],
  );
  let revision = row?.[0] ?? 0;
  for (let step = 0; step < steps && !database.readOnly && !turn?.stopping; step++) {
    const changes = await store.changesSince(revision, CHANGES_AT_ONCE);
    if (changes.length === 0) break;
    const rows = new Map<string, readonly (readonly Value[])[]>();
    for (const change of changes) {
      await turn?.breathe();
      const isPut = change.kind === 'put';
      rows.set(isPut ? change.record.iri : change.iri, isPut ? await projection.rowsOf(change.record) : []);
      revision = isPut ? change.record.revision : change.revision;
    }
    await database.transact(async (draft) => {
      replaceRows(draft, collection, area, projection, rows);
      draft.run(
        `INSERT INTO accession_cursor (name, area, revision, version) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision, version = excluded.version`,
        [cursor, area.id, revision, projection.version],
      );
    });
    turn?.reached?.(revision);
  }
  return Math.max(0, (await store.revision()) - revision);
}

function replaceRows(
  draft: Draft,
  collection: string,
  { id }: AreaId,
  { table, columns }: Projection,
  byIri: ReadonlyMap<string, readonly (readonly Value[])[]>,
): void {
  draft.run(`DELETE FROM ${table} WHERE collection = $1 AND area = $2 AND ${draft.dialect.among('iri', 3)}`, [
    ...[collection, id, [...byIri.keys()]],
  ]);
  const parameters = columns.map((_, at) => `$${at + 4}`).join(', ');
  for (const [iri, rows] of byIri)
    for (const row of rows)
      draft.run(
        `INSERT INTO ${table} (collection, area, iri, ${columns.join(', ')}) VALUES ($1, $2, $3, ${parameters})`,
        [collection, id, iri, ...row],
      );
}
