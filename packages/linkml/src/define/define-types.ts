/** Types of the model. */
import { LinkmlError } from '../errors.ts';
import { type Definition, yamlText } from '../load/definitions.ts';
import type { TypeDefinition } from '../model.ts';
import { BUILT_IN_TYPES, typeOfBase } from '../types/types.ts';
import { reportEmptyBounds } from './contradictions.ts';
import { constraintsOf, mergeConstraints } from './define-conditions.ts';
import { type DefinitionContext, isType, namesOf, unionMembers, unknownName } from './definition-context.ts';
import { resolved } from './induce.ts';
import { camelCase } from './names.ts';

/** The URIs of types whose values are resources in RDF, as the schema spells them: the peer compares the spelling. */
const IRI_DATATYPES = new Set(['xsd:anyURI', 'rdfs:Resource']);

/**
 * A type with all that it rests on, defined once.
 *
 * @param below the types that rest on it, up to the one that was asked for: to meet one of them again is a circle
 * @throws LinkmlError `schema_invalid`
 */
export function defineType(
  context: DefinitionContext,
  name: string,
  below: readonly string[],
): TypeDefinition {
  const known = context.types.get(name);
  if (known) return known;
  if (below.includes(name))
    throw new LinkmlError(
      'schema_invalid',
      `Types inherit from each other in a cycle: ${[...below, name].join(' → ')}.`,
    );
  const element = context.loaded.types.get(name);
  if (!element) return builtInType(context, name);
  const { source, file } = element;
  const parentName = yamlText(source.typeof);
  if (parentName !== undefined && !isType(context, parentName))
    throw unknownName(context, `The type ${name} (${file.place}) is a typeof`, parentName, ['type']);
  const parent = parentName === undefined ? undefined : defineType(context, parentName, [...below, name]);
  const base = parent?.base ?? ownBase(name, source);
  const declared = yamlText(source.uri);
  const uri =
    declared === undefined && parent ? parent.uri : namesOf(context, declared, file, camelCase(name)).uri;
  // LinkML's own tools leave the pattern of a type alone, so that a faulty one goes unnoticed in published schemas.
  const lenient: DefinitionContext = { ...context, faultyPatterns: 'warn' };
  const own = constraintsOf(lenient, resolved(source, file, context.loaded), `types.${name}`, undefined);
  const constraints = mergeConstraints(parent?.constraints ?? {}, own);
  reportEmptyBounds(context, `types.${name}`, constraints);
  const members = unionMembers(context, 'types', name, element, (member) => isType(context, member));
  const type: TypeDefinition = {
    name,
    uri,
    base,
    isIri: declared === undefined ? (parent?.isIri ?? false) : IRI_DATATYPES.has(declared),
    description: yamlText(source.description),
    constraints,
    unionOf: members.map((member) => defineType(context, member, [...below, name])),
  };
  context.types.set(name, type);
  return type;
}

/** The built-in type that a type without `typeof` rests on: the one of its name, unless its `base` says otherwise. */
function ownBase(name: string, source: Definition): string {
  const declared = yamlText(source.base);
  const row = BUILT_IN_TYPES.get(name);
  if (row && (declared === undefined || declared === row.base)) return name;
  return typeOfBase(declared ?? yamlText(source.repr)) ?? 'string';
}

/** A type of `linkml:types` in a schema that does not import it. */
function builtInType(context: DefinitionContext, name: string): TypeDefinition {
  const row = BUILT_IN_TYPES.get(name);
  if (!row) throw unknownName(context, 'A type is', name, ['type']);
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
  context.types.set(name, type);
  return type;
}
