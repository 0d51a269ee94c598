/**
 * Renames and merges curated records: the record, and every reference to it in the curated area, in one transaction. Each can
 * be undone. The entry that deletes a record names the plan, which has its new pid.
 */

import { followLinks } from '../../core/collections/link-projection.ts';
import type { CollectionStores } from '../../core/collections/stores.ts';
import { ServiceError } from '../../core/errors.ts';
import type { SubmissionTags } from '../../core/records/annotate.ts';
import { resolvePid } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { flagSchema, listOf, objectOf, type Shape, textSchema } from '../../core/shapes.ts';
import type { Database } from '../../core/storage/database.ts';
import type { Patch } from '../../core/storage/patch.ts';
import { referrerPages } from '../../core/storage/read/links.ts';
import type { Reader } from '../../core/storage/reader.ts';
import {
  type Actor,
  type AreaId,
  linkLines,
  type RecordStore,
  type StoredRecord,
} from '../../core/storage/store.ts';
import { keptPlans, newPlan } from '../../core/work/kept-plans.ts';
import { patchedRecords } from '../../core/work/patches.ts';
import { carryOut, type PatchPlan, patchesIn, undoPlan } from '../../core/work/plans.ts';
import { runIfLong } from '../../core/work/pool.ts';
import { linksIn } from '../../core/work/tasks.ts';
import type { Take } from '../claims/merge.ts';
import type {} from './codes.ts';
import { type LeftOutOf, type MovedRecord as MovedText, refusedBody } from './rewrite.ts';
import { mergedIn, renamedIn, retargetedIn } from './tasks.ts';

const moveProperties = {
  id: textSchema,
  kind: { enum: ['rename', 'merge'] },
  from: textSchema,
  to: textSchema,
  time: { type: 'string', format: 'date-time' },
  by: textSchema,
  records: { type: 'integer', description: 'The number of records that change.' },
} as const;

/** A rename or a merge. */
const moveSchema = objectOf(moveProperties);
type Move = Shape<typeof moveSchema>;
export const movesSchema = objectOf({ items: listOf(moveSchema) });

export const moveReportSchema = objectOf({
  ...moveProperties,
  dry_run: flagSchema,
  changes: listOf(objectOf({ pid: textSchema, class: textSchema, deleted: flagSchema })),
  left_out: {
    ...listOf(
      objectOf({
        pid: textSchema,
        path: { ...textSchema, description: 'JSON Pointer into the record as it was.' },
        reason: {
          enum: ['repeated', 'itself'],
          description:
            '`repeated`: the list or mapping would have it twice, and keeps it once. `itself`: the record would refer to itself.',
        },
      }),
    ),
    description: 'The references that the records that change do not have any more.',
  },
});
/** The changes of a move that is planned or made. */
type MoveReport = Shape<typeof moveReportSchema>;
type MovedRecord = MoveReport['changes'][number];

type MovingStores = CollectionStores & {
  readonly submissionTags?: SubmissionTags;
  /** Refuses what was read with a schema that the collection has replaced. */
  readonly transact: Database['transact'];
};

/** How a move is made. */
type Moving = { readonly by: Actor; readonly dryRun: boolean };

type Read = (iri: string) => Promise<StoredRecord | undefined>;

/** The changes of a move, without the records that refer to the one that is gone. */
type Step = {
  readonly from: string;
  readonly to: string;
  /** The IRI that is gone, and the one that is there in its place; the same if only the spelling of a pid changes. */
  readonly gone: string;
  readonly target: string;
  readonly own: readonly Patch[];
  /** What the record that stays does not refer to any more. */
  readonly leftOut: readonly LeftOutOf[];
};

/**
 * Renames a record.
 *
 * @throws ServiceError `record_missing`, `pid_taken`, `prefix_unknown`, `payload_invalid`, `record_invalid`, `busy`
 */
