/** The record that an accept puts into the curated area: the merge, or the one that the curator sends. */

import { ServiceError } from '../errors.ts';
import { canonicalJson, type JsonObject } from '../json.ts';
import { withWords } from '../records/difference.ts';
import { mergeRecords, namedPaths } from '../records/merge.ts';
import { checkRecord, type RecordText, recordText } from '../records/record.ts';
import { withSubmissionTags } from '../records/submission-tags.ts';
import type { Schema } from '../schema/schema.ts';
import { asDefined, classNamedIn, schemaTypeIn } from '../schema-type.ts';
import type { AreaId } from '../storage/store.ts';
import { type Compared, recordOf } from './assess.ts';
import type { ReviewParts } from './parts.ts';
import type { Proposal } from './proposal.ts';
import { Refusal } from './refusal.ts';
import type { Held } from './review-draft.ts';
import type { Submission } from './submission.ts';

/** A submission as it is now, next to the curated record. */
export type Loaded = {
  readonly row: Submission;
  readonly submitted: Held;
  readonly curated: Held | undefined;
  readonly compared: Compared;
  readonly zone: AreaId;
};

/** The record that an accept puts into the curated area. */
export function resultOf(
  parts: ReviewParts,
  loaded: Loaded,
  { record, take }: Partial<Pick<Proposal, 'record' | 'take'>>,
): RecordText {
  const { row } = loaded;
  if (!record) return merged(parts, loaded, take);
  const named = schemaTypeIn(record);
  const className =
    typeof named === 'string' ? (classNamedIn(parts.schema, record) ?? named) : row.class_name;
  const text = checkedText(parts.schema, className, record);
  if (text.iri === row.iri) return text;
  throw new ServiceError(
    'record_invalid',
    `The record has the pid '${text.pid}', expected that of the submission, '${row.pid}'.`,
    [{ type: 'pid_changed', loc: ['pid'], msg: `expected '${row.pid}', found '${text.pid}'.` }],
  );
}

function merged(
  { schema, tags }: ReviewParts,
  { row, submitted, curated, compared }: Loaded,
  take?: Proposal['take'],
): RecordText {
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
    throw new Refusal(
      'merge_conflict',
      `The submission '${row.pid}' and the curated record changed the same values, at ${merge.differences.map(({ path }) => `'${path}'`).join(', ')}. Choose a side for each with take, or send the record.`,
      { pid: row.pid, differences: merge.differences.map(withWords) },
    );
  }
  if (!merge.result) {
    throw new ServiceError(
      'record_invalid',
      `The side that take chooses for '${row.pid}' has no record. A submission cannot delete a curated record.`,
    );
  }
  const { className, record } = merge.result;
  const own = curated && recordOf(curated);
  const from = { submitted: recordOf(submitted), curated: own };
  const result: JsonObject = withSubmissionTags(schema, record, from, tags);
  // A curated record that stays as it is keeps its text, whatever the schema of today would make of it.
  if (own && curated.className === className && canonicalJson(own) === canonicalJson(result))
    return { ...curated, iri: row.iri };
  return checkedText(schema, className, result);
}

/** @throws ServiceError `record_invalid` */
function checkedText(schema: Schema, className: string, record: JsonObject): RecordText {
  return recordText(schema, checkRecord(schema, className, asDefined(schema, className, record)));
}
