/** Judges one record, and in sum many, by another schema. */

import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerSegment,
} from '#linkml/json.ts';
import { noSuggestions, suggestionBudget } from '#linkml/suggestions.ts';
import type { Problem } from '../../core/errors.ts';
import { definedRecord } from '../../core/records/record.ts';
import type { CheckOptions, Schema } from '../../core/schema/schema.ts';
import { asDefined, classNamedIn } from '../../core/schema-type.ts';
import type { StoredRecord } from '../../core/storage/store.ts';
import type { SchemaComparison } from './compare-schemas.ts';
import { type MigrationResult, type MigrationStep, migrateRecord, replaced } from './migrate-record.ts';

export type Outcome =
  /** Valid as it is. */
  | 'valid'
  /** Invalid as it is; valid after the steps. */
  | 'mendable'
  /** Valid before, invalid now, and nothing says how to migrate it. */
  | 'newly_invalid'
  /** Invalid before and now. */
  | 'invalid_before'
  /** Its class was removed, so no list by class has it. */
  | 'unreachable';

export type JudgedRecord = {
  readonly pid: string;
  readonly className: string;
  readonly outcome: Outcome;
  /** Whether the record as it would be stored is written differently from today. */
  readonly canonicalChanges: boolean;
  /** Whether its pid resolves to another IRI, or to none. */
  readonly identityChanges: boolean;
  /** Why it would be refused; empty unless it would be. */
  readonly problems: readonly Problem[];
  readonly steps: readonly MigrationStep[];
  /** The record after the steps, if they make it valid. */
  readonly migrated?: ClassedRecord;
  /** The record after the steps, if they do not: what a correction starts from. */
  readonly draft?: ClassedRecord;
};

type ClassedRecord = { readonly className: string; readonly record: JsonObject };

/** The year 2024 of a slot that becomes one of dates is not a moment in 1970. */
export const EXACT: CheckOptions = { timestamps: 'refuse' };
/** {@link EXACT} without suggestions, if only the verdict is of interest. */
const QUIET: CheckOptions = { ...EXACT, suggestions: noSuggestions() };

/** Judges one record under the new schema. @param correction applies unless the record fits as it is, or after the steps; null removes a value @param suggestions what they may cost for all records */
export function judgeRecord(
  { pid, className, json }: Pick<StoredRecord, 'pid' | 'className' | 'json'>,
  from: Schema,
  to: Schema,
  comparison: SchemaComparison,
  correction?: JsonObject,
  suggestions = suggestionBudget(),
): JudgedRecord {
  const record = definedRecord(from, { className, json });
  const identityChanges = from.expand(pid) !== to.expand(pid);
  const nothing = { pid, className, identityChanges, canonicalChanges: false, problems: [], steps: [] };
  const asItIs = to.classes.has(className) ? to.check(className, record, QUIET) : undefined;
  if (asItIs?.valid && !identityChanges && !comparison.classNames.has(className)) {
    return {
      ...nothing,
      outcome: 'valid',
      canonicalChanges: canonicalJson(asItIs.record) !== canonicalJson(record),
    };
  }
  const stepped = migrateRecord(className, record, { from, to, comparison });
  const fits = stepped !== undefined && to.check(stepped.className, stepped.record, QUIET).valid;
  const migrated =
    fits || !correction ? stepped : correctedBy(correction, stepped ?? { className, record }, to);
  const checked = migrated && to.check(migrated.className, migrated.record, { ...EXACT, suggestions });
  if (migrated && checked?.valid) {
    const result = { className: migrated.className, record: checked.record };
    return {
      ...nothing,
      outcome: 'mendable',
      canonicalChanges: true,
      steps: migrated.steps,
      migrated: result,
    };
  }
  const problems = checked && !checked.valid ? checked.problems : [];
  const before =
    from.classes.has(className) && from.check(className, record, { suggestions: noSuggestions() }).valid;
  const mended = before && migrated ? withRightTerms(migrated, to) : undefined;
  if (mended) return { ...nothing, outcome: 'mendable', canonicalChanges: true, ...mended };
  const outcome = migrated === undefined ? 'unreachable' : before ? 'newly_invalid' : 'invalid_before';
  return { ...nothing, outcome, problems, ...(migrated && { draft: migrated }) };
}

