/**
 * Checks values by JSON Schema, and says in our words what is wrong: the path of the key, what was expected, what was
 * found. The types of problems are those that clients of the peer know (`missing`, `extra_forbidden`, …).
 */
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { pointerKeys } from '#linkml/json.ts';
import { unquotedTime } from '#linkml/yaml/scalars.ts';
import { isSecretSchema } from './config/secrets.ts';
import { type ErrorCode, firstProblems, type Problem, ServiceError } from './errors.ts';

const require = createRequire(import.meta.url);

/**
 * Compiles a schema at its first use, which takes some milliseconds. The schemas are part of the program, and a test
 * checks them; Ajv would take a third of the time to do so at each start, and another third to shorten code that runs once.
 */
const OPTIONS = {
  strict: false,
  verbose: true,
  discriminator: true,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  code: { optimize: false },
} as const;

/** Reports everything, or ends at the first problem: millions of wrong items would be millions of problems. */
class Validator {
  readonly #all: boolean;
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  #ajv: Ajv | undefined;

  constructor(all: boolean) {
    this.#all = all;
  }

  errors(schema: object, value: unknown): readonly ErrorObject[] {
    let check = this.#compiled.get(schema);
    if (!check) {
      this.#ajv ??= newAjv({ ...OPTIONS, allErrors: this.#all });
      check = this.#ajv.compile(schema);
      this.#compiled.set(schema, check);
    }
    return check(value) ? [] : (check.errors ?? []);
  }
}

/** Loads Ajv at its first use: threads of the pool have this file, and most of them check no value. */
function newAjv(options: Options): Ajv {
  const { Ajv } = require('ajv') as typeof import('ajv');
  return new Ajv(options);
}

const toTheFirst = new Validator(false);
const toTheEnd = new Validator(true);

/**
 * Lists the problems of a value.
 *
 * @param root is put before every path
 * @returns all problems or, of a long value, the first one: millions of wrong items would be millions of problems
 */
export function problemsBy(schema: object, value: unknown, root: readonly string[] = []): Problem[] {
  const first = toTheFirst.errors(schema, value);
  if (first.length === 0) return [];
  const isLong = JSON.stringify(value).length > LISTED_LENGTH;
  return problemsOf(isLong ? first : toTheEnd.errors(schema, value), root);
}

/** All problems are listed of values with up to this many characters. */
const LISTED_LENGTH = 64 * 1024;

/** The refusal of a value with its problems. */
export function refusal(code: ErrorCode, problems: readonly Problem[]): ServiceError {
  const listed = firstProblems(problems);
  return new ServiceError(code, summaryOf(listed), listed);
}

/** One line for a list of problems: `collections.lab.curated: missing; …`. */
function summaryOf(problems: readonly Problem[]): string {
  return problems.map(({ loc, msg }) => (loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg)).join('; ');
}

/** One problem for each place that Ajv objects to. */
function problemsOf(errors: readonly ErrorObject[], root: readonly string[]): Problem[] {
  // What is wrong with a name is an error of its own.
  const chosen = ofChosenAlternatives(errors).filter(({ keyword }) => keyword !== 'propertyNames');
  // The first error alone may be one of an alternative.
  const problems = (chosen.length > 0 ? chosen : errors).map((error): Problem => {
    const explain = EXPLAIN[error.keyword] ?? explainOther;
    const {
      type,
      msg,
      key = error.propertyName,
      refused = key === undefined ? error.data : undefined,
    } = explain(error);
    const loc = [...root, ...pathOf(error.instancePath), ...(key === undefined ? [] : [key])];
    if (!repeatable(error, refused)) return { type, loc, msg };
    // At the start, the message is all that an operator sees.
    const found = msg.includes('found ') ? '' : `, found ${shortened(refused)}`;
    return { type, loc, msg: `${msg}${found}`, input: refused };
  });
  // A tag that no alternative has is found twice: in the list of tags and by the discriminator.
  return [...new Map(problems.map((problem) => [problem.loc.join('\n'), problem])).values()];
}

type Alternative = { readonly type?: string | readonly string[]; readonly required?: readonly string[] };

/** Of alternatives that differ in their types, keeps what is wrong with the one whose type the value has. */
function ofChosenAlternatives(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = [...errors];
  for (const union of errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')) {
    const { instancePath, schemaPath, data } = union;
    const alternatives = union.schema as readonly Alternative[];
    const isOfKeys = alternatives.every(({ type }) => type === undefined);
    const chosen = alternatives.findIndex(({ type }) => type && [type].flat().includes(typeOf(data)));
    kept = kept.filter((error) => {
      if (error === union) return chosen < 0 && (!isOfKeys || typeOf(data) === 'object');
      const isWithin =
        error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath);
      return !isWithin || error.schemaPath.startsWith(`${schemaPath}/${chosen}/`);
    });
  }
  return kept;
}

function typeOf(data: unknown): string {
  if (data === null) return 'null';
  return Array.isArray(data) ? 'array' : typeof data;
}

