/** Deciding on submissions, one or many, and undoing. */
import { type ApiError, ask } from './api.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { DecisionRow, QueueRow, Side, Verdict } from './review.ts';
import { afterWrite } from './submit.ts';

export type Proposal = {
  readonly label: string;
  readonly pid: string;
  readonly digest: string;
  readonly decision: Verdict;
  readonly reason?: string;
  readonly until?: string;
  readonly record?: JsonObject;
  readonly take?: Readonly<Record<string, Side>>;
  readonly if_curated?: string | null;
  readonly with_references?: readonly { pid: string; digest: string }[];
  readonly overturn?: boolean;
};

export type Outcome = {
  readonly status: number;
  readonly label: string;
  readonly pid: string;
  readonly decision?: DecisionRow;
  readonly detail?: readonly { msg: string; type: string }[];
};

const REVIEW = (collection: string, ...more: string[]) => ['-', collection, 'review', ...more];

/** Makes one decision. @throws ApiError */
export async function decide(collection: string, proposal: Proposal): Promise<DecisionRow> {
  const { value } = await ask(REVIEW(collection, 'decisions'), { method: 'POST', body: proposal });
  afterWrite();
  const found = isObject(value) && isObject(value.decision) ? value.decision : value;
  return found as unknown as DecisionRow;
}

/** Decisions in chunks; stops after the current one if asked to. */
export async function decideMany(
  collection: string,
  proposals: readonly Proposal[],
  steps: { chunk?: number; onDone: (done: number) => void; isStopped: () => boolean },
): Promise<Outcome[]> {
  const { chunk = 100, onDone, isStopped } = steps;
  const outcomes: Outcome[] = [];
  for (let from = 0; from < proposals.length && !isStopped(); from += chunk) {
    const { value } = await ask<{ results: Outcome[] }>(REVIEW(collection, 'decisions'), {
      method: 'POST',
      body: proposals.slice(from, from + chunk),
    });
    outcomes.push(...value.results);
    onDone(outcomes.length);
  }
  afterWrite();
  return outcomes;
}

export type FilterRun = {
  readonly filter: Readonly<Record<string, Json>>;
  readonly expected: number;
  readonly asOf: Json;
  readonly decision: Verdict;
};

/** The same decision on what a filter selects, up to 1,000 at a time. */
export async function decideByFilter(
  collection: string,
  run: FilterRun,
  steps: { onDone: (done: number) => void; isStopped: () => boolean },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let after: string | null | undefined;
  let expected = run.expected;
  do {
    const body: JsonObject = {
      filter: run.filter,
      expected,
      decision: run.decision,
      ...(run.asOf === null ? {} : { as_of: run.asOf }),
      ...(after ? { after } : {}),
    };
    const { value } = await ask<{ selected: number; results: Outcome[]; next: string | null }>(
      REVIEW(collection, 'decisions', 'by-filter'),
      { method: 'POST', body },
    );
    outcomes.push(...value.results);
    steps.onDone(outcomes.length);
    expected = run.expected - outcomes.length;
    after = value.next;
  } while (after && expected > 0 && !steps.isStopped());
  afterWrite();
  return outcomes;
}

/** Undoes a decision with its group. @throws ApiError */
export async function undo(collection: string, id: string): Promise<void> {
  await ask(REVIEW(collection, 'decisions', id, 'undo'), { method: 'POST' });
  afterWrite();
}

/** What another decision says that was made before this one. */
export function madeBefore(error: ApiError): DecisionRow | undefined {
  const found =
    isObject(error.body) && isObject(error.body.decision) ? error.body.decision : error.first.decision;
  return isObject(found) ? (found as unknown as DecisionRow) : undefined;
}

/** The row of a queue as a decision names it. */
export function proposalFor(
  row: Pick<QueueRow, 'label' | 'pid' | 'digest' | 'standing'>,
  decision: Verdict,
): Proposal {
  return {
    label: row.label,
    pid: row.pid,
    digest: row.digest,
    decision,
    ...(row.standing === 'rejected' ? { overturn: true } : {}),
  };
}
