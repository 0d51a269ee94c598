/** The state of a definition run: the schema that is read, and its elements that are already defined. */

import { isAbsoluteIri, type Prefixes } from '../curie.ts';
import { LinkmlError, type WarningType } from '../errors.ts';
import type { Faults } from '../faults.ts';
import { type Definition, textsOf, yamlText } from '../load/definitions.ts';
import type { Element, LoadedSchema, SchemaFile } from '../load/loaded.ts';
import type { EnumDefinition, PermissibleValue, SlotDefinition, TypeDefinition } from '../model.ts';
import type { PatternCompiler } from '../patterns/patterns.ts';
import type { ValueSet } from '../terms/value-sets.ts';
import type { Terms } from '../terms/vocabulary.ts';
import { BUILT_IN_TYPES } from '../types/types.ts';
import type { InducedSlot, Induction } from './induce.ts';
import { looseName, snakeCase } from './names.ts';

export type DefinitionContext = {
  readonly loaded: LoadedSchema;
  readonly faults: Faults;
  readonly induction: Induction;
  readonly prefixes: Prefixes;
  /** The vocabularies that enums may ask for. */
  readonly terms: Terms;
  /** The names of classes in camel case, by those of the schema. */
  readonly classNames: ReadonlyMap<string, string>;
  /** The type of a name, defined when it is first asked for: types name types, also in the ranges of their branches. */
  typeOf(name: string): TypeDefinition;
  readonly types: Map<string, TypeDefinition>;
  readonly enums: Map<string, EnumDefinition>;
  /** The values of enums that others inherit, by the form of terms and the name, and how many were inherited. */
  readonly inherited: { readonly found: Map<string, FoundValues>; total: number };
  /** Classes with identical refinements of a slot share its definition. */
  readonly slots: Map<InducedSlot, SlotDefinition>;
  readonly induced: Map<string, readonly InducedSlot[]>;
  readonly defaultRange: string | undefined;
  readonly compilePattern: PatternCompiler;
  /** Whether a pattern that is not a regular expression keeps the schema from being opened: that of a slot does. */
  readonly faultyPatterns: 'refuse' | 'warn';
  /** Notes what an author should know; `not_enforced` by default. */
  warn(msg: string, type?: WarningType, vocabularies?: readonly string[]): void;
};

/** The values of an enum, or of a part of one. */
export type FoundValues = {
  /** The listed values, with those of other enums. */
  readonly values: Map<string, PermissibleValue>;
  readonly set: ValueSet;
  /** Whether the set has queries that are run. */
  readonly queries: boolean;
  /** Whether it has queries that are not run, and no expansion of them. */
  readonly open: boolean;
  readonly reason: string;
  readonly missing: readonly string[];
};

/** How an element is named: its IRI and, if it has one, its CURIE. */
export type Names = { readonly uri: string; readonly curie: string };

/** The IRI and CURIE of an element: what it declares, else the default prefix of its file and its name. */
export function namesOf(
  context: DefinitionContext,
  declared: string | undefined,
  file: SchemaFile,
  localName: string,
): Names {
  if (declared === undefined) {
    const start = defaultPrefix(file);
    const iri = context.prefixes.map.get(start);
    if (iri !== undefined) return { uri: iri + localName, curie: `${start}:${localName}` };
    return { uri: start + localName, curie: context.prefixes.compact(start + localName) };
  }
  if (isAbsoluteIri(declared)) return { uri: declared, curie: context.prefixes.compact(declared) };
  const uri = context.prefixes.expand(declared);
  if (uri === undefined)
    context.warn(`${declared} (${file.place}) has no known prefix and is used as an IRI.`);
  return { uri: uri ?? declared, curie: declared };
}

/** A prefix name, or an IRI to which names are appended. */
export function defaultPrefix(file: SchemaFile): string {
  const declared = yamlText(file.source.default_prefix);
  if (declared !== undefined) return declared;
  const id = yamlText(file.source.id) ?? '';
  return /[/#_:]$/.test(id) ? id : `${id}/`;
}

/** The error of a name that is not an element of these kinds, with the nearest name. */
export function unknownName(
  context: DefinitionContext,
  subject: string,
  name: string,
  kinds: readonly string[],
): LinkmlError {
  const names = () => [
    ...(kinds.includes('class') ? context.loaded.classes.keys() : []),
    ...(kinds.includes('enum') ? context.loaded.enums.keys() : []),
    ...context.loaded.types.keys(),
    ...BUILT_IN_TYPES.keys(),
  ];
  return new LinkmlError(
    'schema_invalid',
    `${subject} ${name}, which is not a ${kinds.join(', ')} of the schema.${context.faults.suggestions.didYouMean(name, names)}`,
  );
}

/** Whether a name is that of a type: of the schema, or a built-in one. */
export function isType({ loaded }: DefinitionContext, name: string): boolean {
  return loaded.types.has(name) || BUILT_IN_TYPES.has(name);
}

/** The members of a union. One that does not exist is left out, as in LinkML's JSON Schema, unless it is the only one. */
export function unionMembers(
  context: DefinitionContext,
  kind: 'classes' | 'types',
  name: string,
  { source }: Element,
  exists: (member: string) => boolean,
): string[] {
  const members = textsOf(source.union_of).filter((member) => member !== name);
  const known = members.filter(exists);
  if (known.length === 0) return members;
  const what = kind === 'types' ? 'type' : 'class, enum or type';
  for (const member of members.filter((member) => !exists(member)))
    context.warn(`${kind}.${name}.union_of: ${member} is not a ${what} of the schema; ignored.`);
  return known;
}

/** The induced slots of a class, found once. */
export function inducedSlots(context: DefinitionContext, className: string): readonly InducedSlot[] {
  const known = context.induced.get(className);
  if (known) return known;
  const slots = context.induction.slotsOf(className);
  context.induced.set(className, slots);
  return slots;
}

/** The key of a slot in data: its alias as it is written, else its name with `_` for blanks and hyphens. */
export function dataName(schemaName: string, source: Definition | undefined): string {
  return yamlText(source?.alias) ?? snakeCase(schemaName);
}

/** A slot in a condition or a unique key of a class: its key in data, and its definition. */
export function resolveSlotUsage(
  context: DefinitionContext,
  schemaName: string,
  className: string | undefined,
): { name: string; source: Definition | undefined } {
  const own = className === undefined ? [] : inducedSlots(context, className);
  const name = looseName(schemaName);
  const ofClass = own.find((slot) => looseName(slot.schemaName) === name);
  const found = ofClass ?? context.loaded.slots.get(schemaName);
  if (className !== undefined && !ofClass)
    context.warn(
      `classes.${className}: a condition or unique key names ${schemaName}, which is not a slot of the class.`,
    );
  return { name: dataName(schemaName, found?.source), source: found?.source };
}
