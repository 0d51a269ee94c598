/**
 * Renames and merges curated records: the record, every reference to it in the curated area, and where the former pid
 * went, in one transaction. Each can be undone.
 */
import { type Problem, ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, pointerKeys } from '../json.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import { claimOf } from '../records/claim.ts';
import { linksOf } from '../records/links.ts';
import { mergeRecords as mergeSides, namedPaths, type Take } from '../records/merge.ts';
import { definedRecord, type RecordText, recordText, resolvePid } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database, Draft, Reader } from '../storage/database.ts';
import { type Patch, unstagePatch } from '../storage/staged.ts';
import type { Actor, AreaId, StoredRecord } from '../storage/store.ts';
import { followLinks } from './follow-links.ts';
import {
  changedRecords,
  discardPatches,
  inversePatches,
  keepPlan,
  makePatches,
  MOST_DIRECT,
  newPlan,
  type Plan,
  recordsUnder,
  Staging,
} from './plans.ts';
import type { CollectionStores } from './stores.ts';

/** A rename or a merge. */
export type Move = {
  readonly id: string;
  readonly kind: 'rename' | 'merge';
  readonly from: string;
  readonly to: string;
  readonly time: string;
  readonly by: string;
  /** Records that were changed, created or deleted. */
  readonly records: number;
};

/** What a move changes, or has changed. */
export type MoveReport = Move & {
  readonly dry_run: boolean;
  readonly changes: readonly MovedRecord[];
};

type MovedRecord = { readonly pid: string; readonly class: string; readonly deleted: boolean };

type MovingStores = CollectionStores & { readonly submissionTags?: SubmissionTags };

/** How a move is made. */
export type Moving = { readonly by: Actor; readonly dryRun: boolean };

type Read = (iri: string) => Promise<StoredRecord | undefined>;

/** What a move does, besides the records that refer to the one that is gone. */
type Step = {
  readonly from: string;
  readonly to: string;
  /** The IRI that is gone, and the one that is there in its place; the same if only the spelling of a pid changes. */
  readonly gone: string;
  readonly target: string;
  readonly own: readonly Patch[];
};

/**
 * Renames a record.
 *
 * @throws ServiceError `record_missing`, `pid_taken`, `prefix_unknown`, `record_invalid`, `busy`
 */
export function rename(
  stores: MovingStores,
  { from, to }: { readonly from: string; readonly to: string },
  moving: Moving,
): Promise<MoveReport> {
  const { schema } = stores;
  return move(stores, 'rename', moving, async (read) => {
    const record = await recordOf(schema, read, from);
    const iri = resolvePid(schema, to);
    if (iri !== record.iri && (await read(iri)))
      throw new ServiceError('pid_taken', `There is a curated record '${to}' already: merge the two instead.`);
    const renamed = { ...definedRecord(schema, record), pid: to };
    const own = [{ before: record, after: rewritten(schema, record.className, renamed, record.iri, to) }];
    return { from: record.pid, to, gone: record.iri, target: iri, own };
  });
}

export type MergeRequest = { readonly keep: string; readonly drop: string; readonly take: Take };

/**
 * Merges a record into another one: what only one of them has is kept, what both have and differ in is a conflict until
 * `take` names a side, `curated` for the kept one or `submitted` for the dropped one.
 *
 * @throws ServiceError `record_missing`, `merge_conflict`, `record_invalid`, `class_unknown`, `payload_invalid`, `busy`
 */
export function mergeRecords(stores: MovingStores, request: MergeRequest, moving: Moving): Promise<MoveReport> {
  return move(stores, 'merge', moving, async (read) => {
    const { schema } = stores;
    const kept = await recordOf(schema, read, request.keep);
    const dropped = await recordOf(schema, read, request.drop);
    const after = merged(stores, kept, dropped, request.take);
    const own = [
      { before: kept, after },
      { before: dropped, after: null },
    ];
    return { from: dropped.pid, to: kept.pid, gone: dropped.iri, target: kept.iri, own };
  });
}

