/** Which submissions: filters of the queue as conditions of SQL. */
import { ServiceError } from '../errors.ts';
import { resolvePid } from '../records/record.ts';
import type { Value } from '../storage/database.ts';
import type { RecordStore } from '../storage/store.ts';
import type { ReviewParts } from './parts.ts';
import type { Standing, State } from './types.ts';

/** All fields of a filter must match; of several values in a field, one. */
export type Filter = {
  /** Default: waiting. */
  readonly standing?: readonly Standing[];
  readonly state?: readonly State[];
  readonly label?: readonly string[];
  /** Subclasses are included. */
  readonly class?: readonly string[];
  readonly submitter?: string;
  readonly batch?: string;
  readonly pid?: string;
  readonly valid?: boolean;
  /** A pattern as in lists of records; only with backends that honor it. */
  readonly matching?: string;
};

/** The fields that submissions are counted by, and their columns. */
export const COUNTED = {
  standing: 'status',
  state: 'state',
  label: 'label',
  class: 'class_name',
  submitter: 'submitter',
  batch: 'batch',
  valid: 'valid',
} as const;
export type Field = keyof typeof COUNTED;

/** A condition; `given` adds a value of the statement, and returns its parameter. */
export type Condition = (given: (value: Value) => string) => string;

/** Conditions on columns that both the table of submissions and that of counts have, and others. */
export type Conditions = {
  readonly counted: ReadonlyMap<Field, Condition>;
  /** On submissions alone: pid and matching. */
  readonly others: readonly Condition[];
  /** On submissions alone, in every case: the index of a page has it, or leads to the rows. */
  readonly scope: string;
};

/** Submissions that are in their zones. */
const PRESENT = 'present = 1';
/** The same; the plus keeps SQLite, which has no statistics, from indexes of the order, and leads it to that of records. */
const PRESENT_ON_RECORD = '+present = 1';

/** @throws ServiceError `parameter_invalid` for `matching` on a backend that ignores it */
export async function conditionsOf(parts: ReviewParts, filter: Filter): Promise<Conditions> {
  const counted = new Map<Field, Condition>();
  const among = (field: Field, values: readonly string[] | undefined) => {
    if (values) counted.set(field, oneOf(parts, COUNTED[field], values));
  };
  among('standing', filter.standing ?? ['waiting']);
  among('state', filter.state);
  among(
    'label',
    filter.label?.map((label) => listedLabel(parts, label)),
  );
  among('class', filter.class && withSubclasses(parts, filter.class));
  among('submitter', filter.submitter === undefined ? undefined : [filter.submitter]);
  among('batch', filter.batch === undefined ? undefined : [filter.batch]);
  const { valid, pid, matching } = filter;
  if (valid !== undefined) counted.set('valid', (given) => `valid = ${given(valid ? 1 : 0)}`);
  const others: Condition[] = [];
  if (pid !== undefined) {
    const iri = iriOfPid(parts, pid);
    others.push((given) => `iri = ${given(iri)}`);
  }
  if (matching !== undefined) others.push(await matchingCondition(parts, matching));
  return { counted, others, scope: pid === undefined ? PRESENT : PRESENT_ON_RECORD };
}

/** A label that cannot be one selects nothing. */
function listedLabel({ zones }: ReviewParts, label: string): string {
  try {
    return zones.first(label);
  } catch {
    return label;
  }
}

export function oneOf({ database }: ReviewParts, column: string, values: readonly string[]): Condition {
  if (values.length === 1) return (given) => `${column} = ${given(values[0]!)}`;
  return (given) => database.dialect.among(column, Number(given(values).slice(1)));
}

export function withSubclasses({ schema }: ReviewParts, names: readonly string[]): string[] {
  return names.flatMap((name) => [name, ...schema.descendants(name)]);
}

/** A pid that cannot be resolved matches no submission. */
function iriOfPid({ schema }: ReviewParts, pid: string): string {
  try {
    return resolvePid(schema, pid);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'prefix_unknown') return pid;
    throw error;
  }
}

/** Records read at a time while a zone is searched. */
const FILTERED_AT_ONCE = 1000;

async function matchingCondition(parts: ReviewParts, matching: string): Promise<Condition> {
  if (!parts.matching) {
    throw new ServiceError(
      'parameter_invalid',
      'matching: the storage backend of this collection cannot search. Filter by another parameter.',
      [{ type: 'payload_invalid', loc: ['query', 'matching'], msg: 'The storage backend cannot search.' }],
    );
  }
  const found: string[] = [];
  for (const { label, area } of await parts.zones.written()) {
    const { store } = (await parts.zones.existing(label))!;
    for await (const iri of matchingIris(store, matching)) found.push(`${area} ${iri}`);
  }
  return (given) =>
    parts.database.dialect.among(`CAST(area AS TEXT) || ' ' || iri`, Number(given(found).slice(1)));
}

/** The IRIs of the records of an area that a pattern matches. */
export async function* matchingIris(store: RecordStore, matching: string): AsyncIterable<string> {
  for (let offset = 0; ; offset += FILTERED_AT_ONCE) {
    const records = await store.list({ matching }, { offset, limit: FILTERED_AT_ONCE });
    for (const { iri } of records) yield iri;
    if (records.length < FILTERED_AT_ONCE) return;
  }
}

/** All conditions as one, without that on one field. */
export function whereOf(
  { counted = new Map(), others }: Pick<Conditions, 'others'> & Partial<Conditions>,
  except?: Field,
): Condition {
  const own = [...counted].filter(([field]) => field !== except).map(([, condition]) => condition);
  return (given) => [...own, ...others].map((condition) => condition(given)).join(' AND ') || '1 = 1';
}

/** A statement with its values. @param text the statement; `given` adds a value, and returns its parameter */
export function statement(text: (given: (value: Value) => string) => string): [string, Value[]] {
  const values: Value[] = [];
  return [text((value) => `$${values.push(value)}`), values];
}
