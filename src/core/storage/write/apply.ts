/** Carries out transactions on a connection that writes; see `database.ts`. */
import { hash } from 'node:crypto';
import { receivedError, type SentError, sentError } from '../../errors.ts';
import type { Connection, Statement } from '../connection.ts';
import type { Derived, RevisionOf, Step, Transaction } from '../database.ts';
import type { Value } from '../dialect.ts';
import { revisionOf } from '../read/order.ts';
import { indexTexts } from '../search/text-index.ts';
import { indexValues } from '../search/value-index.ts';
import { indexWords } from '../search/word-index.ts';
import { settleEntries } from './policies.ts';
import { restoreEntries, settlePolicies, writeRecords } from './records.ts';
import { writeStaged } from './staged.ts';

/** Something that a transaction rests on has changed since it was prepared. */
export class TransactionConflict extends Error {}

/** The revisions that each step gave to its changes; of a statement, how many rows it changed. */
export type Revisions = readonly (readonly number[])[];

/**
 * Checks, then carries out all steps. The caller begins and ends the transaction of the database.
 *
 * @throws TransactionConflict, and what the steps throw: then the caller takes everything back
 */
export async function apply(connection: Connection, { checks, steps }: Transaction): Promise<Revisions> {
  const found = await Promise.all(checks.map(({ sql, values }) => connection.tuples(sql, values)));
  if (checks.some(({ expected }, at) => fingerprint(found[at]!) !== expected))
    throw new TransactionConflict();
  const revisions: (readonly number[])[] = [];
  for (let at = 0; at < steps.length; at = revisions.length) {
    const step = steps[at]!;
    if ('sql' in step)
      for (const changed of await connection.each(statementsFrom(steps, at, revisions)))
        revisions.push([changed]);
    else revisions.push(await carryOut(connection, step));
  }
  return revisions;
}

/** Each of the statements that are sent together has to be done within the time of one statement. */
const STATEMENTS_AT_ONCE = 1000;

/** The statements from a step on, up to the next one of another kind, which they do not refer to. */
function statementsFrom(steps: readonly Step[], start: number, before: Revisions): Statement[] {
  const statements: Statement[] = [];
  const end = Math.min(steps.length, start + STATEMENTS_AT_ONCE);
  for (let at = start; at < end; at++) {
    const step = steps[at]!;
    if (!('sql' in step)) break;
    statements.push({ sql: step.sql, values: step.values.map((value) => bindable(value, before)) });
  }
  return statements;
}

async function carryOut(
  connection: Connection,
  step: Exclude<Step, { readonly sql: string }>,
): Promise<readonly number[]> {
  if ('restored' in step) {
    await restoreEntries(connection, step.area.id, step.restored);
    return [];
  }
  if ('staged' in step) {
    await writeStaged(connection, step);
    return [];
  }
  if ('derived' in step) {
    await derive(connection, step.area.id, step.derived);
    return [];
  }
  if ('revisionOf' in step) return [await revisionOf(connection, { id: step.revisionOf })];
  return writeRecords(connection, step.area.id, step.changes, step.by);
}

function derive(connection: Connection, area: number, derived: Derived): Promise<void> {
  switch (derived.of) {
    case 'texts':
      return indexTexts(connection, area, derived.span);
    case 'words':
      return indexWords(connection, area, derived.span, derived.options);
    case 'policies':
      return settlePolicies(connection, area, derived.iris);
    case 'entries':
      return settleEntries(connection, area, derived.revisions);
    case 'values':
      return indexValues(connection, area, derived.span);
  }
}

function bindable(value: Value | RevisionOf, revisions: Revisions): Value {
  const isRevision = typeof value === 'object' && value !== null && 'step' in value;
  if (!isRevision) return value;
  const { step, change } = value;
  const revision = revisions[step]?.[change];
  if (revision === undefined)
    throw new Error(`The statement refers to a change that was not made before it.`);
  return revision;
}

/** Longer results are compared by a digest. */
const LONGEST_RESULT = 500;

/** Returns a string that stands for the rows of a read in a check. */
export function fingerprint(rows: readonly (readonly unknown[])[]): string {
  const text = JSON.stringify(rows);
  return text.length <= LONGEST_RESULT ? text : hash('sha256', text, 'base64');
}

/** An error of a step as it is sent to another thread. */
export type StepError = SentError | { readonly outdated: true };

export function sentStepError(error: unknown): StepError {
  return error instanceof TransactionConflict ? { outdated: true } : sentError(error);
}

export function receivedStepError(error: StepError): unknown {
  return 'outdated' in error ? new TransactionConflict() : receivedError(error);
}
