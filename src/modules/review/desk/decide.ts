/** Deciding on submissions, one or many. */

import { isObject, type Json, type JsonObject } from '../../../../ui/shared/json.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import type { ClientError } from '../../../client/client.ts';
import type { Decision, DecisionRequest, DecisionResult, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import type { Verdict } from './verdicts.ts';

/** Makes one decision. @throws ClientError */
export async function decide(collection: string, request: DecisionRequest): Promise<Decision> {
  const decision = await lab(collection).use(review).decideOne(request);
  afterWrite();
  return decision;
}

/** Receives the results of a run over many submissions; it stops if `isStopped`. */
export type Run = {
  readonly onResults: (results: readonly DecisionResult[]) => void;
  readonly isStopped: () => boolean;
};

const AT_ONCE = 100;

/** Decisions in chunks; stops after the current one if asked to. */
export async function decideMany(
  collection: string,
  requests: readonly DecisionRequest[],
  { onResults, isStopped }: Run,
): Promise<void> {
  for (let from = 0; from < requests.length && !isStopped(); from += AT_ONCE)
    onResults(
      await lab(collection)
        .use(review)
        .decide(requests.slice(from, from + AT_ONCE)),
    );
}

export type Selection = {
  readonly filter: JsonObject;
  readonly expected: number;
  readonly asOf: string | undefined;
  readonly decision: Verdict;
};

/** The same decision on what a filter selects, up to 1,000 at a time. */
export async function decideByFilter(
  collection: string,
  { filter, expected: all, asOf, decision }: Selection,
  { onResults, isStopped }: Run,
): Promise<void> {
  let after: string | null | undefined;
  let expected = all;
  do {
    const body = {
      ...{ filter, expected, decision },
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