/**
 * A record with the values of a correction, in the class that this names in `schema_type`.
 *
 * @returns undefined if its class is none of the schema
 */
export function correctedBy(
  correction: JsonObject,
  { className: former, record, steps = [] }: ClassedRecord & Partial<Pick<MigrationResult, 'steps'>>,
  to: Schema,
): MigrationResult | undefined {
  const className = classNamedIn(to, correction) ?? former;
  if (!to.classes.has(className)) return undefined;
  const values = Object.entries({ ...record, ...correction }).filter(([, value]) => value !== null);
  return { className, record: asDefined(to, className, Object.fromEntries(values)), steps };
}

/** A term may replace an obsolete one, and have another label. */
const MOST_ROUNDS = 3;

/** A record with the terms and labels that its problems name as the right ones, if that makes it valid. */
function withRightTerms(
  { className, record, steps }: MigrationResult,
  to: Schema,
): Pick<JudgedRecord, 'steps' | 'migrated'> | undefined {
  const made = [...steps];
  let next: JsonValue = record;
  for (let round = 0; round <= MOST_ROUNDS; round++) {
    const checked = to.check(className, next, QUIET);
    if (checked.valid) return { steps: made, migrated: { className, record: checked.record } };
    for (const { loc, input, instead } of checked.problems) {
      if (instead === undefined) return undefined;
      const path = loc.map((key) => `/${pointerSegment(String(key))}`).join('');
      made.push(replaced('value', path, String(input), instead, 'the value '));
      next = withValue(next, loc, instead);
    }
  }
  return undefined;
}

/** A copy with another value at a path. */
function withValue(value: JsonValue, [key, ...rest]: readonly (string | number)[], to: string): JsonValue {
  if (key === undefined) return to;
  if (Array.isArray(value)) return value.with(Number(key), withValue(value[Number(key)]!, rest, to));
  if (!isJsonObject(value)) return value;
  return { ...value, [key]: withValue(value[key]!, rest, to) };
}

export type DryRunSummary = {
  total: number;
  readonly by_outcome: Record<Outcome, number>;
  /** By area: `curated`, `incoming/<label>`. */
  readonly by_area: Record<string, Record<Outcome, number>>;
  readonly by_class: Record<string, Record<Outcome, number>>;
  /** The first problem of each newly invalid record, without its values: how many records have it. */
  readonly by_cause: Record<string, number>;
  canonical_changes: number;
  /** Records whose Turtle differs; null if it was not compared. */
  turtle_changes: number | null;
  identity_changes: number;
};

export function emptySummary(): DryRunSummary {
  return {
    total: 0,
    by_outcome: noOutcomes(),
    by_area: {},
    by_class: {},
    by_cause: {},
    canonical_changes: 0,
    turtle_changes: null,
    identity_changes: 0,
  };
}

/** Adds a record to the counts. */
export function addToSummary(
  summary: DryRunSummary,
  judged: Pick<JudgedRecord, 'className' | 'outcome' | 'problems' | 'canonicalChanges' | 'identityChanges'>,
  area = 'curated',
): void {
  const { className, outcome, problems } = judged;
  summary.total++;
  summary.by_outcome[outcome]++;
  summary.by_area[area] ??= noOutcomes();
  (summary.by_area[area] as Record<Outcome, number>)[outcome]++;
  summary.by_class[className] ??= noOutcomes();
  (summary.by_class[className] as Record<Outcome, number>)[outcome]++;
  if (judged.canonicalChanges) summary.canonical_changes++;
  if (judged.identityChanges) summary.identity_changes++;
  const [first] = problems;
  if (outcome !== 'newly_invalid' || !first) return;
  const cause = `${className}.${first.loc.filter((part) => typeof part === 'string').join('.')}: ${first.type}`;
  summary.by_cause[cause] = (summary.by_cause[cause] ?? 0) + 1;
}

function noOutcomes(): Record<Outcome, number> {
  return { valid: 0, mendable: 0, newly_invalid: 0, invalid_before: 0, unreachable: 0 };
}
