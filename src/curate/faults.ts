/** The stored records that do not fit the schema of their collection: rows that follow the changes of each area. */
import type { Problem } from '../errors.ts';
import type { Threads } from '../jobs/threads.ts';
import { definedRecord } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Draft } from '../storage/database.ts';
import type { AreaId, RecordStore, StoredChange, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';
import type { FollowOptions } from './follow-links.ts';
import { areasOf, type CollectionStores, type NamedArea } from './stores.ts';

/** A record that the schema refuses, and why. */
export type RecordFault = {
  /** `curated` or `incoming/<label>`. */
  readonly in: string;
  readonly pid: string;
  readonly class: string;
  readonly problems: readonly Problem[];
};

const CHECKED_AT_ONCE = 200;
/** Problems that are kept of a record. */
const MOST_PROBLEMS_KEPT = 20;

/** Why the schema refuses a stored record. */
export function recordProblems(
  schema: Schema,
  record: Pick<StoredRecord, 'pid' | 'className' | 'json'>,
): readonly Problem[] {
  const { pid, className } = record;
  if (!schema.classes.has(className)) {
    const msg = `The schema has no class '${className}'.`;
    return [{ type: 'class_unknown', loc: [], msg, input: className }];
  }
  const checked = schema.check(className, definedRecord(schema, record));
  const problems = checked.valid ? [] : checked.problems;
  if (schema.expand(pid) !== undefined) return problems;
  const msg = `The schema has no prefix for the pid '${pid}'.`;
  return [...problems, { type: 'prefix_unknown', loc: ['pid'], msg, input: pid }];
}

/** The same, of a long record in a thread. */
async function problemsOf(
  schema: Schema,
  record: StoredRecord,
  threads: Threads | undefined,
): Promise<readonly Problem[]> {
  const { className, pid, json } = record;
  const isKnown = schema.classes.has(className) && schema.expand(pid) !== undefined;
  if (!threads || json.length < LONG_RECORD || !isKnown) return recordProblems(schema, record);
  const input = { className, json, most: MOST_PROBLEMS_KEPT };
  return resultWithSchema<Problem[]>(threads, schema, 'check record', input);
}

/** Keeps the faults of a collection: follows the changes of each area from its cursor, and starts again for another version. */
export function faultProjection({ name: collection, schema }: Pick<CollectionStores, 'name' | 'schema'>) {
  return {
    name: `faults ${collection}`,
    version: schema.digest,
    /** Adds what some changes of an area mean to a transaction. */
    apply(
      draft: Draft,
      { id }: AreaId,
      changes: readonly (StoredChange & { readonly problems: readonly Problem[] })[],
    ): void {
      for (const change of changes) {
        const { iri, pid } = change.kind === 'put' ? change.record : change;
        const key = [collection, id, iri];
        if (change.kind === 'delete' || change.problems.length === 0) {
          draft.run('DELETE FROM accession_fault WHERE collection = $1 AND area = $2 AND iri = $3', key);
        } else {
          const problems = JSON.stringify(change.problems.slice(0, MOST_PROBLEMS_KEPT));
          draft.run(
            `INSERT INTO accession_fault (collection, area, iri, pid, class_name, problems) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (collection, area, iri) DO UPDATE SET pid = excluded.pid, class_name = excluded.class_name,
               problems = excluded.problems`,
            [...key, pid, change.record.className, problems],
          );
        }
      }
    },
  };
}

type Cursor = readonly [revision: number, hasFaults: boolean];

/**
 * Checks the records of an area that have changed since the last time, or all if the schema has.
 *
 * @returns how many changes are left
 */
export async function followFaults(
  stores: CollectionStores,
  store: RecordStore,
  { turn, steps = Number.POSITIVE_INFINITY, threads }: FollowOptions = {},
): Promise<number> {
  const { database, schema } = stores;
  const projection = faultProjection(stores);
  const { name, version } = projection;
  let [revision, hasFaults] = await cursorOf(stores, store, name, version);
  for (let step = 0; step < steps && !database.readOnly && !turn?.stopping; step++) {
    const changes = await store.changesSince(revision, CHECKED_AT_ONCE);
    if (changes.length === 0) break;
    const checked: (StoredChange & { readonly problems: readonly Problem[] })[] = [];
    for (const change of changes) {
      await turn?.breathe();
      const problems = change.kind === 'put' ? await problemsOf(schema, change.record, threads) : [];
      revision = change.kind === 'put' ? change.record.revision : change.revision;
      hasFaults ||= problems.length > 0;
      // Most areas have no faults, so a removal would change nothing.
      if (hasFaults) checked.push({ ...change, problems });
    }
    await database.transact(async (draft) => {
      projection.apply(draft, store.area, checked);
      draft.run(
        `INSERT INTO accession_cursor (name, area, revision, version) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision, version = excluded.version`,
        [name, store.area.id, revision, version],
      );
    });
    turn?.reached?.(revision);
  }
  return Math.max(0, (await store.revision()) - revision);
}

async function cursorOf(
  { name: collection, database }: CollectionStores,
  { area }: RecordStore,
  name: string,
  version: string,
): Promise<Cursor> {
  const [row] = await database.tuples<[revision: number, hasFaults: number]>(
    `SELECT coalesce((SELECT revision FROM accession_cursor WHERE name = $1 AND area = $2 AND version = $3), 0),
       CASE WHEN EXISTS (SELECT 1 FROM accession_fault WHERE collection = $4 AND area = $2) THEN 1 ELSE 0 END`,
    [name, area.id, version, collection],
  );
  return [row![0], row![1] === 1];
}

/** The first faults of all areas, how many there are, and how many changes are not checked yet. */
export async function listFaults(
  stores: CollectionStores,
  limit: number,
  options: FollowOptions,
): Promise<{ readonly items: RecordFault[]; readonly total: number; readonly pending: number }> {
  const items: RecordFault[] = [];
  let [total, pending] = [0, 0];
  for (const { area, store } of await areasOf(stores)) {
    pending += await followFaults(stores, store, options);
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
  { name, database }: Pick<CollectionStores, 'name' | 'database'>,
  area?: AreaId,
): Promise<number> {
  const [row] = await database.tuples<[number]>(
    `SELECT count(*) FROM accession_fault WHERE collection = $1 ${area ? 'AND area = $2' : ''}`,
    area ? [name, area.id] : [name],
  );
  return row![0];
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
