/** `accession submissions` and `accession review …`. */
import type { DecisionRequest, DecisionResult, Submission } from '../../client/client.ts';
import { type Given, UsageError } from '../command.ts';
import { complain, FAILURE, PROBLEMS_FOUND } from '../outcome.ts';
import { counted, printRows, printValue, write } from '../print.ts';
import { numberFlag } from './records.ts';
import { targetOf } from './target.ts';

/** `submissions`: what became of the records that a token has submitted. */
export async function submissions(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION']);
  const [name = '', pid] = args;
  const { submissions } = service.collection(name);
  if (pid !== undefined) {
    await printValue(await submissions.item(pid), given.is('json'));
    return 0;
  }
  const { items, total } = await submissions.list({
    status: given.text('status'),
    class: given.text('class'),
    batch: given.text('batch'),
    size: numberFlag(given, 'limit') ?? 100,
  });
  await printRows(items, ['pid', 'class', 'status', 'submitted_at', 'reason', 'title'], given.is('json'));
  more(items.length, total);
  return 0;
}

/** `review list`: the queue. */
export async function reviewList(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION']);
  const { review } = service.collection(args[0] as string);
  const filter = {
    standing: given.text('standing'),
    state: given.text('state'),
    label: given.text('label'),
    class: given.text('class'),
    submitter: given.text('submitter'),
    batch: given.text('batch'),
  };
  if (given.is('summary')) {
    await printValue(await review.summary(filter), given.is('json'));
    return 0;
  }
  const { items, total } = await review.list({ ...filter, size: numberFlag(given, 'limit') ?? 100 });
  const columns = ['label', 'pid', 'class', 'state', 'standing', 'submitter', 'submitted_at', 'title'];
  await printRows(items, columns, given.is('json'));
  more(items.length, total);
  return 0;
}

function more(shown: number, total: number): void {
  if (total > shown) process.stderr.write(`${shown} of ${counted(total, 'submission')}\n`);
}

/** `review show`: one submission with its differences and earlier decisions. */
export async function reviewShow(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION', 'LABEL', 'PID']);
  const [name = '', label = '', pid = ''] = args;
  const item = await service.collection(name).review.item(label, pid);
  if (given.is('json')) {
    await printValue(item, true);
    return 0;
  }
  const { differences, problems, decisions, submitted, curated, base, merged, ...row } = item as Record<
    string,
    unknown
  > &
    typeof item;
  await printValue(row, false);
  if (differences.length > 0) {
    await write('\n');
    await printRows(differences, ['path', 'kind', 'changed_by', 'conflict', 'curated', 'submitted'], false);
  }
  for (const { msg } of problems) await write(`problem: ${msg}\n`);
  if (decisions.length > 0) {
    await write('\n');
    await printRows(decisions, ['id', 'decision', 'reviewer', 'time', 'reason'], false);
  }
  return 0;
}

/** `review accept`, `reject` and `defer`: each PID on its own. */
export async function reviewDecide(given: Given, decision: DecisionRequest['decision']): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION', 'LABEL', 'PID']);
  const [name = '', label = '', ...pids] = args;
  const { review } = service.collection(name);
  const requests: DecisionRequest[] = [];
  for (const pid of pids)
    requests.push(await requestFor(given, decision, await rowOf(given, review, label, pid)));
  const results = await review.decide(requests);
  if (given.is('json')) await printValue(results, true);
  else for (const result of results) await reportResult(result);
  return results.some(({ status }) => status >= 300) ? PROBLEMS_FOUND : 0;
}

/** The submission as it is now: its digest makes sure that what is decided on is what was read. */
async function rowOf(
  given: Given,
  review: ReturnType<ReturnType<typeof targetOf>['service']['collection']>['review'],
  label: string,
  pid: string,
): Promise<Pick<Submission, 'label' | 'pid' | 'digest' | 'curated_etag'>> {
  const item = await review.item(label, pid);
  const { digest, curated_etag } = item;
  if (digest === undefined) throw new UsageError(`${pid}: the service did not return a digest.`);
  const expected = given.text('digest');
  if (expected !== undefined && expected !== digest) {
    throw new UsageError(`${pid}: the submission was changed; its digest is ${digest} now.`);
  }
  return { label, pid, digest, curated_etag: curated_etag ?? null };
}

async function requestFor(
  given: Given,
  decision: DecisionRequest['decision'],
  { label, pid, digest, curated_etag }: Awaited<ReturnType<typeof rowOf>>,
): Promise<DecisionRequest> {
  const reason = given.text('reason');
  const overturn = given.is('overturn') ? { overturn: true } : {};
  const base = { label, pid, digest, decision, ...overturn, ...(reason !== undefined && { reason }) };
  if (decision === 'defer') {
    const until = given.text('until');
    return { ...base, ...(until !== undefined && { until }) };
  }
  if (decision === 'reject') return base;
  const take = Object.fromEntries(given.texts('take').map(takeOf));
  return Object.keys(take).length > 0 ? { ...base, take, if_curated: curated_etag } : base;
}

const SIDE_NAMES = ['submitted', 'curated', 'base'] as const;

/** `PATH=SIDE`; an empty path is the whole record. */
function takeOf(text: string): [string, (typeof SIDE_NAMES)[number]] {
  const at = text.lastIndexOf('=');
  const side = SIDE_NAMES.find((one) => one === text.slice(at + 1));
  if (at < 0 || side === undefined)
    throw new UsageError(`--take: expected PATH=${SIDE_NAMES.join('|')}, found '${text}'.`);
  return [text.slice(0, at), side];
}

async function reportResult({ status, pid, decision, detail }: DecisionResult): Promise<void> {
  if (status < 300 && decision) await write(`${decision.decision} ${pid} ${decision.id}\n`);
  else complain(`${pid}: ${detail?.map(({ msg }) => msg).join(' ') ?? `status ${status}`}`, FAILURE);
}

/** `review undo` */
export async function reviewUndo(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION', 'DECISION']);
  const [name = '', id = ''] = args;
  const undone = await service.collection(name).review.undo(id);
  await printValue(undone ?? {}, given.is('json'));
  return 0;
}
