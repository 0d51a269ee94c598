/**
 * The stored records that do not fit the schema of today. They are kept as ledger rows of their area, for each
 * collection that has the area, so that they are known after a restart.
 */

import type { Problem } from '../errors.ts';
import type { Threads } from '../jobs/threads.ts';
import { definedRecord } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { LedgerChange, LedgerRow, RecordStore, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';
import { SERVICE, type Stewarded } from './areas.ts';
import type { FollowOptions } from './follow.ts';

/** A record that the schema refuses, and why. */
export type RecordFault = {
  readonly pid: string;
  readonly class: string;
  readonly problems: readonly Problem[];
};

type CheckedUpTo = { readonly schema: string; readonly revision: number };

const CHECKED_AT_ONCE = 200;
/** So many problems are kept of a record. */
const MOST_PROBLEMS_KEPT = 20;

/** What the schema says of a stored record. */
export function recordProblems(
  schema: Schema,
  record: Pick<StoredRecord, 'pid' | 'className' | 'json'>,
): readonly Problem[] {
  const { pid, className } = record;
  if (!schema.classes.has(className)) {
    const msg = `The schema has no class '${className}'.`;
    return [{ type: 'class_unknown', loc: [], msg, input: className }];
  }
  const checked = schema.check(className, definedRecord(schema, record));
  const problems = checked.valid ? [] : checked.problems;
  if (schema.expand(pid) !== undefined) return problems;
  const msg = `The schema has no prefix for the pid '${pid}'.`;
  return [...problems, { type: 'prefix_unknown', loc: ['pid'], msg, input: pid }];
}

/** The same, of a long record in a thread. */
async function problemsOfLong(
  schema: Schema,
  record: StoredRecord,
  threads: Threads | undefined,
): Promise<readonly Problem[]> {
  const { className, pid, json } = record;
  const isKnown = schema.classes.has(className) && schema.expand(pid) !== undefined;
  if (!threads || json.length < LONG_RECORD || !isKnown) return recordProblems(schema, record);
  const input = { className, json, most: MOST_PROBLEMS_KEPT };
  return resultWithSchema<Problem[]>(threads, schema, 'check record', input);
}

/**
 * Checks the records that have changed since the last time, or all if the schema has; none if another process owns the
 * store.
 *
 * @param steps how far to go at most; by default to the end
 * @returns how many changes are left
 */
export async function followFaults(
  { name, schema }: Pick<Stewarded, 'name' | 'schema'>,
  store: RecordStore,
  { turn, steps = Number.POSITIVE_INFINITY, threads }: FollowOptions,
): Promise<number> {
  let { revision } = await checkedUpTo(store, name, schema);
  // The service that owns the store checks its records.
  const most = store.followed ? 0 : steps;
  let hasFaults = (await store.ledger.count({ kind: 'fault', keys: [name] })) > 0;
  for (let step = 0; step < most && !turn?.stopping; step++) {
    const changes = await store.changesSince(revision, CHECKED_AT_ONCE);
    if (changes.length === 0) break;
    const rows: LedgerChange[] = [];
    for (const change of changes) {
      await turn?.breathe();
      const row: LedgerChange =
        change.kind === 'delete'
          ? { remove: { kind: 'fault', id: idOf(name, change.iri) } }
          : ledgerChange(name, change.record, await problemsOfLong(schema, change.record, threads));
      // Most areas have no faults, so a removal would change nothing.
      if ('set' in row || hasFaults) rows.push(row);
      hasFaults ||= 'set' in row;
      revision = change.kind === 'delete' ? change.revision : change.record.revision;
    }
    const position: CheckedUpTo = { schema: schema.digest, revision };
    rows.push({ set: { kind: 'checked', id: name, keys: [], json: JSON.stringify(position) } });
    await store.write([], SERVICE, rows);
    turn?.reached?.(revision);
  }
  return (await store.revision()) - revision;
}

async function checkedUpTo(store: RecordStore, name: string, { digest }: Schema): Promise<CheckedUpTo> {
  const row = await store.ledger.get('checked', name);
  const position = row && (JSON.parse(row.json) as CheckedUpTo);
  return position?.schema === digest ? position : { schema: digest, revision: 0 };
}

function ledgerChange(
  name: string,
  { iri, pid, className }: StoredRecord,
  problems: readonly Problem[],
): LedgerChange {
  const id = idOf(name, iri);
  if (problems.length === 0) return { remove: { kind: 'fault', id } };
  const fault: RecordFault = { pid, class: className, problems: problems.slice(0, MOST_PROBLEMS_KEPT) };
  return { set: { kind: 'fault', id, keys: [name, `${name}\n${className}`], json: JSON.stringify(fault) } };
}

function idOf(name: string, iri: string): string {
  return `${name}\n${iri}`;
}

/** The faults of an area that are known. @param after the id of the last one of the page before */
export async function faultsIn(
  store: RecordStore,
  name: string,
  limit: number,
  after?: string,
): Promise<{ readonly faults: RecordFault[]; readonly last: string | undefined }> {
  const rows: LedgerRow[] = await store.ledger.list({
    kind: 'fault',
    keys: [name],
    limit,
    ...(after !== undefined && { after: idOf(name, after) }),
  });
  return {
    faults: rows.map(({ json }) => JSON.parse(json) as RecordFault),
    last: rows.length < limit ? undefined : rows.at(-1)?.id.slice(name.length + 1),
  };
}

/** How many records of the areas that are open do not fit, as far as it is known. */
export async function countFaults({ name, curated, zones }: Stewarded): Promise<number> {
  const stores = [
    curated,
    ...zones
      .opened()
      .filter(({ isCurated }) => !isCurated)
      .map(({ store }) => store),
  ];
  const counts = await Promise.all(stores.map(({ ledger }) => ledger.count({ kind: 'fault', keys: [name] })));
  return counts.reduce((sum, count) => sum + count, 0);
}
