/** Query strings and their parameters, read as the peer reads them, except that misspelled names of ours are refused. */

import { didYouMean, nearest } from '#linkml/suggestions.ts';
import type { Moment } from '../collections/area.ts';
import { booleanOf } from '../config/as-written.ts';
import { firstProblems, type Problem, ServiceError } from '../errors.ts';
import { DEFAULT_SIZE, FIRST_PAGE, LARGEST_PAGE } from '../records/page.ts';
import type { Call } from './endpoint.ts';
import type { Parameter, Parameters, ValuesOf } from './parameter.ts';

export type Query = Readonly<Record<string, string>>;

/**
 * Reads a query string. An invalid escape is kept as it is (clients do not encode search patterns), a
 * sequence that is not UTF-8 becomes U+FFFD, `+` is a blank, and of a repeated parameter the last one applies.
 */
export function parseQuery(text: string): Query {
  const query: Record<string, string> = Object.create(null);
  eachIn(text, (name, value) => {
    query[name] = value;
  });
  return query;
}

function eachIn(text: string, take: (name: string, value: string) => void): void {
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    take(decode(name), equals < 0 ? '' : decode(pair.slice(equals + 1)));
  }
}

/** All values of a parameter that may be repeated, in their order: for values that may have commas in them. */
export function valuesOf({ request: { url } }: Pick<Call, 'request'>, name: string): string[] {
  const found: string[] = [];
  eachIn(url.slice(url.indexOf('?') + 1), (one, value) => {
    if (one === name) found.push(value);
  });
  return found;
}

/** A byte order mark is a character like any other here. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeSome(spaced);
  }
}

/** Decodes strings with percent signs that are not part of an escape, or with escapes of bytes that are not UTF-8. */
function decodeSome(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    utf8.decode(Buffer.from(escapes.replaceAll('%', ''), 'hex')),
  );
}

/** The parameters of the peer. It ignores all others, and so do its clients and ours expect it of endpoints that it has. */
const OF_PEER: ReadonlySet<string> = new Set([
  'pid',
  'format',
  'matching',
  'page',
  'size',
  'author_id',
  'add_submission_tag',
]);
/** Shorter names are near to too much, as `at` is to the `_t` of a client that evades caches. */
const LEAST_LETTERS = 4;

/**
 * The query parameters of a request. Our own endpoints refuse unknown ones. Those of the specification ignore them, unless
 * one is nearly a parameter of ours: a misspelled `if_unreferenced` must not delete.
 *
 * @param others what else a name may be, for messages
 * @throws ServiceError `parameter_invalid` with every problem
 */
export function parametersOf<P extends Parameters>(
  { request, endpoint }: Call,
  parameters: P,
  others = '',
): ValuesOf<P> {
  const { query: all = parameters } = endpoint;
  return readParameters(
    request.query as Query,
    parameters,
    endpoint.ours || endpoint.path.startsWith('/-/')
      ? (name) =>
          !Object.hasOwn(parameters, name) &&
          !Object.hasOwn(all, name) &&
          unknown(name, Object.keys({ ...parameters, ...all }), others)
      : (name) => !Object.hasOwn(all, name) && misspelled(name, all),
  );
}

/**
 * Reads the parameters that an endpoint has.
 *
 * @param refuse returns the problem of a parameter that the request may not have
 * @throws ServiceError `parameter_invalid` with every problem
 */
export function readParameters<P extends Parameters>(
  query: Query,
  parameters: P,
  refuse: (name: string) => Problem | false | undefined = () => undefined,
): ValuesOf<P> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, { read, expected, initial, required }] of Object.entries(parameters)) {
    const given = query[name];
    values[name] = given === undefined ? initial : read(given);
    const isRefused = values[name] === undefined && (given !== undefined || required);
    if (isRefused) problems.push(parameterProblem(name, given, expected));
  }
  for (const name of Object.keys(query)) {
    const problem = refuse(name);
    if (problem) problems.push(problem);
  }
  if (problems.length > 0) throw parameterInvalid(problems);
  return values as ValuesOf<P>;
}

/** Query parameters that are refused. */
export function parameterInvalid(problems: readonly Problem[]): ServiceError {
  const listed = firstProblems(problems);
  return new ServiceError('parameter_invalid', listed.map(({ msg }) => msg).join('; '), listed);
}

/** The refusal of one parameter, for what only its handler can judge. */
export function parameterRefused(
  name: string,
  input: string,
  expected: string,
  type = 'parameter_invalid',
): ServiceError {
  return parameterInvalid([{ ...parameterProblem(name, input, expected), type }]);
}

function parameterProblem(name: string, input: string | undefined, expected: string): Problem {
  const loc = ['query', name];
  if (input === undefined)
    return { type: 'missing', loc, msg: `The query parameter '${name}' is missing: ${expected}.` };
  const msg = `The query parameter '${name}' is '${input}', expected ${expected}.`;
  return { type: 'parameter_invalid', loc, msg, input };
}

function unknown(name: string, known: readonly string[], others: string): Problem {
  const expected = known.length === 0 ? 'no query parameters' : known.map((one) => `'${one}'`).join(', ');
  const msg = `The query parameter '${name}' is unknown, expected ${expected}${others}.${didYouMean(name, known)}`;
  return { type: 'parameter_unknown', loc: ['query', name], msg };
}

