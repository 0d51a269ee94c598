/** `accession review show`, `accept`, `reject`, `defer` and `undo`. */

import { serviceOf } from '../../../cli/client/target.ts';
import { complain, PROBLEMS_FOUND, UsageError } from '../../../cli/outcome.ts';
import { type PrintOptions, printValue, write } from '../../../cli/print.ts';
import { ClientError } from '../../../client/client.ts';
import type { Decision, DecisionRequest, DecisionResult, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { REQUESTS } from '../states.ts';
import { itemText } from './printed.ts';

type Options = PrintOptions & { readonly url?: string };

/** `review show`: one submission with its differences, earlier decisions and comments. */
export async function reviewShow(
  name: string,
  label: string,
  pid: string,
  { url, json, comment, request }: Options & { readonly comment?: string; readonly request?: string },
): Promise<number> {
  const client = serviceOf(url).collection(name).use(review);
  const requests = REQUESTS.find((one) => one === request);
  if (request !== undefined && (comment === undefined || requests === undefined))
    throw new UsageError(`--request: expected ${REQUESTS.join(' or ')}, with --comment.`);
  if (comment !== undefined)
    await client.comment({ label, pid, text: comment, ...(requests && { requests }) });
  const item = await client.item(label, pid);
  if (json) {
    await printValue(item, true);
    return 0;
  }
  // The differences have what was submitted.
  await write(`${itemText({ ...item, submitted: undefined })}\n`);
  return 0;
}

type DecideOptions = Options & {
  readonly reason?: string;
  readonly digest?: string;
  readonly overturn?: boolean;
  readonly take?: readonly string[];
  readonly until?: string;
};

/** `review accept`, `reject` and `defer`: each submission on its own. */
export async function decide(
  decision: DecisionRequest['decision'],
  name: string,
  label: string,
  pids: readonly string[],
  options: DecideOptions,
): Promise<number> {
  const client = serviceOf(options.url).collection(name).use(review);
  const requests: DecisionRequest[] = [];
  for (const pid of pids) {
    const item = await client.item(label, pid).catch((error: Error) => {
      if (pids.length === 1 || error.name !== 'ClientError') throw error;
      throw new UsageError(
        `${pid}: ${error.message} No decision was made on any of the ${pids.length} records.`,
      );
    });
    requests.push(requestFor(decision, item, options));
  }
  const results = await client.decide(requests).catch((error: unknown) => {
    throw namedByOption(error);
  });
  if (options.json) await printValue(results, true);
  else for (const result of results) await reportResult(result);
  return results.some(({ status }) => status >= 300) ? PROBLEMS_FOUND : 0;
}

/** Sends the digest of the submission that was read, so that the decision is on that one. */
function requestFor(
  decision: DecisionRequest['decision'],
  { label, pid, digest, curated_etag = null }: Pick<Submission, 'label' | 'pid' | 'digest' | 'curated_etag'>,
  { reason, digest: expected, overturn, take = [], until }: DecideOptions,
): DecisionRequest {
  if (digest === undefined) throw new UsageError(`${pid}: the service did not return a digest.`);
  if (expected !== undefined && expected !== digest)
    throw new UsageError(`${pid}: the submission was changed; its digest is ${digest} now.`);
  return {
    label,
    pid,
    digest,
    decision,
    ...(overturn && { overturn }),
    ...(reason !== undefined && { reason }),
    ...(until !== undefined && { until }),
    ...(take.length > 0 && { take: Object.fromEntries(take.map(takeOf)), if_curated: curated_etag }),
  };
}

const SIDE_NAMES = ['submitted', 'curated', 'base'] as const;

/** `PATH=SIDE`; an empty path is the whole record. The slash at its beginning may be left out. */
function takeOf(text: string): [string, (typeof SIDE_NAMES)[number]] {
  const at = text.lastIndexOf('=');
  const side = SIDE_NAMES.find((one) => one === text.slice(at + 1));
  if (at < 0 || side === undefined)
    throw new UsageError(`--take: expected PATH=${SIDE_NAMES.join('|')}, found '${text}'.`);
  const path = text.slice(0, at);
  return [path === '' || path.startsWith('/') ? path : `/${path}`, side];
}

/** The differences that the outcome of a decision has after a `merge_conflict`. */
type Conflicts = { readonly differences?: readonly { readonly path: string; readonly conflict: boolean }[] };

async function reportResult(result: DecisionResult): Promise<void> {
  const { status, pid, decision, detail, differences } = result as DecisionResult & Conflicts;
  if (status < 300 && decision) await write(`${decision.decision} ${pid} ${decision.id}\n`);
  else complain(`${pid}: ${detail ? refusalText(detail, decision, differences) : `status ${status}`}`);
}

/** Why a decision is refused. Where the service names members of the request, it has the options of the command. */
function refusalText(
  detail: NonNullable<DecisionResult['detail']>,
  earlier: DecisionResult['decision'],
  differences: Conflicts['differences'] = [],
): string {
  const code = detail[0]?.type;
  if (code === 'already_decided' && earlier?.decision === 'reject') {
    const { reviewer, time } = earlier;
    return `It was rejected by ${reviewer ?? 'a curator'} at ${time}. Add --overturn to decide again.`;
  }
  if (code === 'merge_conflict') {
    const paths = differences.filter(({ conflict }) => conflict).map(({ path }) => path);
    return (
      `The submission and the curated record changed the same values, at ${paths.map((path) => `'${path}'`).join(', ')}. ` +
      `Choose a side for each, as with --take '${paths[0]}=submitted' (or curated, or base).`
    );
  }
  return detail.map(({ msg, loc }) => (loc[0] === 'take' ? `--${msg}` : msg)).join(' ');
}

/** The error of a request whose values came from options. */
export function namedByOption(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.status !== 422) return error;
  const problem = error.problems.find(({ loc }) => ['until', 'reason', 'due'].includes(String(loc.at(-1))));
  return problem ? new UsageError(`--${problem.loc.at(-1)}: ${problem.msg.replace(/[^.]$/, '$&.')}`) : error;
}

/** `review undo`: each decision on its own, in the order given. */
export async function undo(name: string, ids: readonly string[], { url, json }: Options): Promise<number> {
  const client = serviceOf(url).collection(name).use(review);
  const undone: Decision[] = [];
  for (const id of ids) {
    try {
      const decision = await client.undo(id);
      undone.push(decision);
      if (!json) await write(`undone ${decision.decision} ${decision.pid} ${decision.id}\n`);
    } catch (error) {
      if (ids.length === 1 || !(error instanceof ClientError) || error.status === 0) throw error;
      complain(`${id}: ${error.message}`);
    }
  }
  if (json) await printValue(ids.length === 1 ? undone[0]! : undone, true);
  return undone.length < ids.length ? PROBLEMS_FOUND : 0;
}
