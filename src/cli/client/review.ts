/** `accession review show`, `accept`, `reject` and `defer`. */
import type { DecisionRequest, DecisionResult, Submission } from '../../client/client.ts';
import { complain, PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { type PrintOptions, printRows, printValue, write } from '../print.ts';
import { serviceOf } from './target.ts';

type Options = PrintOptions & { readonly url?: string };

/** `review show`: one submission with its differences and earlier decisions. */
export async function reviewShow(
  name: string,
  label: string,
  pid: string,
  { url, json }: Options,
): Promise<number> {
  const item = await serviceOf(url).collection(name).review.item(label, pid);
  if (json) {
    await printValue(item, true);
    return 0;
  }
  const { differences, problems, decisions, submitted, curated, base, merged, ...row } = item as Record<
    string,
    unknown
  > &
    typeof item;
  await printValue(row);
  if (differences.length > 0) {
    await write('\n');
    await printRows(differences, ['path', 'kind', 'changed_by', 'conflict', 'curated', 'submitted']);
  }
  for (const { msg } of problems) await write(`problem: ${msg}\n`);
  if (decisions.length > 0) {
    await write('\n');
    await printRows(decisions, ['id', 'decision', 'reviewer', 'time', 'reason']);
  }
  return 0;
}

type Decision = DecisionRequest['decision'];

type DecideOptions = Options & {
  readonly reason?: string;
  readonly digest?: string;
  readonly overturn?: boolean;
  readonly take?: readonly string[];
  readonly until?: string;
};

/** `review accept`, `reject` and `defer`: each submission on its own. */
export async function decide(
  decision: Decision,
  name: string,
  label: string,
  pids: readonly string[],
  options: DecideOptions,
): Promise<number> {
  const { review } = serviceOf(options.url).collection(name);
  const requests: DecisionRequest[] = [];
  for (const pid of pids) {
    const item = await review.item(label, pid).catch((error: Error) => {
      if (pids.length === 1 || error.name !== 'ClientError') throw error;
      throw new UsageError(
        `${pid}: ${error.message} No decision was made on any of the ${pids.length} records.`,
      );
    });
    requests.push(requestFor(decision, item, options));
  }
  const results = await review.decide(requests);
  if (options.json) await printValue(results, true);
  else for (const result of results) await reportResult(result);
  return results.some(({ status }) => status >= 300) ? PROBLEMS_FOUND : 0;
}

/** The digest of the submission as it is now makes sure that what is decided on is what was read. */
function requestFor(
  decision: Decision,
  { label, pid, digest, curated_etag = null }: Pick<Submission, 'label' | 'pid' | 'digest' | 'curated_etag'>,
  { reason, digest: expected, overturn, take = [], until }: DecideOptions,
): DecisionRequest {
  if (digest === undefined) throw new UsageError(`${pid}: the service did not return a digest.`);
  if (expected !== undefined && expected !== digest)
    throw new UsageError(`${pid}: the submission was changed; its digest is ${digest} now.`);
  return {
    ...{ label, pid, digest, decision },
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

async function reportResult({ status, pid, decision, detail }: DecisionResult): Promise<void> {
  if (status < 300 && decision) await write(`${decision.decision} ${pid} ${decision.id}\n`);
  else complain(`${pid}: ${detail?.map(({ msg }) => msg).join(' ') ?? `status ${status}`}`);
}
