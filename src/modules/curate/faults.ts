/** The stored records that do not fit the schema of their collection. */

import { areasOf, type ReadStores } from '../../core/collections/stores.ts';
import type { Problem } from '../../core/errors.ts';
import { ofRecord } from '../../core/storage/read/records.ts';
import type { Visibility } from '../../core/storage/visibility.ts';
import { changesBehind, changesBehindIn } from '../../core/work/projections.ts';
import { faultProjection } from './projection.ts';

/** A record that the schema refuses, and why. */
type RecordFault = {
  /** `curated` or `incoming/<label>`. */
  readonly in: string;
  readonly pid: string;
  readonly class: string;
  readonly problems: readonly Problem[];
};

/** The first faults of all areas, how many there are, and how many changes are not checked yet. */
export async function listFaults(
  stores: ReadStores,
  limit: number,
): Promise<{ readonly items: RecordFault[]; readonly total: number; readonly pending: number }> {
  const projection = faultProjection(stores);
  const areas = await areasOf(stores);
  // Asked before the faults are read: if none is pending, these are all.
  const pending = await changesBehindIn(
    stores.database,
    projection,
    areas.map(({ store }) => store),
  );
  const counts = new Map(await stores.database.tuples<[area: number, faults: number]>(COUNTS, [stores.name]));
  const items: RecordFault[] = [];
  let total = 0;
  for (const { area, store } of areas) {
    const found = counts.get(store.area.id) ?? 0;
    total += found;
    if (found === 0 || items.length === limit) continue;
    const rows = await stores.database.tuples<[pid: string, className: string, problems: string]>(
      `SELECT pid, class_name, problems FROM accession_fault WHERE collection = $1 AND area = $2
       ORDER BY iri LIMIT $3`,
      [stores.name, store.area.id, limit - items.length],
    );
    for (const [pid, className, problems] of rows) items.push(faultOf(area, pid, className, problems));
  }
  return { items, total, pending };
}

/** The faults of one curated record, and how many changes of curated records are not checked yet. */
export async function faultsOfCurated(
  stores: ReadStores,
  iri: string,
): Promise<{ readonly items: RecordFault[]; readonly total: number; readonly pending: number }> {
  const { database, curated, name } = stores;
  const pending = await changesBehind(database, faultProjection(stores), curated);
  const rows = await database.tuples<[pid: string, className: string, problems: string]>(
    'SELECT pid, class_name, problems FROM accession_fault WHERE collection = $1 AND area = $2 AND iri = $3',
    [name, curated.area.id, iri],
  );
  const items = rows.map(([pid, className, problems]) => faultOf('curated', pid, className, problems));
  return { items, total: items.length, pending };
}

function faultOf(area: string, pid: string, className: string, problems: string): RecordFault {
  return { in: area, pid, class: className, problems: JSON.parse(problems) as Problem[] };
}

/** Of all areas at once: a collection may have thousands of zones. */
const COUNTS = 'SELECT area, count(*) FROM accession_fault WHERE collection = $1 GROUP BY area';

/** How many records of a collection do not fit, as far as it is known; with a visibility, of those that a caller sees. */
export async function countFaults(stores: ReadStores, visibility?: Visibility): Promise<number> {
  const policy = visibility ? ofRecord('policy', 'f.area', 'f.iri') : "''";
  const rows = await stores.database.tuples<[area: number, policy: string | null, number: number]>(
    `SELECT area, policy, count(*) FROM
       (SELECT f.area, ${policy} AS policy FROM accession_fault f WHERE f.collection = $1) s GROUP BY area, policy`,
    [stores.name],
  );
  if (rows.length === 0) return 0;
  // A collection may have had other areas.
  const areas = new Set([stores.curated.area.id, ...(await stores.zones.written()).map(({ area }) => area)]);
  return rows
    .filter(([area, policy]) => areas.has(area) && policy !== null && (visibility?.sees(policy) ?? true))
    .reduce((sum, [, , number]) => sum + number, 0);
}