export function rename(
  stores: MovingStores,
  { from, to }: { readonly from: string; readonly to: string },
  moving: Moving,
): Promise<MoveReport> {
  const { schema, pool } = stores;
  return move(stores, 'rename', moving, async (read) => {
    const record = await recordOf(schema, read, from);
    if (to === record.pid) throw refusedBody(['to'], 'expected another pid than the record has');
    const iri = resolvePid(schema, to);
    if (iri !== record.iri && (await read(iri)))
      throw new ServiceError(
        'pid_taken',
        `There is a curated record '${to}' already: merge the two instead.`,
      );
    const renamed = await runIfLong(pool, renamedIn, { schema, record, to }, record.json.length);
    const own = [{ before: record, after: renamed.record }];
    return { from: record.pid, to, gone: record.iri, target: iri, own, leftOut: renamed.leftOut };
  });
}

type MergeRequest = { readonly keep: string; readonly drop: string; readonly take: Take };

/**
 * Merges a record into another one: what only one of them has is kept, what both have and differ in is a conflict until
 * `take` names a side, `curated` for the kept one or `submitted` for the dropped one.
 *
 * @throws ServiceError `record_missing`, `merge_conflict`, `record_invalid`, `class_unknown`, `payload_invalid`, `busy`
 */
export function mergeRecords(
  stores: MovingStores,
  request: MergeRequest,
  moving: Moving,
): Promise<MoveReport> {
  return move(stores, 'merge', moving, async (read) => {
    const { schema } = stores;
    const kept = await recordOf(schema, read, request.keep);
    const dropped = await recordOf(schema, read, request.drop);
    const { record, leftOut } = await merged(stores, kept, dropped, request.take);
    const own = [
      { before: kept, after: record },
      { before: dropped, after: null },
    ];
    return { from: dropped.pid, to: kept.pid, gone: dropped.iri, target: kept.iri, own, leftOut };
  });
}

async function merged(
  { schema, submissionTags: tags, pool }: MovingStores,
  kept: StoredRecord,
  dropped: StoredRecord,
  take: Take,
): Promise<MovedText> {
  if (kept.iri === dropped.iri) throw refusedBody(['drop'], 'expected the pid of another record than keep');
  if (!schema.classes.has(kept.className) || !schema.classes.has(dropped.className))
    throw new ServiceError(
      'class_unknown',
      'A record whose class the schema does not have cannot be merged.',
    );
  const [one, other] = [kept.className, dropped.className];
  if (!schema.descendants(one).includes(other) && !schema.descendants(other).includes(one))
    throw refusedBody(['drop'], `expected a record of the class ${one}, found one of the class ${other}`);
  return runIfLong(
    pool,
    mergedIn,
    { schema, tags, kept, dropped, take },
    kept.json.length + dropped.json.length,
  );
}

async function recordOf(schema: Schema, read: Read, pid: string): Promise<StoredRecord> {
  const record = await read(resolvePid(schema, pid));
  if (record) return record;
  throw new ServiceError('record_missing', `There is no curated record '${pid}'.`);
}

/** Makes a move, or only reports it. @param prepare is called several times, and checks what it reads */
async function move(
  stores: MovingStores,
  kind: Move['kind'],
  { by, dryRun }: Moving,
  prepare: (read: Read) => Promise<Step>,
): Promise<MoveReport> {
  const { schema, database, curated, pool } = stores;
  const { area } = curated;
  const plan = await newPlan(kind, stores);
  const { from, to, gone, target, own, leftOut } = await prepare(curated.get);
  const leftOutOf = new Map<string, readonly LeftOutOf[]>([[target, leftOut]]);
  const patching: PatchPlan = {
    plan,
    by,
    note: { batch: plan.id, message: `${kind}: ${from} is ${to} now` },
    areas: async () => [curated],
    commit: (work) => stores.transact(work),
    candidates: (store) => referringRecords(stores, store, gone),
    async patchOf(record) {
      // The record that stays is one of those that the transaction reads itself.
      if (gone === target || record.iri === target) return undefined;
      const moved = await runIfLong(pool, retargetedIn, { schema, record, gone, to }, record.json.length);
      if (moved && moved.leftOut.length > 0) leftOutOf.set(record.iri, moved.leftOut);
      else leftOutOf.delete(record.iri);
      return moved && { before: record, after: moved.record };
    },
  };
  const report = { id: plan.id, kind, from, to, time: plan.time, by: by.author };
  const left = () => [...leftOutOf.values()].flat();
  if (dryRun) {
    const changes = new Map(own.map((patch) => [patch.before!.iri, movedRecord(patch)]));
    for await (const patch of patchesIn(patching, curated))
      if (!changes.has(patch.before!.iri)) changes.set(patch.before!.iri, movedRecord(patch));
    return {
      ...report,
      records: changes.size,
      dry_run: true,
      changes: [...changes.values()],
      left_out: left(),
    };
  }
  const { records } = await carryOut<KeptMove>(database, patching, async (draft, patch) => {
    const step = await prepare(async (iri) => {
      const found = await draft.record(area, iri);
      return found && { iri, ...found };
    });
    leftOutOf.set(target, step.leftOut);
    return { ...report, records: await patch(step.own), iri: gone };
  });
  const changes = await changesOf(stores, plan.id);
  return { ...report, records, dry_run: false, changes, left_out: left() };
}

