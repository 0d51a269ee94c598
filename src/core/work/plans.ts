/**
 * Plans: changes of many records that can be tried out, take effect in one transaction, and can be undone. Their patches are
 * staged before it (`storage/write/staged.ts`), in transactions of some hundred; records that change meanwhile are looked at
 * again, the last ones in the transaction itself. What is staged for a plan that is not carried out, because the process has
 * ended, is discarded later.
 */
import { isServiceError, ServiceError } from '../errors.ts';
import type { Database, Draft } from '../storage/database.ts';
import type { Patch } from '../storage/patch.ts';
import type { Reader } from '../storage/reader.ts';
import type { Actor, AreaId, ChangeNote, RecordStore, StoredRecord } from '../storage/store.ts';
import { yielder } from '../yield.ts';
import { keepPlan, type Plan } from './kept-plans.ts';
import {
  changedRecords,
  discardNowOrLater,
  inversePatches,
  iriOf,
  type PatchesByArea,
  putPatch,
  Staging,
} from './patches.ts';

/** Records that the transaction of a plan looks at itself. */
const MOST_LATE = 200;
/** How often a plan is staged again because more records have changed meanwhile. */
const PLAN_ATTEMPTS = 20;

/** Commits a transaction that may be prepared several times: {@link Database.transact}, or with more around it. */
type Commit = (prepare: (draft: Draft) => Promise<void>) => Promise<unknown>;

/** The areas that a plan changes, as whom and with which note. */
type PlanContext = {
  readonly plan: Plan;
  readonly by: Actor;
  readonly note: ChangeNote;
  areas(): Promise<readonly RecordStore[]>;
  readonly commit?: Commit;
};

/** The changes that a plan makes to records. */
export type PatchPlan = PlanContext & {
  /** The path below which other areas may be made meanwhile. */
  readonly below?: string;
  /** The records of an area that it may change; those that change meanwhile are looked at, too. */
  candidates(store: RecordStore): AsyncIterable<StoredRecord>;
  patchOf(record: StoredRecord, area: AreaId): Patch | undefined | Promise<Patch | undefined>;
};

/** The patches of all candidates in an area: the dry run of a plan. */
export async function* patchesIn(
  { candidates, patchOf }: PatchPlan,
  store: RecordStore,
): AsyncGenerator<Patch> {
  const yieldIfDue = yielder();
  for await (const record of candidates(store)) {
    const patch = await patchOf(record, store.area);
    if (patch) yield patch;
    await yieldIfDue();
  }
}

/** More records have changed since they were staged than one transaction looks at. */
class Behind extends Error {}

/**
 * Carries out a plan.
 *
 * @param prepare adds what else the plan changes, and returns what is kept of it. It has to call `patch`, with further
 *   patches of curated records that it has read, and gets the number of all
 * @throws ServiceError `busy`, and what `commit` and `prepare` throw: then nothing of it is left
 */
export async function carryOut<Kept extends object>(
  database: Database,
  patching: PatchPlan,
  prepare: (draft: Draft, patch: (own?: readonly Patch[]) => Promise<number>) => Promise<Kept>,
): Promise<Kept> {
  const { plan, areas, patchOf, commit = database.transact } = patching;
  const staging = new Staging(database, plan);
  /** By area, the revision up to which its records were looked at. */
  const seen = new Map<number, number>();
  let kept: Kept | undefined;
  try {
    for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt++) {
      for (const store of await areas()) {
        const { area } = store;
        const revision = await store.revision();
        const since = seen.get(area.id);
        if (since === undefined)
          for await (const patch of patchesIn(patching, store)) await staging.add(area, patch);
        else
          for await (const { iri, record } of changedRecords(database, store, since, revision))
            await staging.add(area, record && (await patchOf(record, area)), iri);
        seen.set(area.id, revision);
      }
      await staging.end();
      try {
        await commit(async (draft) => {
          kept = await prepare(draft, (own) => addPatches(draft, patching, staging, seen, own));
          keepPlan(draft, plan, 'done', kept);
        });
        return kept!;
      } catch (error) {
        if (!(error instanceof Behind)) throw error;
      }
    }
    throw new ServiceError('busy', 'Too many records are changed at the same time. Try again.');
  } catch (error) {
    await discardNowOrLater(database, plan.id);
    throw error;
  }
}

