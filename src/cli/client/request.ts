/** Sends the request of a command, and prints its answer for people or, with `--json`, for programs. */
import type { ClientError } from '../../client/client.ts';
import { parseBody } from '../../client/http.ts';
import { complain, FAILURE, PROBLEMS_FOUND, reportError } from '../outcome.ts';
import { countText, type PrintedRow, printFound, printValue, write } from '../print.ts';
import { filterMistake } from './names.ts';
import { serviceOf } from './target.ts';

/** Arguments and options by name. */
export type Values = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

export type PrintFormat =
  /** The answer has nothing to print: a sentence on standard error, of the arguments and options. */
  | { readonly done: (given: Values) => string }
  /** Its members, one a line. */
  | 'value'
  /** A table of its items. */
  | {
      readonly columns: readonly string[];
      /** The member that has the items; without one, the answer is an array. */
      readonly items?: string;
      /** An item as a row of the table. */
      readonly row?: (item: Answer) => PrintedRow;
      /** Whether items are problems, so that the exit status says whether there are any. */
      readonly areProblems?: boolean;
    }
  | { readonly text: (answer: Answer) => string };

/** Which service a command is for, and whether a program reads its output. */
export type To = { readonly url: string | undefined; readonly json: boolean | undefined };

/** The request of a command. Values are its arguments and options, by name. */
export type Request = {
  /** By default `GET`. */
  readonly method?: 'POST' | 'PUT';
  /** Values that are named in braces are parts of it. The others are the query of a GET, else the body. */
  readonly path: string;
  /** The names that the endpoint has for options, if others. */
  readonly names?: Readonly<Record<string, string>>;
  /** Of a request with a body: the values that are parameters nevertheless. */
  readonly query?: readonly string[];
  /** Makes the values of what was given. */
  readonly values?: (given: Values) => Values;
  readonly print: PrintFormat;
  /** Advises on an error, in the options of the command. */
  readonly advise?: (error: ClientError) => string | undefined;
  /** Other requests if a value is given: of the first that is. A value that is a flag is not sent. */
  readonly instead?: readonly (Partial<Pick<Request, 'method'>> &
    Pick<Request, 'path' | 'print'> & { readonly value: string })[];
};

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
function isEmpty(answer: Answer, print: PrintFormat): boolean {
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
  print: Exclude<PrintFormat, { readonly done: unknown }>,
  json = false,
): Promise<number> {
  if (print === 'value') await printValue(answer, json);
  else if ('text' in print) await (json ? printValue(answer, true) : write(`${print.text(answer)}\n`));
  else {
    const { columns, items: member, row = (item) => item, areProblems } = print;
    const items = (member === undefined ? answer : answer[member]) as unknown as readonly Answer[];
    await printFound(json ? items : items.map(row), columns, json);
    const { total, more, pending } = answer;
    if (typeof total === 'number' && total > items.length)
      process.stderr.write(`${items.length} of ${total}\n`);
    if (more === true) process.stderr.write(`There are more than these ${items.length}.\n`);
    const isUnfinished = typeof pending === 'number' && pending > 0;
    if (isUnfinished)
      complain(`${countText(pending, 'change')} not checked yet. Run this again in a moment.`);
    if (areProblems && items.length > 0) return PROBLEMS_FOUND;
    if (areProblems && isUnfinished) return FAILURE;
  }
  return 0;
}
