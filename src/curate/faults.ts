/** The stored records that do not fit the schema of their collection. */

import {
  areasOf,
  type CollectionStores,
  isAreaOf,
  type NamedArea,
  type ReadStores,
} from '../collections/stores.ts';
import type { Problem } from '../errors.ts';
import type { AreaId } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';
import { type Pool, runIfLong } from '../work/pool.ts';
import { changesBehind, type Projection } from '../work/projections.ts';
import { problemsOf } from '../work/tasks.ts';
import { rowsOfRecords } from './projections.ts';

/** A record that the schema refuses, and why. */
type RecordFault = {
  /** `curated` or `incoming/<label>`. */
  readonly in: string;
  readonly pid: string;
  readonly class: string;
  readonly problems: readonly Problem[];
};

/** Problems that are kept of a record. */
const MOST_PROBLEMS_KEPT = 20;

export function faultProjection(stores: ReadStores, pool?: Pool): Projection {
  const { schema } = stores;
  return rowsOfRecords(stores, {
    name: 'faults',
    version: schema.digest,
    concerns: (path) => isAreaOf(stores, path),
    table: 'accession_fault',
    columns: ['pid', 'class_name', 'problems'],
    async rowsOf({ pid, className, json }) {
      const record = { schema, pid, className, json, most: MOST_PROBLEMS_KEPT };
      const problems = await runIfLong(pool, problemsOf, record, json.length);
      return problems === '[]' ? [] : [[pid, className, problems]];
    },
  });
}

/** The first faults of all areas, how many there are, and how many changes are not checked yet. */
export async function listFaults(
  stores: ReadStores,
  limit: number,
): Promise<{ readonly items: RecordFault[]; readonly total: number; readonly pending: number }> {
  const items: RecordFault[] = [];
  const projection = faultProjection(stores);
  let [total, pending] = [0, 0];
  for (const { area, store } of await areasOf(stores)) {
    pending += await changesBehind(stores.database, projection, store);
    const found = await countFaults(stores, store.area);
    total += found;
    if (found === 0 || items.length === limit) continue;
    const rows = await stores.database.tuples<[pid: string, className: string, problems: string]>(
      `SELECT pid, class_name, problems FROM accession_fault WHERE collection = $1 AND area = $2
       ORDER BY iri LIMIT $3`,
      [stores.name, store.area.id, limit - items.length],
    );
    for (const [pid, className, problems] of rows)
      items.push({ in: area, pid, class: className, problems: JSON.parse(problems) as Problem[] });
  }
  return { items, total, pending };
}

/** How many records of a collection, or of one of its areas, do not fit, as far as it is known. */
export async function countFaults(
  { name, database }: Pick<ReadStores, 'name' | 'database'>,
  area?: AreaId,
): Promise<number> {
  const [row] = await database.tuples<[number]>(
    `SELECT count(*) FROM accession_fault WHERE collection = $1 ${area ? 'AND area = $2' : ''}`,
    area ? [name, area.id] : [name],
  );
  return row![0];
}

/** The same of the records that a caller sees. */
export async function countSeenFaults(
  { name, database }: Pick<ReadStores, 'name' | 'database'>,
  visibility: Visibility,
): Promise<number> {
  const rows = await database.tuples<[policy: string, number: number]>(
    `SELECT r.policy, count(*) FROM accession_fault f
     JOIN accession_record r ON r.area = f.area AND r.iri = f.iri WHERE f.collection = $1 GROUP BY r.policy`,
    [name],
  );
  return rows.reduce((sum, [policy, number]) => sum + (visibility.sees(policy) ? number : 0), 0);
}

/** Removes the faults of areas that a former collection of the name had. */
export async function forgetFaults(
  { name, database }: CollectionStores,
  areas: readonly NamedArea[],
): Promise<void> {
  const ids = areas.map(({ store }) => store.area.id);
  await database.transact(async (draft) =>
    draft.run(
      `DELETE FROM accession_fault WHERE collection = $1 AND NOT (${database.dialect.among('area', 2, 'bigint')})`,
      [name, ids],
    ),
  );
}
