/** Sends the request of a command, and prints its answer for people or, with `--json`, for programs. */
import type { ClientError } from '../../client/client.ts';
import { parseBody } from '../../client/http.ts';
import { complain, FAILURE, PROBLEMS_FOUND, reportError } from '../outcome.ts';
import { printFound, printValue, write } from '../print.ts';
import { filterMistake } from './names.ts';
import type { Answer, Printing, Request, To, Values } from './sends.ts';
import { serviceOf } from './target.ts';

/** Sends a request, and prints the answer. */
export async function send(request: Request, given: Values, { url, json }: To): Promise<number> {
  const values = { ...(request.values?.(given) ?? given) };
  const other = request.instead?.find(({ value }) => values[value] !== undefined);
  const { method = 'GET', path, print } = { ...request, ...other };
  if (other && values[other.value] === true) delete values[other.value];
  const to = filled(path, values);
  const response = await serviceOf(url)
    .send(method, to, sentValues(method, values, request.query))
    .catch((error: ClientError) => {
      const status = reportError(error);
      const advice = request.advise?.(error);
      if (advice !== undefined) complain(advice);
      return status;
    });
  if (typeof response === 'number') return response;
  if (typeof print === 'object' && 'done' in print) {
    process.stderr.write(`${print.done(given)}\n`);
    return 0;
  }
  const answer = parseBody(await response.text(), response) as Answer;
  const status = await printAnswer(answer, print, json);
  if (!isEmpty(answer, print) || typeof given.collection !== 'string') return status;
  const mistake = await filterMistake(serviceOf(url).collection(given.collection), given);
  if (mistake === undefined) return status;
  complain(mistake);
  return FAILURE;
}

/** Whether a list or a summary has nothing. */
function isEmpty(answer: Answer, print: Printing): boolean {
  if (typeof print === 'string') return answer.total === 0;
  if (!('columns' in print)) return false;
  const items = print.items === undefined ? answer : answer[print.items];
  return Array.isArray(items) && items.length === 0;
}

/** A path with the values that it names, which are removed. */
function filled(path: string, values: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(values[name]));
    delete values[name];
    return value;
  });
}

function sentValues(method: string, values: Values, inQuery: readonly string[] = []) {
  const isInQuery = ([name]: [string, unknown]) => method === 'GET' || inQuery.includes(name);
  const entries = Object.entries(values);
  const query = Object.fromEntries(entries.filter(isInQuery)) as Record<string, string>;
  const body = Object.fromEntries(entries.filter((entry) => !isInQuery(entry)));
  return { query, ...(Object.keys(body).length > 0 && { json: body }) };
}

async function printAnswer(
  answer: Answer,
  print: Exclude<Printing, { readonly done: unknown }>,
  json = false,
): Promise<number> {
  if (print === 'value') await printValue(answer, json);
  else if ('text' in print) await (json ? printValue(answer, true) : write(`${print.text(answer)}\n`));
  else {
    const { columns, items: member, row = (item) => item, areProblems } = print;
    const items = (member === undefined ? answer : answer[member]) as unknown as readonly Answer[];
    await printFound(json ? items : items.map(row), columns, json);
    const { total, more } = answer;
    if (typeof total === 'number' && total > items.length)
      process.stderr.write(`${items.length} of ${total}\n`);
    if (more === true) process.stderr.write(`There are more than these ${items.length}.\n`);
    if (areProblems && items.length > 0) return PROBLEMS_FOUND;
  }
  return 0;
}
