/** `accession review assign`: says who is to decide on submissions. */
import { serviceOf } from '../../../cli/client/target.ts';
import { complain, PROBLEMS_FOUND, UsageError } from '../../../cli/outcome.ts';
import { type PrintOptions, printValue, write } from '../../../cli/print.ts';
import type { AssignmentRequest, AssignmentResult } from '../api-types.ts';
import { review } from '../client.ts';
import { namedByOption } from './decide-command.ts';

type Options = PrintOptions & {
  readonly url?: string;
  readonly to?: string;
  readonly mine?: boolean;
  readonly unassigned?: boolean;
  readonly due?: string;
};

/** Assigns each submission on its own: a refused one changes nothing of the others. */
export async function assign(
  name: string,
  label: string,
  pids: readonly string[],
  { url, json, to, mine, unassigned, due }: Options,
): Promise<number> {
  if ([to, mine, unassigned].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('Who is to decide? Add one of --to USER, --mine and --unassigned.');
  const service = serviceOf(url);
  const assignee = unassigned ? null : (to ?? (await service.me(name)).user_id);
  const until = due !== undefined && { due: due === 'none' ? null : due };
  const sent = pids.map((pid): AssignmentRequest => ({ label, pid, assignee, ...until }));
  const results = await service
    .collection(name)
    .use(review)
    .assignAll(sent)
    .catch((error: unknown) => {
      throw namedByOption(error);
    });
  if (json) await printValue(results, true);
  else for (const result of results) await report(result);
  return results.some(({ status }) => status >= 300) ? PROBLEMS_FOUND : 0;
}

async function report({ pid, assignment, detail = [] }: AssignmentResult): Promise<void> {
  if (!assignment) return complain(`${pid}: ${refusalText(detail)}`);
  const { assignee, due } = assignment;
  const words = assignee === null ? ['unassigned', pid] : ['assigned', pid, assignee, ...(due ? [due] : [])];
  await write(`${words.join(' ')}\n`);
}

/** By the name of the option, if the value of one is refused. */
function refusalText(detail: NonNullable<AssignmentResult['detail']>): string {
  for (const { loc, msg } of detail) {
    const option = { assignee: 'to', due: 'due' }[String(loc.at(-1))];
    if (option !== undefined) return `--${option}: ${msg}.`;
  }
  return detail[0]?.msg ?? 'The assignment was refused.';
}