function merged(
  { schema, submissionTags }: MovingStores,
  kept: StoredRecord,
  dropped: StoredRecord,
  take: Take,
): RecordText {
  if (kept.iri === dropped.iri) throw refusedBody(['drop'], 'expected the pid of another record than keep');
  if (!schema.classes.has(kept.className) || !schema.classes.has(dropped.className))
    throw new ServiceError('class_unknown', 'A record whose class the schema does not have cannot be merged.');
  const claim = (className: string, record: JsonObject) => claimOf(schema, { className, record }, submissionTags);
  const result = mergeSides(
    schema,
    {
      base: undefined,
      curated: claim(kept.className, definedRecord(schema, kept)),
      submitted: claim(dropped.className, { ...definedRecord(schema, dropped), pid: kept.pid }),
    },
    take,
  );
  if (result.kind === 'unknown_paths') {
    const { named, more } = namedPaths(result.paths);
    throw refusedBody(['take'], `there is no difference at ${named.join(', ')}${more}`);
  }
  if (result.kind === 'conflicts') throw mergeConflict(result.differences);
  const { className, record } = result.result ?? {
    className: kept.className,
    record: definedRecord(schema, kept),
  };
  return rewritten(schema, className, { ...record, pid: kept.pid }, dropped.iri, kept.pid);
}

function mergeConflict(differences: readonly { path: string; curated: unknown; submitted: unknown }[]) {
  const problems = differences.map(({ path, curated, submitted }): Problem => {
    const msg = `Both records have a value at '${path}': choose one with take.`;
    return { type: 'merge_conflict', loc: [path], msg, input: { keep: curated, drop: submitted } };
  });
  return new ServiceError('merge_conflict', 'The two records contradict each other.', problems);
}

function refusedBody(path: string[], msg: string): ServiceError {
  const loc = ['body', ...path];
  return new ServiceError('payload_invalid', `${loc.join('.')}: ${msg}`, [
    { type: 'payload_invalid', loc, msg },
  ]);
}

async function recordOf(schema: Schema, read: Read, pid: string): Promise<StoredRecord> {
  const record = await read(resolvePid(schema, pid));
  if (record) return record;
  throw new ServiceError('record_missing', `There is no curated record '${pid}'.`);
}

/** A move is prepared again this often because many references have changed meanwhile. */
const MOVE_ATTEMPTS = 20;

/** Makes a move, or only reports it. @param prepare is called several times, and checks what it reads */
async function move(
  stores: MovingStores,
  kind: Move['kind'],
  { by, dryRun }: Moving,
  prepare: (read: Read) => Promise<Step>,
): Promise<MoveReport> {
  const { database, curated } = stores;
  const plan = newPlan(kind, stores);
  const first = await prepare(curated.get);
  await followLinks(stores, curated);
  if (dryRun) return dryRunOf(stores, plan, first, by);
  const staging = new Staging(database, plan);
  let staged: Staged = {};
  try {
    for (let attempt = 1; attempt <= MOVE_ATTEMPTS; attempt++) {
      const report = await database.transact((draft) => carryOut(draft, stores, plan, staged, by, prepare));
      if (report) return { ...report, changes: staged.since === undefined ? report.changes : await changesOf(stores, plan) };
      staged = await stageReferrers(stores, plan, staging, first, staged);
    }
    throw new ServiceError('busy', 'Other records that refer to this one are stored all the time. Try again.');
  } catch (error) {
    await discardPatches(database, plan.id);
    throw error;
  }
}

/** The revision of the area since which referrers that have changed are not staged; undefined while none are. */
type Staged = { readonly since?: number };