type Explanation = {
  type: string;
  msg: string;
  /** The key that the problem is about, in the object that Ajv names. */
  key?: string;
  /** What was found there. */
  refused?: unknown;
};

/** Ajv keyword → explanation. */
const EXPLAIN: Record<string, (error: ErrorObject) => Explanation> = {
  additionalProperties: ({ params, parentSchema }) => ({
    type: 'extra_forbidden',
    key: params.additionalProperty,
    msg: `unknown key; expected one of: ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`,
  }),
  required: ({ params }) => ({ type: 'missing', key: params.missingProperty, msg: 'the key is required' }),
  type: ({ params, ...error }) => ({
    type: `${TYPE_NAMES[[params.type].flat()[0] ?? ''] ?? params.type}_type`,
    msg: `expected ${wordsOf(params.type)}, found ${wordFor(error)}${timeHint(error)}`,
  }),
  enum: ({ params }) => ({ type: 'enum', msg: `expected one of ${quoteAll(params.allowedValues)}` }),
  const: ({ params }) => ({ type: 'literal_error', msg: `expected ${JSON.stringify(params.allowedValue)}` }),
  discriminator: ({ params, data, parentSchema }) => ({
    type: 'union_tag_invalid',
    key: params.tag,
    refused: (data as Record<string, unknown>)[params.tag],
    msg: `expected one of ${quoteAll(unionTags(parentSchema?.oneOf, params.tag))}`,
  }),
  oneOf: explainUnion,
  anyOf: explainUnion,
  minLength: () => ({ type: 'string_too_short', msg: 'expected a non-empty string' }),
  maxLength: ({ params, data }) => ({
    type: 'string_too_long',
    msg: `expected at most ${params.limit} characters, found ${(data as string).length}`,
  }),
  minItems: ({ params, data }) => ({
    type: 'too_short',
    msg: `expected at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}, found ${(data as []).length}`,
  }),
  maxItems: ({ params, data }) => ({
    type: 'too_long',
    msg: `expected at most ${params.limit} entries, found ${(data as []).length}`,
  }),
  maximum: ({ params }) => ({ type: 'less_than_equal', msg: `expected at most ${params.limit}` }),
  minimum: ({ params }) => ({ type: 'greater_than_equal', msg: `expected at least ${params.limit}` }),
  pattern: ({ params, parentSchema }) => ({
    type: 'string_pattern_mismatch',
    msg: parentSchema?.examples
      ? `expected a string like ${parentSchema.examples[0]}`
      : `expected a string that matches ${params.pattern}`,
  }),
};

function explainOther({ keyword, message }: ErrorObject): Explanation {
  return { type: keyword, msg: message ?? `refused by ${keyword}` };
}

/** Alternatives that are keys, of which there has to be one, or that are types. */
function explainUnion({ schema, data, parentSchema }: ErrorObject): Explanation {
  const alternatives = schema as readonly Alternative[];
  const types = alternatives.flatMap(({ type = [] }) => type);
  if (types.length > 0)
    return {
      type: 'union_type',
      msg: `expected ${wordsOf(types)}, found ${wordFor({ data, parentSchema })}`,
    };
  const keys = alternatives.flatMap(({ required = [] }) => required);
  const found = keys.filter((key) => Object.hasOwn(data as object, key));
  return {
    type: 'union_key',
    msg: `expected either ${keys.join(' or ')}, found ${found.join(' and ') || 'none of them'}`,
  };
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
  integer: 'a whole number',
  number: 'a number',
  object: 'a mapping',
  array: 'a list',
  null: 'null',
};

function wordsOf(types: string | readonly string[]): string {
  const words = [types]
    .flat()
    .flatMap((type) => (type === 'boolean' ? ['true', 'false'] : [WORDS[type] ?? type]));
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');
}

function wordFor({ data, parentSchema }: Pick<ErrorObject, 'data' | 'parentSchema'>): string {
  if (typeof data !== 'boolean' && typeof data !== 'number') return WORDS[typeOf(data)] ?? typeof data;
  // A secret is not repeated, not even one that was read as a number.
  return repeatable({ parentSchema }, data) ? `the ${typeof data} ${data}` : `a ${typeof data}`;
}

/** Explains a number that YAML has made of a time of day without quotes. */
function timeHint({ data, parentSchema }: Pick<ErrorObject, 'data' | 'parentSchema'>): string {
  const { pattern } = parentSchema ?? {};
  if (typeof data !== 'number' || typeof pattern !== 'string' || !repeatable({ parentSchema }, data))
    return '';
  const time = unquotedTime(data);
  if (time === undefined || !new RegExp(pattern, 'u').test(time)) return '';
  return `, which YAML reads for ${time} without quotes`;
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
function repeatable({ parentSchema }: Pick<ErrorObject, 'parentSchema'>, data: unknown): boolean {
  if (isSecretSchema(parentSchema)) return false;
  return data === null || ['string', 'number', 'boolean'].includes(typeof data);
}
