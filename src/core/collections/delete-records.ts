/** Deletes of records from one store: what refers to them, and what other clients delete meanwhile. */

import { fewAtOnce } from '../batches.ts';
import { KEEP } from '../durations.ts';
import { afterChange, isServiceError, orRefusal, ServiceError } from '../errors.ts';
import { type Condition, expectationFor, expectationIn } from '../records/condition.ts';
import { resolveIn } from '../records/record.ts';
import { MOST_REFERRERS, recordReferenced } from '../storage/links.ts';
import type { Actor, Expectation, RecordStore } from '../storage/store.ts';
import { timeOf } from '../storage/times.ts';
import { requireExpected, unexpected } from '../storage/write-records.ts';
import { BRIEFLY } from '../work/projections.ts';
import type { DeleteResult, RemoveItem } from './area.ts';
import type { Collection } from './collection.ts';
import { followLinks } from './link-projection.ts';

/** A store to delete from, its scope in entity tags, and who deletes. A zone that was never written to has no store. */
type Deletion = {
  readonly store: RecordStore | undefined;
  readonly scope: string;
  readonly by: Actor;
};

/**
 * Deletes a record.
 *
 * @param unreferenced whether it is refused if other records of the area refer to it
 * @throws ServiceError `record_missing`, `precondition_failed`, `record_referenced`, `prefix_unknown`, `busy`
 */
export async function removeRecord(
  collection: Collection,
  { store, scope, by }: Deletion,
  pid: string,
  condition: Condition | undefined,
  unreferenced = false,
): Promise<DeleteResult> {
  const iri = await resolveIn(collection.schema, store ? [store] : [], pid);
  if (!store) {
    requireExpected(condition && expectationIn(scope, condition, undefined), undefined, pid);
    throw recordMissing(pid);
  }
  if (unreferenced) await requireKnownLinks(collection, store);
  else await followLinks(collection, store, BRIEFLY);
  const present = condition && (await store.get(iri));
  const expect = condition && expectationIn(scope, condition, present);
  requireExpected(expect, present, pid);
  if (store.visibility) await requireSeen(store, { iri, pid, expect, unreferenced });
  try {
    const change = {
      delete: iri,
      // Records that the caller does not see are not in the way.
      unreferenced: unreferenced && !store.visibility,
      expect,
    };
    await store.write([change], by);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'record_missing') throw error;
    throw recordMissing(pid);
  }
  return removedFrom(store, iri);
}

/** For a caller who does not see every record. @throws ServiceError `precondition_failed`, `record_missing`, `record_referenced` */
async function requireSeen(
  store: RecordStore,
  deletion: {
    readonly iri: string;
    readonly pid: string;
    readonly expect: Expectation | undefined;
    readonly unreferenced: boolean;
  },
): Promise<void> {
  const { iri, pid, expect, unreferenced } = deletion;
  const record = await store.get(iri);
  requireExpected(expect, record, pid);
  if (!record) throw recordMissing(pid);
  const referrers = unreferenced ? await store.links.to(iri, { offset: 0, limit: MOST_REFERRERS }) : [];
  if (referrers.length > 0) throw recordReferenced(record.pid, referrers, await store.links.countTo(iri));
}

/** @throws ServiceError `busy` while it is not known what refers to what */
async function requireKnownLinks(collection: Collection, store: RecordStore): Promise<void> {
  if (await followLinks(collection, store, BRIEFLY)) return;
  const message = 'The references between the records are still being read: try again later.';
  throw new ServiceError('busy', message);
}

type Together = { readonly allOrNothing: boolean; readonly unreferenced: boolean | undefined };

/** Deletes many records, see `Area.removeMany`. */
export async function removeMany(
  collection: Collection,
  from: Deletion,
  items: readonly RemoveItem[],
  { allOrNothing, unreferenced }: Together,
): Promise<(ServiceError | DeleteResult)[]> {
  const { store, scope, by } = from;
  if (store && unreferenced) await requireKnownLinks(collection, store);
  if (!store || (unreferenced && !allOrNothing)) return removeEach(collection, from, items, unreferenced);
  if (!unreferenced) await followLinks(collection, store, BRIEFLY);
  const iris = await Promise.all(
    items.map(({ pid }) => orRefusal(resolveIn(collection.schema, [store], pid))),
  );
  const known = [...new Set(iris.filter((iri) => typeof iri === 'string'))];
  const { database } = collection;
  const { visibility } = store;
  const sql = `SELECT iri, policy, revision FROM accession_record WHERE area = $1 AND ${database.dialect.among('iri', 2)}`;
  let deleted: ReadonlySet<string> = new Set();
  try {
    const refusals = await database.transact(async (draft) => {
      const present = await draft.tuples<Present>(sql, [store.area.id, known]);
      const seen = new Map(
        present
          .filter(([, policy]) => visibility?.sees(policy) ?? true)
          .map(([iri, , revision]) => [iri, { revision }]),
      );
      const expected = await expectations(store, scope, iris, items);
      const found = iris.map((iri, at) => {
        if (typeof iri !== 'string') return iri;
        const { pid } = items[at]!;
        const record = seen.get(iri);
        return unexpected(expected[at], record, pid) ?? (record ? undefined : recordMissing(pid));
      });
      deleted = new Set(iris.filter((iri, at): iri is string => typeof iri === 'string' && !found[at]));
      if (allOrNothing && found.some((refusal) => refusal !== undefined))
        return found.map((refusal) => refusal ?? NOTHING_LEFT);
      if (unreferenced && visibility) {
        // Records that the caller does not see are not in the way.
        const outcomes = await Promise.all(iris.map((iri) => referred(store, iri, deleted)));
        if (outcomes.some((one) => isServiceError(one))) return outcomes;
      }
      const deletes = known
        .filter((iri) => deleted.has(iri))
        .map((iri) => ({ delete: iri, ...(unreferenced && !visibility && { unreferenced }) }));
      if (deletes.length > 0) await draft.write(store.area, deletes, by);
      return found;
    });
    return Promise.all(
      refusals.map(async (refusal, at) => refusal ?? (await removedFrom(store, iris[at] as string))),
    );
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'record_referenced') throw error;
    return Promise.all(iris.map((iri) => referred(store, iri, deleted)));
  }
}

