/**
 * Enums: the values that a schema lists, with what `inherits`, `include` and `minus` add and take away, and the terms of
 * vocabularies that it asks for.
 *
 * Without a snapshot of its vocabulary, a query is not run. Where an enum lists values beside it, these are what the query
 * yielded when the schema was made (its expansion), and they apply; if it lists none, any string is accepted.
 */

import { LinkmlError } from '../errors.ts';
import { type Definition, mappingsOf, namedOf, textsOf, yamlText } from '../load/definitions.ts';
import type { Element } from '../load/loaded.ts';
import type { EnumDefinition, PermissibleValue } from '../model.ts';
import { compileValueSet, queriesOf, type TermForm, type ValueSet } from '../terms/value-sets.ts';
import { unquotedBoolean } from '../yaml/scalars.ts';
import { type DefinitionContext, type FoundValues, namesOf } from './definition-context.ts';
import { camelCase } from './names.ts';
import { termQueries } from './term-queries.ts';

/** The enum whose values are read. */
type EnumContext = {
  readonly definitions: DefinitionContext;
  readonly name: string;
  readonly element: Element;
  readonly form: TermForm;
};

/** The names of the vocabularies of a set. */
function vocabulariesIn({ terms }: DefinitionContext, set: ValueSet): string[] {
  const used = queriesOf(set).map(({ vocabulary }) => vocabulary);
  return Object.keys(terms).filter((name) => used.includes(terms[name]));
}

/** Elements that ask for the values of an ontology or a code set. */
const DYNAMIC = ['reachable_from', 'matches', 'concepts', 'code_set'];

export function defineEnum(context: DefinitionContext, name: string): EnumDefinition {
  const element = context.loaded.enums.get(name)!;
  const declared = yamlText(element.source.enum_uri);
  return enumOf(context, element, namesOf(context, declared, element.file, camelCase(name)).uri);
}

/** An enum that is written in place, as the range of a slot. */
export function inlineEnum(context: DefinitionContext, source: Definition, where: string): EnumDefinition {
  return enumOf(context, { name: where, file: context.loaded.main, source }, '');
}

function enumOf(context: DefinitionContext, element: Element, uri: string): EnumDefinition {
  const { name, source } = element;
  const form = formOf(context, source, `enums.${name}`);
  const found = valuesOf({ definitions: context, name, element, form }, source, []);
  const { queries, missing } = found;
  warnOfBooleans(context, element, found.values);
  if (found.open)
    warnOfValues(
      context,
      `enums.${name}: its values are not listed in the schema (${found.reason}); any string is accepted.`,
      missing,
    );
  return {
    name,
    uri,
    description: yamlText(source.description),
    values: found.values,
    open: found.open || queries,
    terms: queries && !found.open ? found.set : undefined,
    form,
    missing,
    vocabularies: found.open ? [] : vocabulariesIn(context, found.set),
  };
}

