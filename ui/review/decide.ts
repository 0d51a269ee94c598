/** Deciding on submissions, one or many, and undoing. */
import type {
  ClientError,
  Decision,
  DecisionRequest,
  DecisionResult,
  Submission,
} from '../../src/client/client.ts';
import { isObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Verdict } from '../shared/review.ts';
import { lab } from '../shared/service.ts';
import { afterWrite } from '../shared/submit.ts';

/** Makes one decision. @throws ClientError */
export async function decide(collection: string, request: DecisionRequest): Promise<Decision> {
  const decision = await lab(collection).review.decideOne(request);
  afterWrite();
  return decision;
}

/** Decisions in chunks; stops after the current one if asked to. */
export async function decideMany(
  collection: string,
  requests: readonly DecisionRequest[],
  steps: { chunk?: number; onDone: (done: number) => void; isStopped: () => boolean },
): Promise<DecisionResult[]> {
  const { chunk = 100, onDone, isStopped } = steps;
  const outcomes: DecisionResult[] = [];
  for (let from = 0; from < requests.length && !isStopped(); from += chunk) {
    outcomes.push(...(await lab(collection).review.decide(requests.slice(from, from + chunk))));
    onDone(outcomes.length);
  }
  afterWrite();
  return outcomes;
}

export type FilterRun = {
  readonly filter: JsonObject;
  readonly expected: number;
  readonly asOf: string | undefined;
  readonly decision: Verdict;
};

/** The same decision on what a filter selects, up to 1,000 at a time. */
export async function decideByFilter(
  collection: string,
  run: FilterRun,
  steps: { onDone: (done: number) => void; isStopped: () => boolean },
): Promise<DecisionResult[]> {
  const outcomes: DecisionResult[] = [];
  let after: string | null | undefined;
  let expected = run.expected;
  do {
    const body = {
      filter: run.filter,
      expected,
      decision: run.decision,
      ...(run.asOf === undefined ? {} : { as_of: run.asOf }),
      ...(after ? { after } : {}),
    };
    const { results, next } = await lab(collection).review.decideByFilter(body);
    outcomes.push(...results);
    steps.onDone(outcomes.length);
    expected = run.expected - outcomes.length;
    after = next;
  } while (after && expected > 0 && !steps.isStopped());
  afterWrite();
  return outcomes;
}

/** Undoes a decision with its group. @throws ClientError */
export async function undo(collection: string, id: string): Promise<void> {
  await lab(collection).review.undo(id);
  afterWrite();
}

/** The decision that was made before this one, if an error has it. */
export function madeBefore({ body, problems }: ClientError): Decision | undefined {
  const [first] = problems as readonly { decision?: Json }[];
  const found = isObject(body) && isObject(body.decision) ? body.decision : first?.decision;
  return isObject(found) ? (found as unknown as Decision) : undefined;
}

/** The row of a queue as a decision names it. */
export function proposalFor(
  row: Pick<Submission, 'label' | 'pid' | 'digest' | 'standing'>,
  decision: Verdict,
): DecisionRequest {
  return {
    label: row.label,
    pid: row.pid,
    digest: row.digest,
    decision,
    ...(row.standing === 'rejected' ? { overturn: true } : {}),
  };
}