/** Adds a move to a transaction. @returns undefined if too many referrers would have to be read in it */
async function carryOut(
  draft: Draft,
  { schema, curated: { area } }: MovingStores,
  plan: Plan & { readonly time: string },
  { since }: Staged,
  by: Actor,
  prepare: (read: Read) => Promise<Step>,
): Promise<MoveReport | undefined> {
  const read: Read = async (iri) => {
    const found = await draft.record(area, iri);
    return found && { iri, ...found };
  };
  const { from, to, gone, target, own } = await prepare(read);
  const iris = new Set(own.map(({ before }) => before!.iri));
  const [known] = await draft.tuples<[number]>(
    'SELECT 1 FROM accession_area WHERE area = $1 AND links_key = $2 AND links_revision >= links_since',
    [area.id, schema.digest],
  );
  const late = gone === target ? [] : await referrersSince(draft, plan, area, gone, since);
  if (!known || late.length > MOST_DIRECT) return undefined;
  const [count] = await draft.tuples<[number]>('SELECT count(*) FROM accession_patch WHERE plan = $1', [plan.id]);
  let records = count![0];
  const patches = [...own];
  const others = late.filter(([iri]) => !iris.has(iri));
  for (const [iri, isStaged] of others) {
    if (!isStaged) continue;
    unstagePatch(draft, plan.id, area, iri);
    records--;
  }
  for (const record of await recordsUnder(draft, area, others.map(([iri]) => iri))) {
    const patch = referringPatch(schema, record, gone, to);
    if (patch) patches.push(patch);
  }
  records += patches.length;
  const note = { batch: plan.id, message: `${plan.kind}: ${from} is ${to} now` };
  if (since !== undefined) await draft.staged(area, plan.id, by, { note, companions: true });
  await makePatches(draft, plan.id, area, patches, by, note);
  const made = { id: plan.id, kind: plan.kind as Move['kind'], from, to, time: plan.time, by: by.author, records };
  keepPlan(draft, plan, 'done', { ...made, iri: gone });
  if (gone !== target) {
    draft.run(
      `INSERT INTO accession_moved (area, iri, target, plan) VALUES ($1, $2, $3, $4)
       ON CONFLICT (area, iri) DO UPDATE SET target = excluded.target, plan = excluded.plan`,
      [area.id, gone, target, plan.id],
    );
    draft.run('DELETE FROM accession_moved WHERE area = $1 AND iri = $2', [area.id, target]);
  }
  return { ...made, dry_run: false, changes: patches.map(movedRecord) };
}

/**
 * The records that refer to an IRI; those of them that have changed since a revision, and staged ones that have changed
 * since. One more than a transaction handles is enough. What is returned is exact if links are known.
 */
function referrersSince(
  draft: Draft,
  { id }: Plan,
  area: AreaId,
  iri: string,
  since: number | undefined,
): Promise<[iri: string, isStaged: number][]> {
  const limit = MOST_DIRECT + 1;
  if (since === undefined)
    return draft.tuples(
      'SELECT DISTINCT iri, 0 FROM accession_link WHERE area = $1 AND target = $2 AND iri <> $2 ORDER BY iri LIMIT $3',
      [area.id, iri, limit],
    );
  return draft.tuples(
    `SELECT iri, isStaged FROM (
       SELECT iri,
         CASE WHEN EXISTS (SELECT 1 FROM accession_link l WHERE l.area = $1 AND l.iri = e.iri AND l.target = $2)
           THEN 1 ELSE 0 END AS refers,
         CASE WHEN EXISTS (SELECT 1 FROM accession_patch p WHERE p.plan = $3 AND p.area = $1 AND p.iri = e.iri)
           THEN 1 ELSE 0 END AS isStaged
       FROM (SELECT DISTINCT iri FROM accession_entry WHERE area = $1 AND revision > $4 AND iri <> $2) e
     ) changed WHERE refers = 1 OR isStaged = 1 ORDER BY iri LIMIT $5`,
    [area.id, iri, id, since, limit],
  );
}

/** Stages the patches of all referrers, or of those that have changed since the last time. */
async function stageReferrers(
  stores: MovingStores,
  plan: Plan,
  staging: Staging,
  { gone, to, own }: Step,
  staged: Staged,
): Promise<Staged> {
  const { schema, curated, database } = stores;
  const { area } = curated;
  const since = await curated.revision();
  // What is stored without its links before that revision is found, too.
  await followLinks(stores, curated);
  const iris = new Set(own.map(({ before }) => before!.iri));
  const changedSince = staged.since === undefined ? undefined : changedRecords(database, area, staged.since, since);
  for await (const page of changedSince ?? referringRecords(database, area, gone))
    for (const { iri, record } of page) {
      const patch = record && !iris.has(iri) ? referringPatch(schema, record, gone, to) : undefined;
      if (patch) await staging.add(area, patch);
      else if (changedSince) await database.transact(async (draft) => unstagePatch(draft, plan.id, area, iri));
    }
  await staging.end();
  return { since };
}

type Page = readonly { readonly iri: string; readonly record: StoredRecord | undefined }[];

