/** Types and enums of the model. */
import { ServiceError } from '../errors.ts';
import { constraintsOf, mergeConstraints } from './define-conditions.ts';
import { type Definition, textOf, textsOf } from './definitions.ts';
import { type Desk, namesOf, unknownName } from './desk.ts';
import { defineEnum } from './enums.ts';
import { resolved } from './induce.ts';
import type { Element } from './load.ts';
import type { EnumDefinition, TypeDefinition } from './model.ts';
import { camelCase } from './names.ts';
import { BUILT_IN_TYPES, typeOfBase } from './types.ts';

/** The URIs of types whose values are resources in RDF, as the schema spells them: the peer compares the spelling. */
const IRI_DATATYPES = new Set(['xsd:anyURI', 'rdfs:Resource']);

export function defineType(desk: Desk, name: string, below: readonly string[]): TypeDefinition {
  const known = desk.types.get(name);
  if (known) return known;
  if (below.includes(name))
    throw new ServiceError(
      'schema_invalid',
      `The types inherit in a circle: ${[...below, name].join(' → ')}.`,
    );
  const element = desk.loaded.types.get(name);
  if (!element) return builtInType(desk, name);
  const { source, file } = element;
  const parentName = textOf(source.typeof);
  if (parentName !== undefined && !desk.loaded.types.has(parentName) && !BUILT_IN_TYPES.has(parentName))
    throw unknownName(desk, `The type ${name} (${file.place}) is a typeof`, parentName, ['type']);
  const parent = parentName === undefined ? undefined : defineType(desk, parentName, [...below, name]);
  const base =
    parent?.base ??
    (BUILT_IN_TYPES.has(name) ? name : (typeOfBase(textOf(source.base) ?? textOf(source.repr)) ?? 'string'));
  const declared = textOf(source.uri);
  const uri =
    declared === undefined && parent ? parent.uri : namesOf(desk, declared, file, camelCase(name)).uri;
  const own = constraintsOf(desk, resolved(source, file, desk.loaded), `types.${name}`, undefined);
  const type: TypeDefinition = {
    name,
    uri,
    base,
    isIri: declared === undefined ? (parent?.isIri ?? false) : IRI_DATATYPES.has(declared),
    description: textOf(source.description),
    constraints: mergeConstraints(parent?.constraints ?? {}, own),
    unionOf: textsOf(source.union_of).map((member) => defineType(desk, member, [...below, name])),
  };
  desk.types.set(name, type);
  return type;
}

/** A type of `linkml:types` in a schema that does not import it. */
function builtInType(desk: Desk, name: string): TypeDefinition {
  const row = BUILT_IN_TYPES.get(name);
  if (!row) throw unknownName(desk, 'A type is', name, ['type']);
  const uri = row.uri
    .replace('xsd:', 'http://www.w3.org/2001/XMLSchema#')
    .replace('linkml:', 'https://w3id.org/linkml/')
    .replace('shex:', 'http://www.w3.org/ns/shex#');
  const type: TypeDefinition = {
    name,
    uri,
    base: name,
    isIri: IRI_DATATYPES.has(row.uri),
    description: undefined,
    constraints: {},
    unionOf: [],
  };
  desk.types.set(name, type);
  return type;
}

export function defineNamedEnum(desk: Desk, name: string): EnumDefinition {
  const element = desk.loaded.enums.get(name)!;
  return defineEnum(element, {
    enums: desk.loaded.enums,
    uri: namesOf(desk, textOf(element.source.enum_uri), element.file, camelCase(name)).uri,
    expand: (meaning) => namesOf(desk, meaning, element.file, '').uri,
    warn: (message) => desk.warn(message),
  });
}

export function inlineEnum(desk: Desk, source: Definition, where: string): EnumDefinition {
  const element: Element = { name: where, file: desk.loaded.main, source };
  return defineEnum(element, {
    enums: desk.loaded.enums,
    uri: '',
    expand: (meaning) => namesOf(desk, meaning, desk.loaded.main, '').uri,
    warn: (message) => desk.warn(message),
  });
}
