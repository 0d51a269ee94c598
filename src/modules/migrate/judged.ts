/** Migrates stored records to another schema, as texts. Functions of plain values: threads run them for long records. */

import { canonicalJson, type JsonObject, parseJson } from '#linkml/json.ts';
import type { SuggestionBudget } from '#linkml/suggestions.ts';
import { firstProblems, isServiceError, type Problem } from '../../core/errors.ts';
import { FORMATS } from '../../core/formats/formats.ts';
import { type RecordText, recordText } from '../../core/records/record.ts';
import { titleOf } from '../../core/records/title.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { asDefined } from '../../core/schema-type.ts';
import type { StoredRecord } from '../../core/storage/store.ts';
import type { SchemaComparison } from './compare-schemas.ts';
import { EXACT, type JudgedRecord, judgeRecord, type Outcome } from './judge.ts';

/** A record, and the schemas that it is judged by. */
type Judging = {
  readonly schema: Schema;
  readonly to: Schema;
  readonly comparison: SchemaComparison;
  readonly record: Pick<StoredRecord, 'pid' | 'className' | 'json'>;
  /** What suggestions may cost for all records that are judged together. */
  readonly suggestions?: SuggestionBudget;
};

/** Values of slots that a steward sets besides the steps, as a JSON object; null removes one. */
export type Correction = string;

type Switched = {
  readonly outcome: Outcome;
  /** Why it would be refused. */
  readonly why: string;
  readonly after?: Omit<RecordText, 'links'>;
};

/** Migrates a record. @throws ServiceError `record_invalid`, `prefix_unknown` */
export function switched({
  correction,
  isChosen,
  ...judging
}: Judging & { readonly correction: Correction | undefined; readonly isChosen: boolean }): Switched {
  const { to } = judging;
  const { outcome, migrated, problems } = judged(judging, correction);
  const why = firstProblems(problems)
    .map(({ msg }) => msg)
    .join(' ');
  if (!migrated || !isChosen) return { outcome, why };
  // References are read again for every schema.
  const { links: _, ...after } = recordText(to, migrated);
  return { outcome, why, after };
}

/** A record in another version of the schema; undefined if nothing says how to migrate it. */
export function migrated(judging: Judging): { className: string; json: string } | undefined {
  const { migrated: found } = judged(judging);
  return found && { className: found.className, json: canonicalJson(found.record) };
}

/** A record of an area in a dry run. */
export type JudgedRow = Pick<
  JudgedRecord,
  'pid' | 'outcome' | 'className' | 'canonicalChanges' | 'identityChanges'
> & {
  /** The first one, without the value. */
  readonly problems: readonly Problem[];
  /** Whether its Turtle differs; null if it was not compared. */
  readonly turtleChanges: boolean | null;
  /** As a response has it, in JSON. */
  readonly json: string;
};

export function judgedRow({ area, ...judging }: Judging & { readonly area: string }): JudgedRow {
  const { schema, to, record } = judging;
  const { problems, steps, draft, migrated: mended, ...head } = judged(judging);
  const { pid, className, outcome, canonicalChanges, identityChanges } = head;
  const isCompared = outcome === 'valid' || mended !== undefined;
  const next = mended ? { className: mended.className, json: JSON.stringify(mended.record) } : record;
  const turtleChanges = isCompared ? turtleOf(schema, record) !== turtleOf(to, next) : null;
  const row = {
    pid,
    class: className,
    in: area,
    outcome,
    canonical_changes: canonicalChanges,
    // What fits as it is is only counted.
    ...(outcome !== 'valid' && {
      title: titleOf(schema, className, parseJson(record.json) as JsonObject),
    }),
    turtle_changes: turtleChanges,
    identity_changes: identityChanges,
    problems: firstProblems(problems),
    steps,
    ...(mended && { mended: { class: mended.className, record: mended.record } }),
    ...(draft && { draft: { class: draft.className, record: draft.record } }),
  };
  const first = problems.slice(0, 1).map(({ type, loc, msg }) => ({ type, loc, msg }));
  return { ...head, problems: first, turtleChanges, json: JSON.stringify(row) };
}

/** What a schema refuses of an object, as a switch to it would: the first problems, or none. */
export function problemsOf({
  schema,
  className,
  json,
}: {
  readonly schema: Schema;
  readonly className: string;
  readonly json: string;
}): readonly Problem[] {
  const object = asDefined(schema, className, parseJson(json) as JsonObject);
  const checked = schema.check(className, object, EXACT);
  return checked.valid ? [] : firstProblems(checked.problems);
}

function judged(
  { record, schema, to, comparison, suggestions }: Judging,
  correction?: Correction,
): JudgedRecord {
  const values = correction === undefined ? undefined : (parseJson(correction) as JsonObject);
  return judgeRecord(record, schema, to, comparison, values, suggestions);
}

/** A record as Turtle; undefined if it cannot be written. */
function turtleOf(
  schema: Schema,
  { className, json }: { className: string; json: string },
): string | undefined {
  try {
    return FORMATS.ttl.serialize(json, className, schema);
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}
