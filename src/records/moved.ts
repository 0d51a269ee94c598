/** Rewrites records that are renamed or merged, and those that refer to them. Functions of plain values: threads run them. */
import { type Problem, ServiceError } from '../errors.ts';
import { copyJson, isJsonObject, type JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { SubmissionTags } from './annotate.ts';
import { claimOf } from './claim.ts';
import { claimDifferences } from './difference.ts';
import { linksOf, type Reference, referencesOf } from './links.ts';
import { mergeRecords, namedPaths, type Take } from './merge.ts';
import { definedRecord, type RecordText, recordText } from './record.ts';

/** A record as it is stored. */
type Stored = Pick<RecordText, 'iri' | 'className' | 'json'>;

/** A record with another pid. @throws ServiceError `record_invalid` */
export function renamed(schema: Schema, record: Stored, to: string): RecordText {
  const object = { ...definedRecord(schema, record), pid: to };
  return rewritten(schema, record.className, object, record.iri, to);
}

/** A record that refers to another pid in place of an IRI; undefined if it does not refer to that. @throws ServiceError `record_invalid` */
export function retargeted(
  schema: Schema,
  record: Stored,
  { gone, to }: { readonly gone: string; readonly to: string },
): RecordText | undefined {
  const { className } = record;
  const object = definedRecord(schema, record);
  if (!linksOf(schema, className, object).some(({ iri }) => iri === gone)) return undefined;
  return rewritten(schema, className, object, gone, to);
}

export type MergedSides = {
  readonly kept: Stored & Pick<RecordText, 'pid'>;
  readonly dropped: Stored;
  /** `curated` for the kept side, `submitted` for the dropped one. */
  readonly take: Take;
  /** The annotations that are left out when records are compared. */
  readonly tags: SubmissionTags | undefined;
};

/**
 * A record with what another one has.
 *
 * @throws ServiceError `merge_conflict`, `payload_invalid` for paths without a difference, `record_invalid`
 */
export function merged(schema: Schema, { kept, dropped, take, tags }: MergedSides): RecordText {
  const claim = (className: string, record: JsonObject) => claimOf(schema, { className, record }, tags);
  const sides = {
    base: undefined,
    curated: claim(kept.className, definedRecord(schema, kept)),
    submitted: claim(dropped.className, { ...definedRecord(schema, dropped), pid: kept.pid }),
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
  const { className, record } = result.result ?? {
    className: kept.className,
    record: definedRecord(schema, kept),
  };
  return rewritten(schema, className, { ...record, pid: kept.pid }, dropped.iri, kept.pid);
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
 * A record with a pid in place of every reference to an IRI.
 *
 * @throws ServiceError `record_invalid` if it was valid before and is not with the other pid
 */
function rewritten(
  schema: Schema,
  className: string,
  record: JsonObject,
  iri: string,
  pid: string,
): RecordText {
  const result = copyJson(record);
  for (const reference of referencesOf(schema, className, result))
    if (reference.iri === iri) retarget(reference, pid);
  const checked = schema.check(className, result);
  if (!checked.valid && schema.check(className, record).valid)
    throw new ServiceError(
      'record_invalid',
      `The record '${record.pid}' would be invalid.`,
      checked.problems,
    );
  return recordText(schema, { className, record: checked.valid ? checked.record : result });
}

/** Puts a pid in place of a reference: a string, the pid of an object, or the key of a mapping. */
function retarget({ place: { holder, key } }: Reference, pid: string): void {
  const members = holder as JsonObject;
  const value = members[key];
  if (typeof value === 'string') {
    members[key] = pid;
  } else if (isJsonObject(value)) {
    const former = value.pid;
    value.pid = pid;
    for (const tag of isJsonObject(value.annotations) ? Object.keys(value.annotations) : [])
      if ((value.annotations as JsonObject)[tag] === former) (value.annotations as JsonObject)[tag] = pid;
    if (key === former) {
      delete members[key];
      members[pid] = value;
    }
  }
}
