/**
 * Converts what Ajv finds in a configuration into problems for people: the path of the key, its value, and
 * what was expected. The types are those that clients of the peer know (`missing`, `extra_forbidden`, …).
 */

import type { ErrorObject } from 'ajv';
import type { Problem } from '../errors.ts';
import { pointerKeys } from '../json.ts';
import { isPolicyKey, NO_POLICIES } from './policies.ts';

/** One problem for each place that Ajv objects to; `root` is put before every path. */
export function configProblems(errors: readonly ErrorObject[], root: readonly string[] = []): Problem[] {
  const problems = errors.map((error): Problem => {
    const explain = EXPLAIN[error.keyword] ?? explainOther;
    const { type, msg, key } = explain(error);
    const loc = [...root, ...pathOf(error.instancePath), ...(key === undefined ? [] : [key])];
    if (key !== undefined || !repeatable(loc, error.data)) return { type, loc, msg };
    // At the start, the message is all that an operator sees.
    const found = msg.includes('found ') ? '' : `, found ${shortened(error.data)}`;
    return { type, loc, msg: `${msg}${found}`, input: error.data };
  });
  // A tag that no alternative has is found twice: in the list of tags and by the discriminator.
  return [...new Map(problems.map((problem) => [problem.loc.join('\n'), problem])).values()];
}

/** One line for a list of problems: `collections.lab.curated: missing; …`. */
export function summaryOf(problems: readonly Problem[]): string {
  return problems.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ');
}

type Explanation = { type: string; msg: string; key?: string };

/** Ajv keyword → explanation. */
const EXPLAIN: Record<string, (error: ErrorObject) => Explanation> = {
  additionalProperties: ({ params, parentSchema }) => ({
    type: 'extra_forbidden',
    key: params.additionalProperty,
    msg: isPolicyKey(params.additionalProperty)
      ? NO_POLICIES
      : `unknown key; expected one of: ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`,
  }),
  required: ({ params }) => ({ type: 'missing', key: params.missingProperty, msg: 'the key is required' }),
  type: ({ params, data, instancePath }) => {
    const expected: string[] = [params.type].flat();
    return {
      type: `${TYPE_NAMES[expected[0] ?? ''] ?? expected[0]}_type`,
      msg: `expected ${expected.map((type) => WORDS[type] ?? type).join(' or ')}, found ${wordFor(data, instancePath)}`,
    };
  },
  enum: ({ params }) => ({ type: 'enum', msg: `expected one of ${quoteAll(params.allowedValues)}` }),
  const: ({ params }) => ({ type: 'literal_error', msg: `expected ${JSON.stringify(params.allowedValue)}` }),
  discriminator: ({ params, parentSchema }) => ({
    type: 'union_tag_invalid',
    key: params.tag,
    msg: `expected one of ${quoteAll(unionTags(parentSchema?.oneOf, params.tag))}`,
  }),
  minLength: () => ({ type: 'string_too_short', msg: 'expected a non-empty string' }),
  maxLength: ({ params }) => ({
    type: 'string_too_long',
    msg: `expected at most ${params.limit} characters`,
  }),
  minimum: ({ params }) => ({ type: 'greater_than_equal', msg: `expected at least ${params.limit}` }),
  pattern: ({ params, parentSchema }) => ({
    type: 'string_pattern_mismatch',
    msg: parentSchema?.description ?? `expected a string that matches ${params.pattern}`,
  }),
};

function explainOther({ keyword, message }: ErrorObject): Explanation {
  return { type: keyword, msg: message ?? `refused by ${keyword}` };
}

/** JSON Schema type → the stem of the problem type. */
const TYPE_NAMES: Record<string, string> = {
  string: 'string',
  boolean: 'bool',
  integer: 'int',
  number: 'float',
  object: 'dict',
  array: 'list',
};

const WORDS: Record<string, string> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'a mapping',
  array: 'a list',
  null: 'null',
};

function wordFor(data: unknown, pointer: string): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  if (typeof data === 'object') return 'a mapping';
  if (typeof data === 'string') return 'a string';
  const kind = typeof data === 'boolean' ? 'boolean' : 'number';
  // A secret is not repeated, not even one that was read as a number.
  return repeatable(pathOf(pointer), data) ? `the ${kind} ${data}` : `a ${kind}`;
}

/** The values of the tag over all alternatives of a union. */
function unionTags(alternatives: readonly UnionAlternative[] = [], tag: string): string[] {
  return alternatives.flatMap(({ properties }) => properties[tag]?.enum ?? properties[tag]?.const ?? []);
}

type UnionAlternative = { properties: Record<string, { const?: string; enum?: string[] }> };

function quoteAll(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

/** JSON pointer → path; digits are indexes of lists. */
function pathOf(pointer: string): (string | number)[] {
  return pointerKeys(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** A small value in a message. */
function shortened(data: unknown): string {
  const text = JSON.stringify(data);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Only small values are repeated, and never one that may be a secret. */
function repeatable(loc: readonly (string | number)[], data: unknown): boolean {
  if (loc.includes('representation')) return false;
  return data === null || ['string', 'number', 'boolean'].includes(typeof data);
}
