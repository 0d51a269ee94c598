/** Deciding on submissions, one or many. */

import { isObject, type Json, type JsonObject } from '../../../../ui/shared/json.ts';
import { lookedUp } from '../../../../ui/shared/lost-answer.ts';
import { ClientError, lab } from '../../../../ui/shared/service.ts';
import { session } from '../../../../ui/shared/session.ts';
import type {
  AssignmentRequest,
  AssignmentResult,
  CommentRequest,
  CommentResult,
  Decision,
  DecisionRequest,
  DecisionResult,
  QueueSummary,
  Submission,
  UndoResult,
} from '../api-types.ts';
import { review } from '../client.ts';
import type { QueueFilter } from './queue-filters.tsx';
import type { Verdict } from './verdicts.ts';

/** Makes one decision. @throws ClientError */
export async function decide(collection: string, request: DecisionRequest): Promise<Decision> {
  return lookedUp(
    () => lab(collection).use(review).decideOne(request),
    () => becameOf(collection, request),
  );
}

/** The decision that was made of a request whose answer was lost; undefined if it was not made. */
export async function becameOf(
  collection: string,
  { label, pid, digest, decision, reason = null }: DecisionRequest,
): Promise<Decision | undefined> {
  const { items } = await lab(collection).use(review).decisions({ pid, label, reviewer: 'me', size: 1 });
  const [last] = items;
  const isIt = last && last.digest === digest && last.reason === reason && last.undone === null;
  // Where two curators have to accept, the first one has approved.
  return isIt && (last.decision === decision || last.decision === 'approve') ? last : undefined;
}

/** Receives the results of a run over many submissions; it stops if `isStopped`. */
export type Run<Result> = {
  readonly onResults: (results: readonly Result[]) => void;
  readonly isStopped: () => boolean;
};

/** Submissions of one request: a few seconds at most until it is stopped, or says how far it is. */
export const AT_ONCE = 100;

/** Decisions in chunks; stops after the current one if asked to. */
export async function decideMany(
  collection: string,
  requests: readonly DecisionRequest[],
  { onResults, isStopped }: Run<DecisionResult>,
): Promise<void> {
  for (let from = 0; from < requests.length && !isStopped(); from += AT_ONCE) {
    const group = requests.slice(from, from + AT_ONCE);
    const send = () => lab(collection).use(review).decide(group);
    // A deferral that is sent again is another one, and its submitter reads of both.
    const isDeferral = group.some(({ decision }) => decision === 'defer');
    onResults(await (isDeferral ? send() : lookedUp(send, () => sendAgain(collection, group))));
  }
}

/** Sends decisions whose answer was lost: those that were made are refused, with what was decided. */
async function sendAgain(collection: string, group: readonly DecisionRequest[]): Promise<DecisionResult[]> {
  const results = await lab(collection).use(review).decide(group);
  const me = session.me.peek()?.user_id;
  return results.map((result, at) => {
    const decision = madeBefore(errorOf(result));
    const isOwn = decision && decision.reviewer === me && decision.digest === group[at]?.digest;
    if (!isOwn || decision.decision !== group[at]?.decision) return result;
    const { detail: _, ...others } = result;
    return { ...others, status: 200, decision };
  });
}

/** The comments of a curator on many submissions, in chunks; stops after the current one if asked to. */
export async function commentMany(
  collection: string,
  groups: AsyncIterable<readonly Submission[]> | Iterable<readonly Submission[]>,
  comment: Pick<CommentRequest, 'text' | 'requests'>,
  { onResults, isStopped }: Run<CommentResult>,
): Promise<void> {
  for await (const rows of groups) {
    if (isStopped()) return;
    const comments = rows.map(({ label, pid }) => ({ label, pid, ...comment }));
    onResults(await lab(collection).use(review).commentAll(comments));
  }
}

/** Assigns many submissions, in chunks; stops after the current one if asked to. */
export async function assignMany(
  collection: string,
  groups: AsyncIterable<readonly Submission[]> | Iterable<readonly Submission[]>,
  assigning: Pick<AssignmentRequest, 'assignee' | 'due'>,
  { onResults, isStopped }: Run<AssignmentResult>,
): Promise<void> {
  for await (const rows of groups) {
    if (isStopped()) return;
    const assignments = rows.map(({ label, pid }) => ({ label, pid, ...assigning }));
    onResults(await lab(collection).use(review).assignAll(assignments));
  }
}

/** The rows in chunks. */
export function* chunksOf(rows: readonly Submission[]): Generator<readonly Submission[]> {
  for (let from = 0; from < rows.length; from += AT_ONCE) yield rows.slice(from, from + AT_ONCE);
}

/** What a filter has selected when it was counted, in chunks: what arrives meanwhile is left out. */
export async function* submissionsIn(
  collection: string,
  filter: QueueFilter,
  { total, as_of: asOf }: QueueSummary,
): AsyncGenerator<readonly Submission[]> {
  let after: string | null | undefined;
  let open = total;
  do {
    const { items, next } = await lab(collection)
      .use(review)
      .list({ ...filter, size: AT_ONCE, ...(after && { after }) });
    const counted = items.filter(({ submitted_at: time }) => time <= asOf).slice(0, open);
    if (counted.length > 0) yield counted;
    open -= counted.length;
    after = next;
  } while (after && open > 0);
}

type Selection = {
  readonly filter: JsonObject;
  readonly expected: number;
  readonly asOf: string | undefined;
  readonly decision: Verdict;
  readonly words: Words;
};

/** The words of a decision, and until when it defers. */
type Words = Pick<DecisionRequest, 'reason' | 'until'>;

/** Makes one decision on every submission that a filter selects, up to 1,000 at a time. */
export async function decideByFilter(
  collection: string,
  { filter, expected: all, asOf, decision, words }: Selection,
  { onResults, isStopped }: Run<DecisionResult>,
): Promise<void> {
  let after: string | null | undefined;
  let expected = all;
  do {
    const body = {
      filter,
      expected,
      decision,
      ...words,
      // Rejected submissions are selected by their standing only: that they are decided again is meant.
      ...(filter.standing === 'rejected' && { overturn: true }),
      ...(asOf === undefined ? {} : { as_of: asOf }),
      ...(after ? { after } : {}),
    };
    const { results, next } = await lab(collection).use(review).decideByFilter(body);
    onResults(results);
    expected -= results.length;
    after = next;
  } while (after && expected > 0 && !isStopped());
}

/** The decision that was made before this one, if an error has it. */
export function madeBefore({ body, problems }: ClientError): Decision | undefined {
  const [first] = problems as readonly { decision?: Json }[];
  const found = isObject(body) && isObject(body.decision) ? body.decision : first?.decision;
  return isObject(found) ? (found as unknown as Decision) : undefined;
}

/** The refusal of one of many as the error that it would be alone. */
export function errorOf(result: DecisionResult | CommentResult | UndoResult): ClientError {
  const detail = result.detail ?? [];
  const words = detail.map(({ msg }) => msg).join(' ');
  return new ClientError(words, result.status, detail, { body: result as unknown as JsonObject });
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