/** Words without quotes where a value of an enum may be: keys, items, and `text`. */
const UNQUOTED_WORD =
  /(?:^\s*(?:[-?]\s+)?|[{[,]\s*|\btext:\s+)([A-Za-z]{2,5})(?=\s*(?::\s|:$|[,\]}]|$)|\s+#)/gm;

/** Warns of values that YAML has made booleans, and LinkML the words of Python for them: `NO` is `False`. */
function warnOfBooleans(
  context: DefinitionContext,
  { name, file, source }: Element,
  values: ReadonlyMap<string, PermissibleValue>,
): void {
  const listed = namedOf(source.permissible_values, 'description', 'text');
  for (const [text, truth] of [
    ['False', false],
    ['True', true],
  ] as const) {
    if (!values.has(text) || !listed.has(text)) continue;
    const found = [...textOfValues(file.text, name).matchAll(UNQUOTED_WORD)].map(([, word = '']) => word);
    const words = new Set(found.filter((word) => word !== text && unquotedBoolean(word) === truth));
    if (words.size === 0) continue;
    const [first] = words;
    context.warn(
      `enums.${name}.permissible_values: YAML 1.1 reads ${[...words].join(', ')} without quotes as ${truth}, so a value is "${text}". Write "${first}" with quotes.`,
    );
  }
}

/** The part of a file that has the values of an enum: from its name to the values of the next one; all of it if it is not found. */
function textOfValues(text: string, name: string): string {
  const key = new RegExp(`(?:^|[\\s{,])["']?${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}["']?\\s*:`, 'gm');
  const values = 'permissible_values';
  for (const { index } of text.matchAll(key)) {
    const start = text.indexOf(values, index);
    const end = start < 0 ? -1 : text.indexOf(values, start + values.length);
    if (start >= 0) return text.slice(start, end < 0 ? undefined : end);
  }
  return text;
}

/** Warns of values that are not checked; with snapshots of the vocabularies that are missing, they are. */
function warnOfValues(context: DefinitionContext, msg: string, missing: readonly string[]): void {
  if (missing.length === 0) context.warn(msg);
  else context.warn(msg, 'vocabulary_missing', [...new Set(missing)]);
}

const FORMS: readonly unknown[] = ['CODE', 'CURIE', 'URI', 'LABEL'] satisfies TermForm[];

/** The `pv_formula` of an enum or a binding. */
export function formOf(context: DefinitionContext, source: Definition, where: string): TermForm {
  const formula = yamlText(source.pv_formula);
  if (formula === undefined || FORMS.includes(formula)) return formula as TermForm;
  context.warn(`${where}.pv_formula: ${formula} is not enforced; terms are CURIEs or IRIs.`);
  return undefined;
}

function valuesOf(context: EnumContext, source: Definition, above: readonly string[]): FoundValues {
  const { definitions, name, element } = context;
  const values = new Map<string, PermissibleValue>();
  const listed = namedOf(source.permissible_values, 'description', 'text');
  const { queries, missing } = termQueries(definitions, source, context.form, `enums.${name}`);
  const asked = DYNAMIC.filter((key) => missing.has(key));
  const names = [...missing.values()];
  const reasons: string[] = [];
  const parts: FoundValues[] = [];
  const add = (found: FoundValues) => {
    for (const [text, value] of found.values) values.set(text, value);
    parts.push(found);
    names.push(...found.missing);
  };
  for (const inherited of [...textsOf(source.is_a), ...textsOf(source.mixins), ...textsOf(source.inherits)]) {
    const found = namedEnum(inherited, context, above);
    add(found);
    if (found.open) reasons.push(`inherits ${inherited}`);
  }
  const own = [...listed].map(([text, value]) => permissible(text, value, definitions, element));
  for (const value of own) values.set(value.text, value);
  for (const included of mappingsOf(source.include)) {
    const found = valuesOf(context, included, above);
    add(found);
    if (found.open) asked.push(found.reason);
  }
  if (listed.size === 0) reasons.push(...asked);
  else if (asked.length > 0)
    warnOfValues(
      definitions,
      `enums.${name}: only the listed values are accepted; ${asked.join(', ')} is ignored.`,
      names,
    );
  const minus = mappingsOf(source.minus).map((excluded) => {
    const found = valuesOf(context, excluded, above);
    for (const text of found.values.keys()) values.delete(text);
    if (found.queries) removeTerms(values, found.set, context);
    if (found.open)
      warnOfValues(
        definitions,
        `enums.${name}.minus: ${found.reason} is ignored and removes no values.`,
        found.missing,
      );
    return found;
  });
  const set: ValueSet = {
    listed: new Set(own.flatMap((value) => spellings(value, definitions))),
    queries,
    parts: parts.map((part) => part.set),
    minus: minus.map((part) => part.set),
  };
  const hasQueries = queriesOf(set).length > 0;
  const nothing =
    values.size === 0 && !hasQueries && reasons.length === 0 && above.length === 0 && !source.minus;
  return {
    values,
    set,
    queries: hasQueries,
    open: reasons.length > 0 || nothing,
    reason: reasons.join(', ') || 'it has no permissible_values',
    missing: [...new Set(names)],
  };
}

/** Removes the listed values that are terms of a set. */
function removeTerms(
  values: Map<string, PermissibleValue>,
  set: ValueSet,
  { definitions, form }: EnumContext,
): void {
  const judge = compileValueSet(set, form, definitions.prefixes);
  for (const [text, value] of values)
    if (spellings(value, definitions).some((spelling) => judge(spelling).kind === 'member'))
      values.delete(text);
}

/** Values that all enums inherit together, and enums that inherit in one chain; large schemas have some thousand, and ten. */
const MOST_INHERITED = 500_000;
const LONGEST_CHAIN = 500;

/**
 * The values of an enum that another one names. They are found once for all that name it: enums that name two others each
 * would otherwise be read without end.
 *
 * @throws LinkmlError `schema_invalid` for a cycle, an unknown enum, and what inherits without end
 */
function namedEnum(name: string, context: EnumContext, above: readonly string[]): FoundValues {
  const { definitions, name: asker, form } = context;
  const chain = [...above, asker];
  if (chain.includes(name))
    throw new LinkmlError(
      'schema_invalid',
      `Enums inherit from each other in a cycle: ${[...chain, name].join(' → ')}.`,
    );
  const element = definitions.loaded.enums.get(name);
  if (!element) {
    const hint = definitions.faults.suggestions.didYouMean(name, () => definitions.loaded.enums.keys());
    throw new LinkmlError(
      'schema_invalid',
      `The enum ${asker} inherits from ${name}, which is not an enum of the schema.${hint}`,
    );
  }
  return inheritedOnce(definitions.inherited, `${form ?? ''} ${name}`, () => {
    if (chain.length > LONGEST_CHAIN) throw inheritsTooMuch(definitions.inherited);
    return valuesOf({ ...context, name, element }, element.source, chain);
  });
}

function inheritedOnce(
  inherited: DefinitionContext['inherited'],
  key: string,
  read: () => FoundValues,
): FoundValues {
  if (inherited.total > MOST_INHERITED) throw inheritsTooMuch(inherited);
  const found = inherited.found.get(key) ?? read();
  inherited.total += found.values.size;
  if (inherited.total > MOST_INHERITED) throw inheritsTooMuch(inherited);
  inherited.found.set(key, found);
  return found;
}

/** Each enum that inherits is refused from then on, so that no more is read. */
function inheritsTooMuch(inherited: DefinitionContext['inherited']): LinkmlError {
  inherited.total = Number.POSITIVE_INFINITY;
  return new LinkmlError('schema_invalid', 'The enums of the schema inherit from too many others.');
}

function permissible(
  text: string,
  source: Definition,
  context: DefinitionContext,
  { file }: Element,
): PermissibleValue {
  const meaning = yamlText(source.meaning);
  return {
    text,
    meaning: meaning === undefined ? undefined : namesOf(context, meaning, file, '').uri,
    title: yamlText(source.title),
    aliases: textsOf(source.aliases),
    description: yamlText(source.description),
  };
}

/** A listed value as terms are compared with it: its name, and its meaning as CURIE and IRI. */
export function spellings({ text, meaning }: PermissibleValue, { prefixes }: DefinitionContext): string[] {
  return meaning === undefined ? [text] : [text, meaning, prefixes.compact(meaning)];
}
