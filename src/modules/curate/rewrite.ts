/** Rewrites records that are renamed or merged, and those that refer to them. Functions of plain values: threads run them. */

import type { JsonObject } from '#linkml/json.ts';
import { type Problem, ServiceError } from '../../core/errors.ts';
import type { SubmissionTags } from '../../core/records/annotate.ts';
import { linksOf } from '../../core/records/links.ts';
import { definedRecord, type RecordText, recordText } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { claimOf } from '../claims/claim.ts';
import { claimDifferences } from '../claims/differences.ts';
import { mergeRecords, namedPaths, type Take } from '../claims/merge.ts';
import { type LeftOut, retarget, withoutReferences } from './retarget.ts';

/** A record as it is stored. */
type StoredContent = Pick<RecordText, 'iri' | 'className' | 'json'>;

/** A record as it is after a rename or merge, and what is left out of it. */
export type MovedRecord = { readonly record: RecordText; readonly leftOut: readonly LeftOutOf[] };

/** What is left out, with the pid that the record had. */
export type LeftOutOf = LeftOut & { readonly pid: string };

/** A record with another pid. @throws ServiceError `record_invalid` */
export function renameRecord(schema: Schema, record: StoredContent, to: string): MovedRecord {
  const { className } = record;
  const original = definedRecord(schema, record);
  const target = schema.expand(to);
  // A reference that led nowhere until now.
  const others = target === undefined || target === record.iri ? [] : [target];
  const without = withoutReferences(schema, className, original, others);
  const rest = retarget(schema, className, { ...without.record, pid: to }, { gone: record.iri, to });
  return movedRecord(schema, className, [original], rest.record, [...without.leftOut, ...rest.leftOut]);
}

/** A record that refers to another pid in place of an IRI; undefined if it does not refer to that. @throws ServiceError `record_invalid` */
export function retargetRecord(
  schema: Schema,
  record: StoredContent,
  { gone, to }: { readonly gone: string; readonly to: string },
): MovedRecord | undefined {
  const { className } = record;
  const object = definedRecord(schema, record);
  if (!linksOf(schema, className, object).some(({ iri }) => iri === gone)) return undefined;
  const { record: after, leftOut } = retarget(schema, className, object, { gone, to });
  return movedRecord(schema, className, [object], after, leftOut);
}

export type MergedSides = {
  readonly kept: StoredContent & Pick<RecordText, 'pid'>;
  readonly dropped: StoredContent;
  /** `curated` for the kept side, `submitted` for the dropped one. */
  readonly take: Take;
  /** The annotations that are left out when records are compared. */
  readonly tags: SubmissionTags | undefined;
};

/**
 * A record with what another one has. The references between the two are left out first, so that the other one decides what a
 * slot has in their place.
 *
 * @throws ServiceError `merge_conflict`, `payload_invalid` for paths without a difference, `record_invalid`
 */
export function mergeInto(schema: Schema, { kept, dropped, take, tags }: MergedSides): MovedRecord {
  const claim = (className: string, record: JsonObject) => claimOf(schema, { className, record }, tags);
  const [keep, drop] = [definedRecord(schema, kept), definedRecord(schema, dropped)];
  const own = withoutReferences(schema, kept.className, keep, [dropped.iri]);
  const other = withoutReferences(schema, dropped.className, drop, [kept.iri, dropped.iri]);
  const sides = {
    base: undefined,
    curated: claim(kept.className, own.record),
    submitted: claim(dropped.className, { ...other.record, pid: kept.pid }),
  };
  const result = mergeRecords(schema, sides, take);
  if (result.kind === 'unknown_paths') {
    const { named, more } = namedPaths(result.paths);
    const choices = namedPaths(claimDifferences(sides).map(({ path }) => path));
    const found = `the records have no difference at ${named.join(', ')}${more}`;
    throw refusedBody(
      ['take'],
      `${found}; expected a path where the records differ: ${choices.named.join(', ')}${choices.more}`,
    );
  }
  if (result.kind === 'conflicts') throw mergeConflict(result.differences);
  const { className, record } = result.result ?? { className: kept.className, record: own.record };
  const sidesBefore = [
    { ...keep, pid: kept.pid },
    { ...drop, pid: kept.pid },
  ];
  const after = { ...record, pid: kept.pid };
  const leftOut = [...own.leftOut, ...leftOutOf(drop, other.leftOut)];
  return movedRecord(schema, className, sidesBefore, after, leftOut);
}

function mergeConflict(differences: readonly { path: string; curated: unknown; submitted: unknown }[]) {
  const problems = differences.map(({ path, curated, submitted }): Problem => {
    const msg = `Both records have a value at '${path}': choose that of keep or of drop.`;
    return { type: 'merge_conflict', loc: [path], msg, input: { keep: curated, drop: submitted } };
  });
  return new ServiceError('merge_conflict', 'The two records contradict each other.', problems);
}

/** The refusal of a request to rename or merge, at a place in its body. */
export function refusedBody(path: string[], msg: string): ServiceError {
  const loc = ['body', ...path];
  return new ServiceError('payload_invalid', `${loc.join('.')}: ${msg}`, [
    { type: 'payload_invalid', loc, msg },
  ]);
}

/**
 * @param before what the record is made of
 * @param leftOut without a pid, of the first of these
 * @throws ServiceError `record_invalid` if it is invalid and was valid before
 */
function movedRecord(
  schema: Schema,
  className: string,
  before: readonly JsonObject[],
  after: JsonObject,
  leftOut: readonly (LeftOut & { readonly pid?: string })[],
): MovedRecord {
  const checked = schema.check(className, after);
  if (!checked.valid && before.some((one) => schema.check(className, one).valid)) {
    const msg = `The record '${before[0]!.pid}' would be invalid${leftOut.length > 0 ? ` without ${pathsOf(leftOut)}` : ''}.`;
    const isCause =
      leftOut.length > 0 && ' Its values there would be twice or lead to itself: change them first.';
    const first: Problem = { type: 'record_invalid', loc: [], msg: `${msg}${isCause || ''}` };
    throw new ServiceError('record_invalid', first.msg, [first, ...checked.problems]);
  }
  const record = recordText(schema, { className, record: checked.valid ? checked.record : after });
  return { record, leftOut: leftOutOf(before[0]!, leftOut) };
}

/** The first of the paths. */
function pathsOf(leftOut: readonly LeftOut[]): string {
  const { named, more } = namedPaths(leftOut.map(({ path }) => path));
  return `${named.join(', ')}${more}`;
}

function leftOutOf(
  { pid }: JsonObject,
  leftOut: readonly (LeftOut & { readonly pid?: string })[],
): LeftOutOf[] {
  return leftOut.map((one) => ({ pid: typeof pid === 'string' ? pid : '', ...one }));
}
