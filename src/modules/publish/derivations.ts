/**
 * The derivations of classes and slots that a collection writes itself: a part of the language of linkml-map
 * (https://w3id.org/linkml/transformer), in YAML. Everything else of that language is refused by name.
 */
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '#linkml/json.ts';
import { readYaml, YamlError } from '#linkml/yaml/read.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { VOCABULARIES, type Vocabulary, type VocabularyName } from './vocabularies.ts';

/** How the value of a slot of the vocabulary is derived. */
export type SlotDerivation = {
  /** The slot of the record; undefined for a constant or hidden one. */
  readonly from: string | undefined;
  readonly value: JsonValue | undefined;
  /** The value that is published in place of another. */
  readonly mappings: Readonly<Record<string, JsonValue>>;
};

type ClassDerivation = {
  /** The class of the vocabulary. */
  readonly target: string;
  readonly slots: ReadonlyMap<string, SlotDerivation>;
};

export type Derivations = {
  /** By the class of the schema. */
  readonly classes: ReadonlyMap<string, ClassDerivation>;
  /** The problems of the text, each with its path in it. */
  readonly problems: readonly string[];
};

/** Keys that say something to people only. */
const NOTES = ['description', 'comments'];
const OF_DOCUMENT = ['id', 'title', 'source_schema', 'target_schema', 'class_derivations', ...NOTES];
const OF_CLASS = ['name', 'populated_from', 'slot_derivations', ...NOTES];
const OF_SLOT = ['name', 'populated_from', 'value', 'value_mappings', 'hide', ...NOTES];

/** The most values. More only come from aliases of aliases: the YAML has at most 32 KiB. */
const MOST_VALUES = 30_000;

export function readDerivations(schema: Schema, name: VocabularyName, text: string): Derivations {
  const problems: string[] = [];
  let document: JsonValue;
  try {
    document = readYaml(text, { duplicateKeys: 'refuse', mostValues: MOST_VALUES });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { classes: new Map(), problems: [error.message] };
  }
  const context = { schema, vocabulary: VOCABULARIES[name] as Vocabulary, problems };
  const { class_derivations: entries } = objectAt(context, '', document, OF_DOCUMENT);
  const classes = new Map<string, ClassDerivation>();
  for (const [path, target, value] of named(context, 'class_derivations', entries)) {
    const { source, derivation } = readClass(context, path, target, value);
    if (classes.has(source)) problems.push(`${path}: the class ${source} is derived twice`);
    classes.set(source, derivation);
  }
  return { classes, problems };
}

type DerivationContext = {
  readonly schema: Schema;
  readonly vocabulary: Vocabulary;
  readonly problems: string[];
};

function readClass(context: DerivationContext, path: string, target: string, value: JsonValue) {
  const { schema, vocabulary, problems } = context;
  const object = objectAt(context, path, value, OF_CLASS);
  known(context, path, 'class', target, vocabulary.classes);
  const source = textAt(context, `${path}.populated_from`, object.populated_from) ?? target;
  const slots = schema.classes.get(source)?.slots;
  if (!slots) problems.push(`${path}.populated_from: the schema has no class '${source}'`);
  const derived = new Map<string, SlotDerivation>();
  for (const [at, name, one] of named(context, `${path}.slot_derivations`, object.slot_derivations)) {
    known(context, at, 'slot', name, vocabulary.slots);
    const derivation = readSlot(context, at, name, one);
    const { from } = derivation;
    if (from !== undefined && slots && !slots.has(from))
      problems.push(`${at}.populated_from: expected a slot of the class ${source}, found '${from}'`);
    derived.set(name, derivation);
  }
  return { source, derivation: { target, slots: derived } };
}

function readSlot(context: DerivationContext, path: string, name: string, value: JsonValue): SlotDerivation {
  const object = objectAt(context, path, value, OF_SLOT);
  const from = textAt(context, `${path}.populated_from`, object.populated_from);
  const { value: constant, hide = false, value_mappings: mappings = {} } = object;
  if (typeof hide !== 'boolean') context.problems.push(`${path}.hide: expected true or false`);
  if (constant !== undefined && !isScalar(constant))
    context.problems.push(`${path}.value: expected a string, a number or a boolean`);
  if (constant !== undefined && from !== undefined)
    context.problems.push(`${path}: expected 'populated_from' or 'value', found both`);
  const isMapping = isJsonObject(mappings) && Object.values(mappings).every(isScalar);
  if (!isMapping) context.problems.push(`${path}.value_mappings: expected a mapping from values to values`);
  return {
    from: hide === true || constant !== undefined ? undefined : (from ?? name),
    value: hide === true ? undefined : constant,
    mappings: isMapping ? (mappings as Record<string, JsonValue>) : {},
  };
}

/** The elements of a mapping by name, or of a list whose elements have names, each with its path. */
function named(
  { problems }: DerivationContext,
  path: string,
  value: JsonValue | undefined,
): [path: string, name: string, value: JsonValue][] {
  if (value === undefined || value === null) return [];
  if (isJsonObject(value)) return Object.entries(value).map(([name, one]) => [`${path}.${name}`, name, one]);
  if (!Array.isArray(value)) {
    problems.push(`${path}: expected a mapping or a list`);
    return [];
  }
  return value.flatMap((one, at): [string, string, JsonValue][] => {
    const name = isJsonObject(one) ? one.name : undefined;
    if (typeof name === 'string') return [[`${path}.${at}`, name, one]];
    problems.push(`${path}.${at}: expected a mapping with a 'name'`);
    return [];
  });
}

function objectAt(
  { problems }: DerivationContext,
  path: string,
  value: JsonValue,
  keys: readonly string[],
): JsonObject {
  if (value === null) return {};
  const of = path === '' ? '' : `${path}: `;
  if (!isJsonObject(value)) {
    problems.push(`${of}expected a mapping`);
    return {};
  }
  for (const key of Object.keys(value))
    if (!keys.includes(key))
      problems.push(`${of}the key '${key}' is not supported, expected one of ${keys.join(', ')}`);
  return value;
}

function textAt(
  { problems }: DerivationContext,
  path: string,
  value: JsonValue | undefined,
): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  problems.push(`${path}: expected a string`);
  return undefined;
}

function known(
  { vocabulary, problems }: DerivationContext,
  path: string,
  kind: 'class' | 'slot',
  name: string,
  names: readonly string[] | undefined,
): void {
  if (names ? names.includes(name) : /^\w+$/.test(name)) return;
  const expected = names ? `, expected one of ${names.join(', ')}` : '';
  problems.push(`${path}: ${vocabulary.title} has no ${kind} '${name}'${expected}`);
}

const isScalar = (value: JsonValue) =>
  value !== null && (typeof value !== 'object' || value instanceof Numeral);