const PAGE = 200;

/** The records that refer to an IRI: each has a first link to it. */
async function* referringRecords(database: Database, { id }: AreaId, iri: string): AsyncGenerator<Page> {
  for (let after = 0; ; ) {
    const rows = await database.read<StoredRecord & { readonly link: number }>(
      `SELECT l.id AS link, r.iri, r.pid, r.class_name AS "className", r.json, r.revision FROM (
         SELECT id, area, iri FROM accession_link f WHERE area = $1 AND target = $2 AND iri <> $2 AND id > $3
           AND NOT EXISTS (SELECT 1 FROM accession_link o
             WHERE o.area = f.area AND o.iri = f.iri AND o.target = f.target AND o.id < f.id)
         ORDER BY id LIMIT ${PAGE}
       ) l JOIN accession_record r ON r.area = l.area AND r.iri = l.iri ORDER BY l.id`,
      [id, iri, after],
    );
    yield rows.map(({ link: _, ...record }) => ({ iri: record.iri, record }));
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.link;
  }
}

async function dryRunOf(
  { schema, database, curated }: MovingStores,
  plan: Plan & { readonly time: string },
  { from, to, gone, target, own }: Step,
  by: Actor,
): Promise<MoveReport> {
  const changes = own.map(movedRecord);
  const iris = new Set(own.map(({ before }) => before!.iri));
  if (gone !== target)
    for await (const page of referringRecords(database, curated.area, gone))
      for (const { iri, record } of page) {
        const patch = iris.has(iri) ? undefined : referringPatch(schema, record!, gone, to);
        if (patch) changes.push(movedRecord(patch));
      }
  const { id, kind, time } = plan;
  return {
    ...{ id, kind: kind as Move['kind'], from, to, time, by: by.author },
    ...{ records: changes.length, dry_run: true, changes },
  };
}

/** The patch of a record that refers to an IRI; undefined if it does not. */
function referringPatch(schema: Schema, record: StoredRecord, iri: string, pid: string): Patch | undefined {
  const { className } = record;
  const object = definedRecord(schema, record);
  if (!linksOf(schema, className, object).some((link) => link.iri === iri)) return undefined;
  return { before: record, after: rewritten(schema, className, object, iri, pid) };
}

function movedRecord({ before, after }: Patch): MovedRecord {
  return { pid: before!.pid, class: before!.className, deleted: after === null };
}

/** What a move changes, if that was staged. */
async function changesOf({ database }: MovingStores, plan: Plan): Promise<MovedRecord[]> {
  const changes: MovedRecord[] = [];
  for (let after = ''; ; ) {
    const rows = await database.tuples<[iri: string, pid: string, className: string, newIri: string | null]>(
      `SELECT iri, pid, class_name, new_iri FROM accession_patch WHERE plan = $1 AND area = $2 AND iri > $3
       ORDER BY iri LIMIT ${PAGE}`,
      [plan.id, plan.area.id, after],
    );
    for (const [, pid, name, newIri] of rows) changes.push({ pid, class: name, deleted: newIri === null });
    if (rows.length < PAGE) return changes;
    after = rows.at(-1)![0];
  }
}

/**
 * A record with a pid in place of every reference to an IRI.
 *
 * @throws ServiceError `record_invalid` if it was valid before and is not with the other pid
 */
function rewritten(schema: Schema, className: string, record: JsonObject, iri: string, pid: string): RecordText {
  const links = linksOf(schema, className, record).filter((link) => link.iri === iri);
  const result = structuredClone(record);
  // A key is renamed after what is below it.
  for (const { path } of links.sort((a, b) => b.path.length - a.path.length)) replaceAt(result, path, pid);
  const checked = schema.check(className, result);
  if (!checked.valid && schema.check(className, record).valid)
    throw new ServiceError(
      'record_invalid',
      `The record '${record.pid}' would be invalid.`,
      checked.problems,
    );
  return recordText(schema, { className, record: checked.valid ? checked.record : result });
}

