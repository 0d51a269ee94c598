/**
 * Compares and merges the records of a submission and finds their references. Each function takes and returns plain
 * data, so that it can run in a thread if the records are long.
 */

import { canonicalJson, type JsonObject, parseJson } from '#linkml/json.ts';
import { ServiceError } from '../../../core/errors.ts';
import { linksOf } from '../../../core/records/links.ts';
import { checkRecord, definedRecord, type RecordText, recordText } from '../../../core/records/record.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { asDefined, classNamedIn, schemaTypeIn } from '../../../core/schema-type.ts';
import { type LinkLines, linkLines } from '../../../core/storage/store.ts';
import { claimDifferences, type ListedDifferences, listDifferences } from '../../claims/differences.ts';
import { mergeRecords, namedPaths, type Take } from '../../claims/merge.ts';
import { withSubmissionTags } from '../../claims/submission-tags.ts';
import type { BaseContent, Content } from '../decisions/content.ts';
import {
  type Claims,
  claimOfContent,
  compare,
  type ReadContent,
  recordOf,
  type SubmittedContent,
} from './assess.ts';

/** Lists the differences between two records. @param base the record that both are compared with */
function changes(
  claims: Claims,
  { base, from, to }: { readonly base: Content; readonly from: Content; readonly to: Content },
): ListedDifferences {
  const read = (content: Content) => claimOfContent(claims, content);
  return listDifferences(claimDifferences({ base: read(base), curated: read(from), submitted: read(to) }));
}

type Proposed = {
  readonly submitted: Content;
  readonly curated: Content | undefined;
  readonly base: BaseContent;
};

/** The parts of a submission that a curator is shown. Records and problems are JSON. */
function shown(claims: Claims, { submitted, curated, base }: Proposed) {
  const { schema } = claims;
  const { className } = submitted;
  const compared = compare(claims, claimOfContent(claims, submitted), curated, base);
  const merge = mergeRecords(schema, compared);
  const merged = merge.kind === 'merged' ? merge.result : null;
  const judged = merged ?? { className, record: recordOf(submitted) };
  const checked = schema.check(judged.className, asDefined(schema, judged.className, judged.record));
  return {
    listed: listDifferences(claimDifferences(compared)),
    merged: merged ? canonicalJson(merged.record) : 'null',
    problems: JSON.stringify(checked.valid ? [] : checked.problems),
  };
}

/** The pid of a record, and what it refers to. */
function identified(
  { schema }: Claims,
  content: Content,
): { readonly pid: string | undefined; readonly links: LinkLines } {
  const record: JsonObject = definedRecord(schema, content);
  return {
    pid: typeof record.pid === 'string' ? record.pid : undefined,
    links: linkLines(linksOf(schema, content.className, record)),
  };
}

/** The functions by name. */
export const RECORD_WORK = { changes, shown, accepted: acceptedRecord, identified } as const;

type Functions = typeof RECORD_WORK;

/** These functions with the schema of a collection, run here or in a thread. */
export type RecordWork = {
  readonly [Name in keyof Functions]: (
    input: Parameters<Functions[Name]>[1],
  ) => Promise<ReturnType<Functions[Name]>>;
} & {
  /** Reads a record that is submitted. */
  read(content: SubmittedContent): ReadContent | Promise<ReadContent>;
};

/** A submission next to the curated record, and how the curator accepts it. */
type Accepting = Proposed & {
  readonly iri: string;
  readonly pid: string;
  /** The record that the curator sends, as JSON. */
  readonly record?: string | undefined;
  readonly take?: Take | undefined;
};

/** Conflicts, which the curator has to decide. */
type Conflicts = {
  /** The first of their paths, and how many more there are, in words. */
  readonly paths: readonly string[];
  readonly more: string;
  readonly listed: ListedDifferences;
};

/** The curated record after the decision, if it changes. */
type AcceptResult =
  | { readonly kind: 'changed'; readonly text: RecordText }
  | { readonly kind: 'unchanged' }
  | ({ readonly kind: 'conflicts' } & Conflicts);

/** The record that an accept puts into the curated area. @throws ServiceError `record_invalid`, `payload_invalid` */
function acceptedRecord(claims: Claims, accepting: Accepting): AcceptResult {
  const { schema } = claims;
  const { iri, pid, record: json, submitted } = accepting;
  if (json === undefined) return merged(claims, accepting);
  const record = parseJson(json) as JsonObject;
  const named = schemaTypeIn(record);
  const className = typeof named === 'string' ? (classNamedIn(schema, record) ?? named) : submitted.className;
  const text = checkedText(schema, className, record);
  if (text.iri === iri) return { kind: 'changed', text };
  throw new ServiceError(
    'record_invalid',
    `The record has the pid '${text.pid}', expected that of the submission, '${pid}'.`,
    [{ type: 'pid_changed', loc: ['pid'], msg: `expected '${pid}', found '${text.pid}'.` }],
  );
}

function merged(claims: Claims, { pid, submitted, curated, base, take }: Accepting): AcceptResult {
  const { schema, tags } = claims;
  const compared = compare(claims, claimOfContent(claims, submitted), curated, base);
  const merge = mergeRecords(schema, compared, take);
  if (merge.kind === 'unknown_paths') {
    const { named, more } = namedPaths(merge.paths);
    const paths = `${named.map((path) => `'${path}'`).join(', ')}${more}`;
    throw new ServiceError(
      'payload_invalid',
      `take: nothing differs at or below ${paths}. Read the submission again.`,
      [
        ...named.map((path) => ({
          type: 'payload_invalid',
          loc: ['take', path],
          msg: `take: nothing differs at or below '${path}'.`,
        })),
      ],
    );
  }
  if (merge.kind === 'conflicts') {
    const { named, more } = namedPaths(merge.differences.map(({ path }) => path));
    return { kind: 'conflicts', paths: named, more, listed: listDifferences(merge.differences) };
  }
  if (!merge.result) {
    throw new ServiceError(
      'record_invalid',
      `The side that is taken for '${pid}' has no record. A submission cannot delete a curated record.`,
    );
  }
  const { className, record } = merge.result;
  const own = curated && recordOf(curated);
  const from = { submitted: recordOf(submitted), curated: own };
  const result: JsonObject = withSubmissionTags(schema, record, from, tags);
  // A curated record that stays as it is keeps its text, whatever the schema of today would make of it.
  if (own && curated.className === className && canonicalJson(own) === canonicalJson(result))
    return { kind: 'unchanged' };
  return { kind: 'changed', text: checkedText(schema, className, result) };
}

/** @throws ServiceError `record_invalid` */
function checkedText(schema: Schema, className: string, record: JsonObject): RecordText {
  return recordText(schema, checkRecord(schema, className, asDefined(schema, className, record)));
}
