/** Term → JSON value, for every range but inlined objects. */
import type { JsonValue } from '../../../json.ts';
import type { EnumDefinition, SlotRange, TypeDefinition } from '../../../schema/linkml.ts';
import { excerpt } from '../../excerpt.ts';
import { XSD_STRING } from '../namespaces.ts';
import type { TurtleSchema } from '../turtle-schema.ts';
import type { Term } from './graph.ts';
import { type LiteralTerm, literalValue } from './read-literals.ts';
import { Misfit, shownKey } from './read-run.ts';

/**
 * The value of a term in a slot with the range.
 *
 * @throws Misfit
 */
export function readScalar(term: Term, range: SlotRange, schema: TurtleSchema): JsonValue {
  if (term.kind === 'blank') {
    const needed = range.kind === 'class' ? 'a reference to an object needs an IRI' : 'a value is needed';
    throw new Misfit('turtle_blank_node', `Found a blank node where ${needed}.`);
  }
  switch (range.kind) {
    case 'type':
      return term.kind === 'iri'
        ? iriValue(term.iri, range.type, schema)
        : ofLiteral(term, baseOfType(range.type), schema, range.type.uri);
    case 'enum':
      return term.kind === 'iri'
        ? enumValue(term.iri, range.enum, schema)
        : ofLiteral(term, 'string', schema);
    case 'class':
      if (term.kind === 'iri') return schema.compact(term.iri);
      throw new Misfit(
        'turtle_object_expected',
        `Expected the IRI of an object of the class ${range.className}, found the literal "${excerpt(term.text)}".`,
      );
    case 'any':
    case 'array':
      return term.kind === 'iri' ? schema.compact(term.iri) : ofLiteral(term, undefined, schema);
    case 'union':
      return unionValue(term, range.alternatives, schema);
  }
}

/** The built-in type of a type's values; none for a union of types, whose literals say by themselves what they are. */
function baseOfType({ base, unionOf }: TypeDefinition): string | undefined {
  return unionOf.length > 0 ? undefined : base;
}

type IriOrLiteral = Exclude<Term, { kind: 'blank' }>;

/**
 * An IRI in a slot with a type. Such slots do not treat a string with a second colon as a CURIE and keep it, so
 * that an IRI is not shortened to one.
 */
function iriValue(iri: string, type: TypeDefinition, schema: TurtleSchema): string {
  const compact = schema.compact(iri);
  return type.isIri && compact.indexOf(':') !== compact.lastIndexOf(':') ? iri : compact;
}

/** The value with the IRI as its meaning, or with the CURIE of the IRI as its text. */
function enumValue(iri: string, { name, values, open }: EnumDefinition, schema: TurtleSchema): string {
  for (const value of values.values()) {
    if (value.meaning !== undefined && (schema.expand(value.meaning) ?? value.meaning) === iri)
      return value.text;
  }
  const compact = schema.compact(iri);
  if (open || values.has(compact)) return compact;
  throw new Misfit(
    'turtle_enum_unknown',
    `${shownKey(iri, schema)} is not the meaning of a value of the enumeration ${name}.`,
  );
}

function unionValue(term: IriOrLiteral, alternatives: readonly SlotRange[], schema: TurtleSchema): JsonValue {
  if (term.kind === 'literal') {
    const takesLiterals = alternatives.some((one) => one.kind !== 'class' || one.inlining !== 'reference');
    if (takesLiterals) return ofLiteral(term, undefined, schema);
    // As the peer writes a reference that may be to objects of several classes.
    if (term.datatype === XSD_STRING) return term.text;
    throw new Misfit(
      'turtle_object_expected',
      `Expected the IRI of an object, found the literal "${excerpt(term.text)}".`,
    );
  }
  for (const one of alternatives) {
    if (one.kind !== 'enum') continue;
    try {
      return enumValue(term.iri, one.enum, schema);
    } catch {
      // Another alternative may have the IRI.
    }
  }
  return schema.compact(term.iri);
}

function ofLiteral(
  term: LiteralTerm,
  base: string | undefined,
  schema: TurtleSchema,
  datatype?: string,
): JsonValue {
  return literalValue(term, base, datatype, schema.isDatatype);
}
