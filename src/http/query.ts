/** Query strings and their parameters, read as the peer reads them: nothing in them is a reason to fail but a bad value. */
import { type Problem, ServiceError } from '../errors.ts';

export type Query = Readonly<Record<string, string>>;

/**
 * Reads a query string. An escape that is invalid stands for itself (clients do not encode search texts), a
 * sequence that is not UTF-8 gives U+FFFD, `+` is a blank, and of a repeated parameter the last one counts.
 */
export function parseQuery(text: string): Query {
  const query: Record<string, string> = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    query[decode(name)] = equals < 0 ? '' : decode(pair.slice(equals + 1));
  }
  return query;
}

const utf8 = new TextDecoder('utf-8');

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    utf8.decode(Buffer.from(escapes.replaceAll('%', ''), 'hex')),
  );
}

/** One parameter: its text, or nothing where it is absent, turned into a value or refused with a sentence. */
type Parameter<T> = (text: string | undefined) => { value: T } | { expected: string };

/**
 * Reads the parameters that a route knows; others are ignored.
 *
 * @throws ServiceError `parameter_invalid` with every problem
 */
export function readParameters<P extends Record<string, Parameter<unknown>>>(query: Query, parameters: P) {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, read] of Object.entries(parameters)) {
    const text = query[name];
    const result = read(text);
    if ('value' in result) values[name] = result.value;
    else problems.push(problem(name, text, result.expected));
  }
  if (problems.length > 0) {
    throw new ServiceError('parameter_invalid', problems.map(({ msg }) => msg).join('; '), problems);
  }
  return values as { [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never };
}

function problem(name: string, text: string | undefined, expected: string): Problem {
  const loc = ['query', name];
  if (text === undefined)
    return { type: 'missing', loc, msg: `The query parameter '${name}' is missing: ${expected}.` };
  return {
    type: 'parameter_invalid',
    loc,
    msg: `The query parameter '${name}' is '${text}', expected ${expected}.`,
    input: text,
  };
}

/** Any text, which may be left out. */
export function text(): Parameter<string | undefined> {
  return (given) => ({ value: given });
}

/** A text that has to be there; `expected` says what it is. */
export function requiredText(expected: string): Parameter<string> {
  return (given) => (given === undefined ? { expected } : { value: given });
}

/** `2`, and `2.0` as well. */
export function integer(initial: number, min: number, max = Number.MAX_SAFE_INTEGER): Parameter<number> {
  const expected = `an integer from ${min} to ${max}`;
  return (given) => {
    if (given === undefined) return { value: initial };
    const value = /^\s*\+?\d+(\.0*)?\s*$/.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? { value } : { expected };
  };
}

const TRUE = ['true', '1', 'yes', 'on', 't', 'y'];
const FALSE = ['false', '0', 'no', 'off', 'f', 'n'];

/** A boolean, in the spellings of {@link booleanOf}. */
export function flag(initial: boolean): Parameter<boolean> {
  return (given) => {
    if (given === undefined) return { value: initial };
    const value = booleanOf(given);
    return value === undefined ? { expected: 'true or false' } : { value };
  };
}

/** What a word (or number) that clients write for a boolean means; undefined for any other. */
export function booleanOf(given: unknown): boolean | undefined {
  const word = typeof given === 'object' ? '' : String(given).toLowerCase();
  if (TRUE.includes(word)) return true;
  return FALSE.includes(word) ? false : undefined;
}

/** One of some words. */
export function choice<T extends string>(values: readonly T[], initial: T): Parameter<T> {
  return (given) => {
    if (given === undefined) return { value: initial };
    const found = values.find((value) => value === given);
    return found === undefined ? { expected: values.map((v) => `'${v}'`).join(' or ') } : { value: found };
  };
}