/** Adds all patches to a transaction, with those of the records that have changed since they were staged. */
async function addPatches(
  draft: Draft,
  patching: PatchPlan,
  staging: Staging,
  seen: ReadonlyMap<number, number>,
  own: readonly Patch[] = [],
): Promise<number> {
  const { plan, patchOf } = patching;
  const late: PatchesByArea = new Map();
  let looked = 0;
  for (const [store, since, revision] of await changedAreas(draft, patching, seen))
    for await (const { iri, record } of changedRecords(draft, store, since, revision)) {
      looked += 1;
      if (looked > MOST_LATE) throw new Behind();
      putPatch(late, store.area, iri, record && (await patchOf(record, store.area)));
    }
  for (const patch of own) putPatch(late, plan.area, iriOf(patch), patch);
  const counted = 'SELECT count(*) FROM accession_patch WHERE plan = $1';
  let [[records]] = (await draft.tuples<[number]>(counted, [plan.id])) as [[number]];
  for (const [{ id }, patches] of late) {
    const replaced = `${counted} AND area = $2 AND ${draft.dialect.among('iri', 3)}`;
    const [[n]] = (await draft.tuples(replaced, [plan.id, id, [...patches.keys()]])) as [[number]];
    records += [...patches.values()].filter((patch) => patch).length - n;
  }
  await addStaged(draft, patching, staging, late);
  return records;
}

/** The areas whose revision is not the one up to which they were looked at. */
async function changedAreas(
  draft: Draft,
  { areas, below }: PatchPlan,
  seen: ReadonlyMap<number, number>,
): Promise<[store: RecordStore, since: number, revision: number][]> {
  const known = new Map((await areas()).map((store) => [store.area.id, store]));
  const others = below ? 'OR path >= $2 AND path < $3' : '';
  const rows = await draft.tuples<[id: number, revision: number]>(
    `SELECT area, revision FROM accession_area WHERE ${draft.dialect.among('area', 1, 'bigint')} ${others} ORDER BY area`,
    [[...known.keys()], ...(below ? [`${below}/`, `${below}0`] : [])],
  );
  return rows.flatMap(([id, revision]): [RecordStore, number, number][] => {
    const since = seen.get(id) ?? 0;
    const store = known.get(id);
    if (since === revision) return [];
    // The area was made a moment ago.
    if (!store) throw new Behind();
    return [[store.within(draft), since, revision]];
  });
}

/**
 * Adds what is staged to a transaction. Of curated records, companions see the changes; what they keep of zones is made again
 * for another schema.
 */
async function addStaged(
  draft: Draft,
  { plan, by, note }: PlanContext,
  { areas }: Staging,
  late: PatchesByArea = new Map(),
): Promise<void> {
  for (const area of new Set([...areas, ...late.keys()]))
    await draft.staged(area, plan.id, {
      by,
      note,
      companions: area.id === plan.area.id,
      late: late.get(area),
    });
}

/** How a plan is undone. */
type UndoPlan = PlanContext & {
  /** The plan, if it can be undone; throws if it was undone meanwhile. */
  find(reader: Reader): Promise<object>;
  /** Adds what else is undone. @returns what is kept of the undo as a plan of its own, if it is one */
  prepare(draft: Draft): Promise<object | undefined>;
  /** Adds to a patch what only its room knows. */
  complete?(patch: Patch): Promise<Patch>;
};

/**
 * Undoes a plan: stages the patches that take its own back, then makes them in one transaction.
 *
 * @throws ServiceError `precondition_failed` if one of the records is not as the plan has made it
 */
export async function undoPlan(database: Database, id: string, undoing: UndoPlan): Promise<void> {
  const { plan, areas, find, prepare, commit = database.transact, complete } = undoing;
  const staging = new Staging(database, plan);
  try {
    for (const { area } of await areas())
      for await (const patch of inversePatches(database, id, area))
        await staging.add(area, complete ? await complete(patch) : patch);
    await staging.end();
    await commit(async (draft) => {
      await find(draft);
      const kept = await prepare(draft);
      await addStaged(draft, undoing, staging);
      draft.run("UPDATE accession_plan SET state = 'undone' WHERE id = $1", [id]);
      if (kept) keepPlan(draft, plan, 'done', kept);
    });
  } catch (error) {
    // Another undo, and not a change of the records, may have been faster. Of other errors, this one may have been made.
    if (isServiceError(error) && error.code === 'precondition_failed') await find(database);
    throw error;
  } finally {
    await discardNowOrLater(database, plan.id);
  }
  await discardNowOrLater(database, id);
}
