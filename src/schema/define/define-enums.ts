/**
 * Enums: the values that a schema lists, with what `inherits`, `include` and `minus` add and take away.
 *
 * A query for the values of an ontology is not run. Where an enum lists values beside it, these are what the query
 * yielded when the schema was made (its expansion), and they apply; if it lists none, any string is accepted.
 */
import { LinkmlError } from '../../errors.ts';
import { type Definition, mappingsOf, namedOf, textsOf, yamlText } from '../load/definitions.ts';
import type { Element } from '../load/load.ts';
import type { EnumDefinition, PermissibleValue } from '../model.ts';
import { nearest } from '../suggestions.ts';
import { type DefinitionContext, namesOf } from './definition-context.ts';
import { camelCase } from './names.ts';

/** What the values of one enum are read with. */
type EnumContext = {
  readonly enums: ReadonlyMap<string, Element>;
  /** The IRI of a `meaning`. */
  readonly expand: (curieOrIri: string) => string;
  readonly warn: (message: string) => void;
};

/** Elements that ask for the values of an ontology or a code set. */
const DYNAMIC = ['reachable_from', 'matches', 'concepts', 'code_set', 'pv_formula'];

/** An enum of the schema. */
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
  const { name, source, file } = element;
  const found = valuesOf(
    name,
    source,
    {
      enums: context.loaded.enums,
      expand: (meaning) => namesOf(context, meaning, file, '').uri,
      warn: (message) => context.warn(message),
    },
    [],
  );
  if (found.open)
    context.warn(
      `enums.${name}: its values are not listed in the schema (${found.reason}); any string is accepted.`,
    );
  return { name, uri, description: yamlText(source.description), values: found.values, open: found.open };
}

type FoundValues = {
  readonly values: Map<string, PermissibleValue>;
  readonly open: boolean;
  readonly reason: string;
};

function valuesOf(
  name: string,
  source: Definition,
  context: EnumContext,
  above: readonly string[],
): FoundValues {
  const values = new Map<string, PermissibleValue>();
  const listed = namedOf(source.permissible_values, 'description', 'text');
  const asked = DYNAMIC.filter((key) => source[key] !== undefined && source[key] !== null);
  const reasons: string[] = [];
  for (const inherited of [...textsOf(source.is_a), ...textsOf(source.mixins), ...textsOf(source.inherits)]) {
    const found = namedEnum(inherited, name, context, above);
    for (const [text, value] of found.values) values.set(text, value);
    if (found.open) reasons.push(`inherits ${inherited}`);
  }
  for (const [text, value] of listed) values.set(text, permissible(text, value, context));
  for (const included of mappingsOf(source.include)) {
    const found = valuesOf(name, included, context, above);
    for (const [text, value] of found.values) values.set(text, value);
    if (found.open) asked.push(found.reason);
  }
  if (listed.size === 0) reasons.push(...asked);
  else if (asked.length > 0)
    context.warn(`enums.${name}: only the listed values are accepted; ${asked.join(', ')} is ignored.`);
  for (const excluded of mappingsOf(source.minus)) {
    const found = valuesOf(name, excluded, context, above);
    for (const text of found.values.keys()) values.delete(text);
    if (found.open) context.warn(`enums.${name}.minus: ${found.reason} is ignored and removes no values.`);
  }
  const nothing = values.size === 0 && reasons.length === 0 && above.length === 0 && !source.minus;
  return {
    values,
    open: reasons.length > 0 || nothing,
    reason: reasons.join(', ') || 'it has no permissible_values',
  };
}

function namedEnum(name: string, asker: string, context: EnumContext, above: readonly string[]): FoundValues {
  const chain = [...above, asker];
  if (chain.includes(name))
    throw new LinkmlError(
      'schema_invalid',
      `Enums inherit from each other in a cycle: ${[...chain, name].join(' → ')}.`,
    );
  const element = context.enums.get(name);
  if (!element) {
    const guess = nearest(name, context.enums.keys());
    throw new LinkmlError(
      'schema_invalid',
      `The enum ${asker} inherits from ${name}, which is not an enum of the schema.${guess ? ` Did you mean ${guess}?` : ''}`,
    );
  }
  return valuesOf(name, element.source, context, chain);
}

function permissible(text: string, source: Definition, context: EnumContext): PermissibleValue {
  const meaning = yamlText(source.meaning);
  return {
    text,
    meaning: meaning === undefined ? undefined : context.expand(meaning),
    title: yamlText(source.title),
    description: yamlText(source.description),
  };
}
