/** Which submissions: filters of the queue as conditions of SQL. */
import type { SQLInputValue } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import { resolvePid } from '../records/record.ts';
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

export type Field = 'standing' | 'state' | 'label' | 'class' | 'submitter' | 'batch' | 'valid';

/** Conditions on columns that both the table of submissions and that of counts have, and others. */
export type Conditions = {
  readonly counted: ReadonlyMap<Field, Condition>;
  /** On submissions alone: pid and matching. */
  readonly others: readonly Condition[];
  /** Whether the pid is among them. */
  readonly isOneRecord: boolean;
};

export type Condition = { readonly sql: string; readonly values: readonly SQLInputValue[] };

/** @throws ServiceError `payload_invalid` for `matching` on a backend that ignores it */
export async function conditionsOf(parts: ReviewParts, filter: Filter): Promise<Conditions> {
  const counted = new Map<Field, Condition>();
  const among = (field: Field, values: readonly string[] | undefined) => {
    if (values) counted.set(field, oneOf(field, values));
  };
  among('standing', filter.standing ?? ['waiting']);
  among('state', filter.state);
  among('label', filter.label && (await zoneLabels(parts, filter.label)));
  among(
    'class',
    filter.class?.flatMap((name) => [name, ...parts.schema.descendants(name)]),
  );
  among('submitter', filter.submitter === undefined ? undefined : [filter.submitter]);
  among('batch', filter.batch === undefined ? undefined : [filter.batch]);
  if (filter.valid !== undefined) counted.set('valid', { sql: 'valid = ?', values: [filter.valid ? 1 : 0] });
  const others: Condition[] = [];
  if (filter.pid !== undefined) others.push({ sql: 'iri = ?', values: [iriOfPid(parts, filter.pid)] });
  if (filter.matching !== undefined) others.push(await matchingCondition(parts, filter.matching));
  return { counted, others, isOneRecord: filter.pid !== undefined };
}

function oneOf(field: Field, values: readonly string[]): Condition {
  if (values.length === 1) return { sql: `${field} = ?`, values: [...values] };
  return { sql: `${field} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
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

/** The labels under which zones are listed: the first of those that share one. */
async function zoneLabels(parts: ReviewParts, labels: readonly string[]): Promise<string[]> {
  const known = new Set(await parts.zones.labels());
  return Promise.all(
    labels.map(async (label) => (known.has(label) ? await firstLabel(parts, label) : label)),
  );
}

const firstLabels = new WeakMap<ReviewParts, Map<string, string>>();

/** The first label, by code point, of the zone that a label names. */
export async function firstLabel(parts: ReviewParts, label: string): Promise<string> {
  let known = firstLabels.get(parts);
  if (!known) {
    known = new Map();
    firstLabels.set(parts, known);
  }
  const found = known.get(label);
  if (found !== undefined) return found;
  const { key } = await parts.zones.follow(label);
  const byKey = known.get(`\0${key}`);
  const first = byKey === undefined || label < byKey ? label : byKey;
  known.set(`\0${key}`, first);
  known.set(label, first);
  return first;
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
  for (const label of await parts.zones.labels()) {
    if ((await firstLabel(parts, label)) !== label) continue;
    const { store, isCurated } = await parts.zones.follow(label);
    for (let offset = 0; !isCurated; offset += FILTERED_AT_ONCE) {
      const records = await store.list({ matching }, { offset, limit: FILTERED_AT_ONCE });
      for (const { iri } of records) found.push(`${label}\0${iri}`);
      if (records.length < FILTERED_AT_ONCE) break;
    }
  }
  return {
    sql: `label || char(0) || iri IN (SELECT value FROM json_each(?))`,
    values: [JSON.stringify(found)],
  };
}

/** The conditions as one text, without that on one field. */
export function whereOf({ counted, others }: Conditions, except?: Field): Condition {
  const all = [...counted].filter(([field]) => field !== except).map(([, condition]) => condition);
  const parts = [...all, ...others];
  return {
    sql: parts.length === 0 ? '1' : parts.map(({ sql }) => sql).join(' AND '),
    values: parts.flatMap(({ values }) => values),
  };
}
