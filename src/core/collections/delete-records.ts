/** Deletes of records from one store: what refers to them, and what other clients delete meanwhile. */

import { fewAtOnce } from '../batches.ts';
import { KEEP } from '../durations.ts';
import { afterChange, isServiceError, orRefusal, ServiceError } from '../errors.ts';
import { type Condition, expectationFor, expectationIn } from '../records/condition.ts';
import { resolveIn } from '../records/record.ts';
import type { Draft } from '../storage/database.ts';
import { MOST_REFERRERS, recordReferenced, referrersOf } from '../storage/read/links.ts';
import type { Actor, Expectation, RecordStore, Referrer } from '../storage/store.ts';
import { timeOf } from '../storage/times.ts';
import { requireExpected, unexpected } from '../storage/write/records.ts';
import { BRIEFLY } from '../work/projections.ts';
import { yielder } from '../yield.ts';
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
  if (!store) throw missingIn(scope, { pid, condition });
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

/** Deletes many records in one transaction, see `Area.removeMany`. */
export async function removeMany(
  collection: Collection,
  { store, scope, by }: Deletion,
  items: readonly RemoveItem[],
  { allOrNothing, unreferenced = false }: Together,
): Promise<(ServiceError | DeleteResult)[]> {
  if (store && unreferenced) await requireKnownLinks(collection, store);
  else if (store) await followLinks(collection, store, BRIEFLY);
  const stores = store ? [store] : [];
  const iris = await Promise.all(
    items.map(({ pid }) => orRefusal(resolveIn(collection.schema, stores, pid))),
  );
  if (!store) return iris.map((iri, at) => (isServiceError(iri) ? iri : missingIn(scope, items[at]!)));
  const refusals = await collection.database.transact(async (draft) => {
    const known = await presentOf(draft, store, iris);
    const expected = await expectations(store, scope, iris, items);
    const found = iris.map((iri, at) => {
      if (typeof iri !== 'string') return iri;
      const { pid } = items[at]!;
      const record = known.get(iri);
      return unexpected(expected[at], record, pid) ?? (record ? undefined : recordMissing(pid));
    });
    const accepted = iris.filter((_, at) => !found[at]).map((iri) => known.get(iri as string)!);
    const kept = unreferenced ? await referencedOf(draft, store, accepted, allOrNothing) : NONE_KEPT;
    const refused = found.map((refusal, at) => refusal ?? kept.get(iris[at] as string));
    if (allOrNothing && refused.some((refusal) => refusal !== undefined))
      return refused.map((refusal) => refusal ?? NOTHING_LEFT);
    const deleted = new Set(accepted.map(({ iri }) => iri).filter((iri) => !kept.has(iri)));
    const changes = [...deleted].map((iri) => ({ delete: iri }));
    if (changes.length > 0) await draft.write(store.area, changes, by);
    return refused;
  });
  return Promise.all(
    refusals.map(async (refusal, at) => refusal ?? (await removedFrom(store, iris[at] as string))),
  );
}

type Present = { readonly iri: string; readonly pid: string; readonly revision: number };

/** The records that there are and that the caller sees, by their IRI. */
async function presentOf(
  draft: Draft,
  { area, visibility }: RecordStore,
  iris: readonly (string | ServiceError)[],
): Promise<ReadonlyMap<string, Present>> {
  const asked = [...new Set(iris.filter((iri) => typeof iri === 'string'))];
  const rows = await draft.tuples<[iri: string, pid: string, revision: number, policy: string]>(
    `SELECT iri, pid, revision, policy FROM accession_record
     WHERE area = $1 AND ${draft.dialect.among('iri', 2)} ORDER BY iri`,
    [area.id, asked],
  );
  const seen = rows.filter(([, , , policy]) => visibility?.sees(policy) ?? true);
  return new Map(seen.map(([iri, pid, revision]) => [iri, { iri, pid, revision }]));
}

const NONE_KEPT: ReadonlyMap<string, ServiceError> = new Map();

/**
 * Of records that are deleted one after the other, or `together`, those that are kept because records that stay refer to them. The
 * transaction is prepared again if such references change before the commit.
 */
async function referencedOf(
  draft: Draft,
  store: RecordStore,
  records: readonly Present[],
  together: boolean,
): Promise<ReadonlyMap<string, ServiceError>> {
  const kept = new Map<string, ServiceError>();
  const deleted = new Set(together ? records.map(({ iri }) => iri) : []);
  const yieldIfDue = yielder();
  for (const { iri, pid } of records) {
    await yieldIfDue();
    const most = deleted.size + MOST_REFERRERS;
    const [referrers, number] = await referrersSeen(draft, store, iri, most);
    const staying = referrers.filter((one) => !deleted.has(one.iri));
    if (staying.length === 0) deleted.add(iri);
    else {
      const leaving = new Set(referrers.map((one) => one.iri).filter((one) => deleted.has(one)));
      kept.set(iri, recordReferenced(pid, staying.slice(0, MOST_REFERRERS), number - leaving.size));
    }
  }
  return kept;
}

/** The first references to a record, and how many records refer to it. Records that the caller does not see are not in the way. */
async function referrersSeen(
  draft: Draft,
  { area, visibility, links }: RecordStore,
  iri: string,
  most: number,
): Promise<[readonly Referrer[], number]> {
  if (!visibility) return referrersOf(draft, area.id, iri, most);
  const referrers = await links.to(iri, { offset: 0, limit: most });
  return [referrers, referrers.length > 0 ? await links.countTo(iri) : 0];
}

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

/** Why nothing is deleted from a zone that was never written to. */
function missingIn(scope: string, { pid, condition }: RemoveItem): ServiceError {
  return (
    unexpected(condition && expectationIn(scope, condition, undefined), undefined, pid) ?? recordMissing(pid)
  );
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