/** The records that refer to an IRI, those that do more than once perhaps repeatedly. */
async function* referringRecords(
  stores: MovingStores,
  store: RecordStore,
  iri: string,
): AsyncGenerator<StoredRecord> {
  await followLinks(stores, store);
  for await (const iris of referrerPages(stores.database, store.area, iri)) yield* store.records(iris);
}

function movedRecord({ before, after }: Patch): MovedRecord {
  return { pid: before!.pid, class: before!.className, deleted: after === null };
}

/** Returns the changes of a move that was made. */
async function changesOf({ database, curated }: MovingStores, id: string): Promise<MovedRecord[]> {
  const changes: MovedRecord[] = [];
  for await (const { pid, className, isDeleted } of patchedRecords(database, id, curated.area))
    changes.push({ pid, class: className, deleted: isDeleted });
  return changes;
}

export type KeptMove = Move & { readonly iri: string };

/**
 * Undoes a rename or merge.
 *
 * @throws ServiceError `move_unknown`, `already_undone`, `precondition_failed` if one of its records has changed since
 */
export async function undoMove(stores: MovingStores, id: string, by: Actor): Promise<MoveReport> {
  const { schema, database, curated, pool } = stores;
  const { area } = curated;
  const find = (reader: Reader) => keptMove(reader, area, id);
  const { iri: _, ...kept } = await find(database);
  const changes = (await changesOf(stores, id)).map((one) => ({ ...one, deleted: false }));
  await undoPlan(database, id, {
    plan: await newPlan('undo', stores),
    by,
    find,
    note: { batch: id },
    areas: async () => [curated],
    commit: (work) => stores.transact(work),
    prepare: async () => undefined,
    async complete({ before, after }) {
      if (!after) return { before, after };
      const links = await runIfLong(pool, linksIn, { schema, ...after }, after.json.length);
      return { before, after: { ...after, links: linkLines(links) } };
    },
  });
  return { ...kept, dry_run: false, changes, left_out: [] };
}

export const MOVES = ['rename', 'merge'] as const;

/** @throws ServiceError `move_unknown`, `already_undone` */
async function keptMove(reader: Reader, area: AreaId, id: string): Promise<KeptMove> {
  const [found] = await keptPlans<KeptMove>(reader, area, MOVES, { id });
  if (!found) throw new ServiceError('move_unknown', `There is no rename or merge '${id}' to undo.`);
  const { state, ...move } = found;
  if (state === 'undone') throw new ServiceError('already_undone', `The ${move.kind} '${id}' was undone.`);
  return move;
}

/** The renames and merges that can be undone, newest first. */
export async function listMoves(
  { database, curated }: Pick<CollectionStores, 'database' | 'curated'>,
  limit: number,
): Promise<Move[]> {
  const kept = await keptPlans<KeptMove>(database, curated.area, MOVES, { state: 'done' }, limit);
  return kept.map(({ iri: _, state: _state, ...move }) => move);
}
