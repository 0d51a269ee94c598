/** Which submissions: filters of the queue as conditions of SQL. */
import { isServiceError, ServiceError } from '../../../core/errors.ts';
import { resolvePid } from '../../../core/records/record.ts';
import type { Value } from '../../../core/storage/dialect.ts';
import type { RecordStore } from '../../../core/storage/store.ts';
import { yielder } from '../../../core/yield.ts';
import type { ReviewParts } from '../parts.ts';
import type { ColumnFilter } from './columns.ts';
import { type CountedField, FILTERS, type Filter } from './fields.ts';

/** Assignees who curate no more: their submissions are unassigned. */
export type Lost = ReadonlySet<string>;

/** The filter of a user, whom it may call `me`. */
export function filterFor(filter: Filter, userId: string): Filter {
  const { assignee } = filter;
  return assignee ? { ...filter, assignee: assignee.map((one) => (one === 'me' ? userId : one)) } : filter;
}

/** Converts the values of filters that the database has in another form. */
const STORED: {
  readonly [Name in keyof Filter]?: (
    parts: ReviewParts,
    value: never,
    lost: Lost,
  ) => readonly (string | number)[];
} = {
  assignee: (_, names: readonly string[], lost) =>
    names.flatMap((name) => (name === 'none' ? ['', ...lost] : lost.has(name) ? [] : [name])),
  label: (parts, labels: readonly string[]) => labels.map((label) => listedLabel(parts, label)),
  class: (parts, names: readonly string[]) => withSubclasses(parts, names),
  valid: (_, isValid: boolean) => [isValid ? 1 : 0],
};

/** A condition; `given` adds a value of the statement, and returns its parameter. */
export type Condition = (given: (value: Value) => string) => string;

/** Conditions on columns that both the table of submissions and that of counts have, and others. */
export type Conditions = {
  readonly counted: ReadonlyMap<CountedField, Condition>;
  /** On submissions alone: pid, conflicts and matching. */
  readonly others: readonly Condition[];
  /** On submissions alone, in every case: the index of a page has it, or leads to the rows. */
  readonly scope: string;
};

/** Submissions that are in their zones. */
const PRESENT = 'present = 1';
/** {@link PRESENT}, of a submission that is found by its record: the plus keeps SQLite from an index of the order. */
const PRESENT_ON_RECORD = '+present = 1';

/** @throws ServiceError `parameter_invalid` for `matching` on a backend that ignores it */
export async function conditionsOf(parts: ReviewParts, filter: Filter, lost: Lost): Promise<Conditions> {
  const counted = new Map<CountedField, Condition>();
  const others: Condition[] = [];
  // Words are found in the texts of submissions, see words.ts.
  const { pid, matching, conflicts, q: _, ...equal } = { standing: ['waiting'] as const, ...filter };
  for (const [name, value] of Object.entries(equal)) {
    if (value === undefined) continue;
    const { column, isCounted }: ColumnFilter = FILTERS[name as keyof Filter];
    const stored = STORED[name as keyof Filter]?.(parts, value as never, lost) ?? [value].flat();
    const condition = oneOf(parts, column!, stored as readonly (string | number)[]);
    if (isCounted) counted.set(name as CountedField, condition);
    else others.push(condition);
  }
  if (pid !== undefined) {
    const iri = iriOfPid(parts, pid);
    others.push((given) => `iri = ${given(iri)}`);
  }
  if (conflicts !== undefined) others.push(() => (conflicts ? 'conflicts > 0' : 'conflicts = 0'));
  if (matching !== undefined) others.push(await matchingCondition(parts, matching));
  return { counted, others, scope: pid === undefined ? PRESENT : PRESENT_ON_RECORD };
}

/** A label that cannot be one selects nothing. */
export function listedLabel({ zones }: ReviewParts, label: string): string {
  try {
    return zones.first(label);
  } catch {
    return label;
  }
}

export function oneOf(
  { database }: ReviewParts,
  column: string,
  values: readonly (string | number)[],
): Condition {
  if (values.length === 1) return (given) => `${column} = ${given(values[0]!)}`;
  return (given) => database.dialect.among(column, Number(given(values as readonly string[]).slice(1)));
}

export function withSubclasses({ schema }: ReviewParts, names: readonly string[]): string[] {
  return names.flatMap((name) => [name, ...schema.descendants(name)]);
}

/** A pid that cannot be resolved matches no submission. */
function iriOfPid({ schema }: ReviewParts, pid: string): string {
  try {
    return resolvePid(schema, pid);
  } catch (error) {
    if (isServiceError(error) && error.code === 'prefix_unknown') return pid;
    throw error;
  }
}

async function matchingCondition(parts: ReviewParts, matching: string): Promise<Condition> {
  if (!parts.matching) {
    throw new ServiceError(
      'parameter_invalid',
      'matching: the storage backend of this collection cannot search. Filter by another parameter.',
      [{ type: 'payload_invalid', loc: ['query', 'matching'], msg: 'The storage backend cannot search.' }],
    );
  }
  const found: number[][] = [];
  for (const { label } of await parts.zones.written()) {
    const { store } = (await parts.zones.existing(label))!;
    found.push(await submissionsMatching(parts, store, matching));
  }
  return amongIds(parts, found.flat());
}

/** The ids of the submissions in a zone that a pattern matches: there may be many, and they are shorter than IRIs. */
export async function submissionsMatching(
  { database }: ReviewParts,
  store: RecordStore,
  matching: string,
): Promise<number[]> {
  const found: number[] = [];
  const yieldIfDue = yielder();
  for await (const iris of store.matching(matching)) {
    await yieldIfDue();
    const rows = await database.tuples<[number]>(
      `SELECT id FROM accession_submission WHERE area = $1 AND ${database.dialect.among('iri', 2)}`,
      [store.area.id, iris],
    );
    for (const [id] of rows) found.push(id);
  }
  return found;
}

export function amongIds({ database }: ReviewParts, ids: readonly number[]): Condition {
  return (given) => database.dialect.among('id', Number(given(ids).slice(1)), 'bigint');
}

/** All conditions as one. */
export function whereOf({
  counted = new Map(),
  others,
}: Pick<Conditions, 'others'> & Partial<Conditions>): Condition {
  return (given) =>
    [...counted.values(), ...others].map((condition) => condition(given)).join(' AND ') || '1 = 1';
}

/** A statement with its values. @param text the statement; `given` adds a value, and returns its parameter */
export function statement(text: (given: (value: Value) => string) => string): [string, Value[]] {
  const values: Value[] = [];
  return [text((value) => `$${values.push(value)}`), values];
}