/** The problem of a name that is nearly that of a parameter which the peer does not have. */
function misspelled(name: string, parameters: Parameters): Problem | undefined {
  if (OF_PEER.has(name) || name.length < LEAST_LETTERS) return undefined;
  const ours = Object.keys(parameters).filter((one) => !OF_PEER.has(one) && one.length >= LEAST_LETTERS);
  const meant = nearest(name, ours);
  if (meant === undefined) return undefined;
  const msg = `The query parameter '${name}' is unknown. Did you mean '${meant}'?`;
  return { type: 'parameter_unknown', loc: ['query', name], msg };
}

/** Any string. */
export function textParameter(description: string): Parameter<string | undefined> {
  return { read: (given) => given, expected: 'a string', description, schema: { type: 'string' } };
}

const WITHOUT_NUL = '^[^\\u0000]*$';

/** A parameter of all endpoints that change curated records. Its value is stored, and databases store no NUL. */
export const authorId: Parameter<string | undefined> = {
  read: (given) => (given.includes('\0') ? undefined : given),
  expected: 'no character NUL',
  description: 'On whose behalf the record is changed; default: the user of the token.',
  schema: { type: 'string', pattern: WITHOUT_NUL },
};

/** Makes a parameter required. */
export function required<T>({ initial: _, ...parameter }: Parameter<T | undefined>): Parameter<T> {
  return { ...(parameter as Parameter<T>), required: true };
}

/** A required string; `expected` says what it is. */
export function requiredText(expected: string): Parameter<string> {
  return { ...required(textParameter(`${expected[0]?.toUpperCase()}${expected.slice(1)}.`)), expected };
}

/** An integer in decimal digits: `2`, and `2.0` as well. */
export function integer<Initial extends number | undefined>(
  description: string,
  initial: Initial,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): Parameter<number | Initial> {
  return {
    read(given) {
      const value = /^[^\S\ufeff]*\+?\d+(\.0+)?[^\S\ufeff]*$/.test(given) ? Number(given) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    expected: `an integer from ${min} to ${max}`,
    initial,
    description,
    schema: { type: 'integer', minimum: min, maximum: max },
  };
}

/** The parameters of all that is read in pages. */
export const paging = {
  page: integer('The number of the page.', FIRST_PAGE, FIRST_PAGE),
  size: integer('Rows per page.', DEFAULT_SIZE, 1, LARGEST_PAGE),
};

/** A boolean, in the spellings of {@link booleanOf}. */
export function flag<Initial extends boolean | undefined>(
  description: string,
  initial: Initial,
): Parameter<boolean | Initial> {
  return { read: booleanOf, expected: 'true or false', initial, description, schema: { type: 'boolean' } };
}

/** One of some words. */
export function choice<T extends string, Initial extends T | undefined = T>(
  description: string,
  values: readonly T[],
  initial: Initial,
): Parameter<T | Initial> {
  return {
    read: (given) => values.find((value) => value === given),
    expected: values.map((value) => `'${value}'`).join(' or '),
    initial,
    description,
    schema: { type: 'string', enum: values },
  };
}

/** Several words, separated by commas. @param allowed the words that there are, if they are known */
export function listParameter<T extends string>(
  description: string,
  allowed?: readonly T[],
): Parameter<T[] | undefined> {
  const word = allowed ? `(${allowed.join('|')})` : '[^,]+';
  return {
    read(given) {
      const words = given.split(',').filter((word) => word !== '');
      const isKnown = words.every((word) => allowed === undefined || allowed.includes(word as T));
      return isKnown && words.length > 0 ? (words as T[]) : undefined;
    },
    expected: allowed ? `some of ${allowed.join(', ')}` : 'words separated by commas',
    description,
    schema: { type: 'string', pattern: `^,*${word}(,+${word})*,*$` },
  };
}

/** A string of a bounded length. */
export function shortText(description: string, most: number): Parameter<string | undefined> {
  return {
    read: (given) => (given.length > 0 && given.length <= most && !given.includes('\0') ? given : undefined),
    expected: `1 to ${most} characters without NUL`,
    description,
    schema: { type: 'string', minLength: 1, maxLength: most, pattern: WITHOUT_NUL },
  };
}

/** A time in ISO 8601 to the second, its fraction, its offset. In a query, `+` is a blank. */
const MOMENT =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.(\d{1,6})\d*)?(Z|[ +-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/** A time in ISO 8601, read as UTC with microseconds; without an offset it is UTC. */
export function moment(description: string): Parameter<string | undefined> {
  return {
    read(given) {
      const match = MOMENT.exec(given);
      if (!match) return undefined;
      const [, seconds, fraction = '', offset = 'Z'] = match;
      const time = Date.parse(`${seconds}${offset.replace(' ', '+')}`);
      return `${new Date(time).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}+00:00`;
    },
    expected: 'a time in ISO 8601, like 2026-05-01T12:00:00Z',
    description,
    schema: { type: 'string', format: 'date-time' },
  };
}

const REVISION = /^\d{1,16}(\.\d{1,16})?$/;

/** A moment in the past. */
export const at: Parameter<Moment | undefined> = {
  read(given) {
    if (REVISION.test(given)) return { numbers: given.split('.').map(Number) };
    const time = moment('').read(given);
    return time === undefined ? undefined : { time };
  },
  expected: "a revision as in 'Accession-Revision', or a time in ISO 8601, like 2026-05-01T12:00:00Z",
  description:
    'Reads the records as they were at a revision (an `Accession-Revision`, or the `revision` of a change) or a time (ISO 8601).',
  schema: { type: 'string', pattern: `${REVISION.source}|${MOMENT.source}` },
};