/**
 * Deletes records one after the other. Once one is deleted, a failure of the storage is the outcome of those that are left: the client
 * has to learn which are gone.
 */
async function removeEach(
  collection: Collection,
  from: Deletion,
  items: readonly RemoveItem[],
  unreferenced: boolean | undefined,
): Promise<(ServiceError | DeleteResult)[]> {
  const outcomes: (ServiceError | DeleteResult)[] = [];
  try {
    for (const { pid, condition } of items)
      outcomes.push(await orRefusal(removeRecord(collection, from, pid, condition, unreferenced)));
    return outcomes;
  } catch (error) {
    const isBegun = outcomes.some((outcome) => !isServiceError(outcome));
    if (!isBegun || !isServiceError(error)) throw error;
    return items.map((_, at) => outcomes[at] ?? error);
  }
}

type Present = [iri: string, policy: string, revision: number];

/** What the conditions of deletes expect. Those of users are about texts, which are read few at a time: each may have 10 MB. */
async function expectations(
  store: RecordStore,
  scope: string,
  iris: readonly (string | ServiceError)[],
  items: readonly RemoveItem[],
): Promise<(Expectation | undefined)[]> {
  return fewAtOnce(items.entries(), async ([at, { condition }]) => {
    const iri = iris[at];
    return condition && typeof iri === 'string' ? expectationFor(store, scope, condition, iri) : undefined;
  });
}

async function removedFrom(store: RecordStore, iri: string): Promise<DeleteResult> {
  return { referrers: (await afterChange(store.links.countTo(iri))) ?? 0 };
}

const NOTHING_LEFT: DeleteResult = { referrers: 0 };

/** Why a record that is deleted together with others is kept: records that stay refer to it. */
async function referred(
  store: RecordStore,
  iri: string | ServiceError,
  deleted: ReadonlySet<string>,
): Promise<ServiceError | DeleteResult> {
  if (typeof iri !== 'string') return iri;
  const referrers = await store.links.to(iri, { offset: 0, limit: deleted.size + MOST_REFERRERS });
  const staying = referrers.filter((one) => !deleted.has(one.iri));
  const record = staying.length > 0 ? await store.get(iri) : undefined;
  if (!record) return NOTHING_LEFT;
  const number = new Set(staying.map((one) => one.iri)).size;
  return recordReferenced(record.pid, staying.slice(0, MOST_REFERRERS), number);
}

export function recordMissing(pid: string): ServiceError {
  return new ServiceError('record_missing', `This area has no record with the pid '${pid}'.`);
}

/** The outcome of a delete for those who may not read the area: without the records that refer to the deleted one. */
export function withoutReferrers(outcome: ServiceError | DeleteResult): ServiceError | DeleteResult {
  if (!isServiceError(outcome)) return NOTHING_LEFT;
  if (outcome.code !== 'record_referenced') return outcome;
  return new ServiceError('record_referenced', 'The record is kept: other records refer to it.');
}

/** Of the last changes, so many are looked at for a delete. */
const LOOKED_AT = 10;

/**
 * Whether a client empties a zone by walking through its pages and deleting their records, as curators' clients do. Such a
 * walk meets pages that have moved past the end because of its own deletes; they hold the last records of the zone then, so
 * the walk finds all records and ends (docs/compatibility.md).
 */
export async function isBeingEmptied({ entries }: RecordStore): Promise<boolean> {
  const since = timeOf((Date.now() - KEEP.deletes) * 1000);
  const last = await entries({ newestFirst: true, limit: LOOKED_AT, since });
  return last.some(
    ({ kind, role, decision }) => kind === 'delete' && role === 'curator' && decision === undefined,
  );
}
