/**
 * Renames and merges curated records: the record, every reference to it in the curated area, and where the former pid
 * went, in one transaction. Each step is kept, so that it can be undone.
 */
import { randomUUID } from 'node:crypto';
import { type Problem, ServiceError } from '../errors.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, pointerKeys } from '../json.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import { claimOf } from '../records/claim.ts';
import { linksOf } from '../records/links.ts';
import { mergeRecords, namedPaths, type Take } from '../records/merge.ts';
import { definedRecord, resolvePid } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Actor, LedgerChange, RecordStore, StoredRecord } from '../storage/store.ts';
import type { Stewarded } from './areas.ts';
import { followLinks } from './follow.ts';
import {
  changed,
  changesOf,
  inverse,
  type Patch,
  patchesOf,
  patchText,
  rowsOf,
  type Text,
} from './patches.ts';

/** What is kept of a rename or a merge, under the IRI that is gone. */
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

const MOVE = 'move';
/** IRI → the present pid. */
const MOVED = 'moved';

const REFERRERS_AT_ONCE = 500;
/** Moves that are followed from a pid that is gone. */
const MOST_HOPS = 20;

/** A step that is ready to be made. */
type Step = {
  readonly move: Move;
  readonly patches: readonly Patch[];
  readonly iri: string;
  readonly to: string;
};

/**
 * Prepares a rename.
 *
 * @throws ServiceError `record_missing`, `pid_taken`, `prefix_unknown`, `record_invalid`
 */
async function renaming(stewarded: Stewarded, from: string, to: string, by: Actor): Promise<Step> {
  const { schema, curated } = stewarded;
  const record = await recordOf(stewarded, from);
  const iri = resolvePid(schema, to);
  if (iri !== record.iri && (await curated.get(iri)))
    throw new ServiceError('pid_taken', `There is a curated record '${to}' already: merge the two instead.`);
  const renamed = { ...definedRecord(schema, record), pid: to };
  const own = rewritten(schema, record.className, renamed, record.iri, to);
  const others = iri === record.iri ? [] : await referringPatches(stewarded, record.iri, to, []);
  const patches = [{ area: 'curated', before: patchText(record), after: own }, ...others];
  return { move: moveOf('rename', record.pid, to, patches, by), patches, iri: record.iri, to: iri };
}

/**
 * Prepares a merge: what only one record has is kept, what both have and differ in is a conflict until `take` names a
 * side, `keep` or `drop`.
 *
 * @throws ServiceError `record_missing`, `merge_conflict`, `record_invalid`, `payload_invalid`
 */
async function merging(
  stewarded: Stewarded & { readonly submissionTags?: SubmissionTags },
  { keep, drop, take }: MergeRequest,
  by: Actor,
): Promise<Step> {
  const { schema, submissionTags } = stewarded;
  const [kept, dropped] = [await recordOf(stewarded, keep), await recordOf(stewarded, drop)];
  if (kept.iri === dropped.iri) throw refusedBody(['drop'], 'expected the pid of another record than keep');
  const known = (record: StoredRecord) => schema.classes.has(record.className);
  if (!known(kept) || !known(dropped))
    throw new ServiceError(
      'class_unknown',
      'A record whose class the schema does not have cannot be merged.',
    );
  const same = { ...definedRecord(schema, dropped), pid: kept.pid };
  const claim = (className: string, record: JsonObject) =>
    claimOf(schema, { className, record }, submissionTags);
  const sides = {
    base: undefined,
    curated: claim(kept.className, definedRecord(schema, kept)),
    submitted: claim(dropped.className, same),
  };
  const merged = mergeRecords(schema, sides, take);
  if (merged.kind === 'unknown_paths') {
    const { named, more } = namedPaths(merged.paths);
    throw refusedBody(['take'], `there is no difference at ${named.join(', ')}${more}`);
  }
  if (merged.kind === 'conflicts') throw mergeConflict(merged.differences);
  const { className, record } = merged.result ?? {
    className: kept.className,
    record: definedRecord(schema, kept),
  };
  const after = rewritten(schema, className, { ...record, pid: kept.pid }, dropped.iri, kept.pid);
  const others = await referringPatches(stewarded, dropped.iri, kept.pid, [kept.iri]);
  const patches: Patch[] = [
    { area: 'curated', before: patchText(kept), after },
    { area: 'curated', before: patchText(dropped), after: null },
    ...others,
  ];
  return {
    move: moveOf('merge', dropped.pid, kept.pid, patches, by),
    patches,
    iri: dropped.iri,
    to: kept.iri,
  };
}

export type MergeRequest = { readonly keep: string; readonly drop: string; readonly take: Take };

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

async function recordOf({ schema, curated }: Stewarded, pid: string): Promise<StoredRecord> {
  const record = await curated.get(resolvePid(schema, pid));
  if (record) return record;
  throw new ServiceError('record_missing', `There is no curated record '${pid}'.`);
}

/** The patches of the records that refer to an IRI, which get another pid in its place. */
async function referringPatches(
  { schema, curated }: Stewarded,
  iri: string,
  pid: string,
  except: readonly string[],
): Promise<Patch[]> {
  await followLinks(schema, curated, {});
  const referrers = new Set<string>();
  for (let offset = 0; ; offset += REFERRERS_AT_ONCE) {
    const page = await curated.links.to(iri, { offset, limit: REFERRERS_AT_ONCE });
    for (const one of page) referrers.add(one.iri);
    if (page.length < REFERRERS_AT_ONCE) break;
  }
  const patches: Patch[] = [];
  for (const one of referrers) {
    const record = except.includes(one) ? undefined : await curated.get(one);
    if (!record) continue;
    const after = rewritten(schema, record.className, definedRecord(schema, record), iri, pid);
    patches.push({ area: 'curated', before: patchText(record), after });
  }
  return patches;
}