/** Puts a pid where a JSON Pointer leads: a string, the pid of an object, or the key of a mapping. */
function replaceAt(record: JsonObject, path: string, pid: string): void {
  const keys = pointerKeys(path);
  const last = keys.pop() as string;
  let parent: JsonValue = record;
  for (const key of keys) parent = (parent as JsonObject)[key] as JsonValue;
  const holder = parent as JsonObject;
  const value = holder[last];
  if (typeof value === 'string') {
    holder[last] = pid;
  } else if (isJsonObject(value)) {
    const former = value.pid;
    value.pid = pid;
    for (const tag of isJsonObject(value.annotations) ? Object.keys(value.annotations) : [])
      if ((value.annotations as JsonObject)[tag] === former) (value.annotations as JsonObject)[tag] = pid;
    if (!Array.isArray(parent) && last === former) {
      delete holder[last];
      holder[pid] = value;
    }
  }
}

type KeptMove = Move & { readonly iri: string };

/**
 * Undoes a rename or merge.
 *
 * @throws ServiceError `move_unknown`, `precondition_failed` if one of its records has changed since
 */
export async function undoMove(stores: MovingStores, id: string, by: Actor): Promise<MoveReport> {
  const { schema, database, curated } = stores;
  const { area } = curated;
  const linked = (patch: Patch): Patch => {
    const { after } = patch;
    if (!after) return patch;
    return { ...patch, after: { ...after, links: linksOf(schema, after.className, definedRecord(schema, after)) } };
  };
  const { records } = await keptMove(database, area, id);
  const undo = newPlan('undo', stores);
  const staging = records > MOST_DIRECT ? new Staging(database, undo) : undefined;
  const note = { batch: id };
  try {
    if (staging)
      for await (const page of inversePatches(database, id, area))
        for (const patch of page) await staging.add(area, linked(patch));
    await staging?.end();
    const undone = await database.transact(async (draft) => {
      const move = await keptMove(draft, area, id);
      if (staging) await draft.staged(area, undo.id, by, { note, companions: true });
      else
        for await (const page of inversePatches(draft, id, area))
          await makePatches(draft, undo.id, area, page.map(linked), by, note);
      keepPlan(draft, { ...undo, id, kind: move.kind }, 'undone', move);
      draft.run('DELETE FROM accession_moved WHERE area = $1 AND iri = $2', [area.id, move.iri]);
      return move;
    });
    const { iri: _, ...move } = undone;
    const changes = (await changesOf(stores, { ...undo, id })).map((one) => ({ ...one, deleted: false }));
    await discardPatches(database, id);
    return { ...move, dry_run: false, changes };
  } finally {
    await discardPatches(database, undo.id);
  }
}

/** @throws ServiceError `move_unknown` */
async function keptMove(reader: Reader, { id: area }: AreaId, id: string): Promise<KeptMove> {
  const [row] = await reader.tuples<[json: string]>(
    `SELECT json FROM accession_plan WHERE id = $1 AND area = $2 AND kind IN ('rename', 'merge') AND state = 'done'`,
    [id, area],
  );
  if (row) return JSON.parse(row[0]) as KeptMove;
  throw new ServiceError('move_unknown', `There is no rename or merge '${id}' to undo.`);
}

/** The renames and merges that can be undone, newest first. */
export async function listMoves(
  { database, curated }: Pick<CollectionStores, 'database' | 'curated'>,
  limit: number,
): Promise<Move[]> {
  const rows = await database.tuples<[json: string]>(
    `SELECT json FROM accession_plan WHERE area = $1 AND kind IN ('rename', 'merge') AND state = 'done'
     ORDER BY id DESC LIMIT $2`,
    [curated.area.id, limit],
  );
  return rows.map(([json]) => {
    const { iri: _, ...move } = JSON.parse(json) as KeptMove;
    return move;
  });
}

/** Moves that are followed from a pid that is gone. */
const MOST_HOPS = 20;

/** The present IRI of the record of a former IRI, over several moves; undefined if it was not moved. */
export async function movedTo(
  { database, curated }: Pick<CollectionStores, 'database' | 'curated'>,
  iri: string,
): Promise<string | undefined> {
  let at: string | undefined;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const [row] = await database.tuples<[target: string]>(
      'SELECT target FROM accession_moved WHERE area = $1 AND iri = $2',
      [curated.area.id, at ?? iri],
    );
    if (!row) return at;
    at = row[0];
  }
  return at;
}