/**
 * A record with a pid in place of every reference to an IRI.
 *
 * @throws ServiceError `record_invalid` if it was valid before and is not with the other pid
 */
function rewritten(schema: Schema, className: string, record: JsonObject, iri: string, pid: string): Text {
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
  const valid = checked.valid ? checked.record : result;
  return {
    pid: String(valid.pid),
    iri: resolvePid(schema, String(valid.pid)),
    className,
    json: canonicalJson(valid),
    links: linksOf(schema, className, valid),
  };
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

function moveOf(kind: Move['kind'], from: string, to: string, patches: readonly Patch[], by: Actor): Move {
  const time = new Date().toISOString();
  const id = `${time}-${randomUUID().slice(0, 8)}`;
  return { id, kind, from, to, time, by: by.author, records: patches.length };
}

/** What a step would do, or has done. */
export type MoveReport = Move & {
  readonly dry_run: boolean;
  readonly changes: readonly { readonly pid: string; readonly class: string; readonly deleted: boolean }[];
};

/** Renames a record, or only says what that would change. */
export async function rename(
  stewarded: Stewarded,
  { from, to }: { readonly from: string; readonly to: string },
  by: Actor,
  dryRun: boolean,
): Promise<MoveReport> {
  return make(stewarded.curated, await renaming(stewarded, from, to, by), by, dryRun);
}

/** Merges two records into one, or only says what that would change. */
export async function planMerge(
  stewarded: Stewarded & { readonly submissionTags?: SubmissionTags },
  request: MergeRequest,
  by: Actor,
  dryRun: boolean,
): Promise<MoveReport> {
  return make(stewarded.curated, await merging(stewarded, request, by), by, dryRun);
}

async function make(curated: RecordStore, step: Step, by: Actor, dryRun: boolean): Promise<MoveReport> {
  const { move, patches, iri, to } = step;
  const changes = patches.map(({ before, after }) => ({
    pid: (before ?? after)?.pid ?? '',
    class: (before ?? after)?.className ?? '',
    deleted: after === null,
  }));
  if (dryRun) return { ...move, dry_run: true, changes };
  const rows: LedgerChange[] = [
    ...rowsOf(move.id, patches),
    { set: { kind: MOVE, id: move.id, keys: [], json: JSON.stringify({ ...move, iri }) } },
  ];
  if (iri !== to) {
    const json = JSON.stringify({ to, move: move.id });
    rows.push({ set: { kind: MOVED, id: iri, keys: [to], json } }, { remove: { kind: MOVED, id: to } });
  }
  const noted = (await changesOf(curated, patches, move.id)).map((change) => ({
    ...change,
    note: { batch: move.id, message: `${move.kind}: ${move.from} is ${move.to} now` },
  }));
  await curated.write(noted, by, rows);
  return { ...move, dry_run: false, changes };
}

/**
 * Takes a rename or merge back.
 *
 * @throws ServiceError `move_unknown`, `precondition_failed` if one of its records has changed since
 */
export async function undoMove({ curated }: Stewarded, id: string, by: Actor): Promise<MoveReport> {
  const row = await curated.ledger.get(MOVE, id);
  if (!row) throw new ServiceError('move_unknown', `There is no rename or merge '${id}' to undo.`);
  const { iri, ...move } = JSON.parse(row.json) as Move & { iri: string };
  const patches = (await patchesOf(curated, id)).map(inverse);
  const present = patches.filter(({ before }) => before !== null);
  const absent = patches.filter(({ before }) => before === null);
  for (const { after } of absent)
    if (after && (await curated.get(after.iri))) throw changed(`There is a record '${after.pid}' again.`);
  const changes = await changesOf(curated, [...present, ...absent], id);
  await curated.write(changes, by, [
    { remove: { kind: MOVE, id } },
    { remove: { kind: MOVED, id: iri } },
    ...patches.flatMap(({ before, after }) => rowRemoval(id, after ?? before)),
  ]);
  const texts = patches.flatMap(({ before, after }) => after ?? before ?? []);
  return {
    ...move,
    dry_run: false,
    changes: texts.map(({ pid, className }) => ({ pid, class: className, deleted: false })),
  };
}

/** The renames and merges that can be undone, newest first. */
export async function listMoves({ curated }: Stewarded, limit: number): Promise<Move[]> {
  const rows = await curated.ledger.list({ kind: MOVE, newestFirst: true, limit });
  return rows.map(({ json }) => {
    const { iri: _, ...move } = JSON.parse(json) as Move & { iri: string };
    return move;
  });
}

function rowRemoval(id: string, text: Text | null): LedgerChange[] {
  return text ? [{ remove: { kind: 'patch', id: `${id}\ncurated\n${text.iri}` } }] : [];
}

/** The present pid of the record under an IRI, over several moves; undefined if it was not moved. */
export async function movedTo(curated: RecordStore, iri: string): Promise<string | undefined> {
  let at: string | undefined;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const row = await curated.ledger.get(MOVED, at ?? iri);
    if (!row) return at;
    at = (JSON.parse(row.json) as { to: string }).to;
  }
  return at;
}
