/** Of which class a subject is, and of which of several slots with one URI a value is. */
import type { JsonValue } from '../../json.ts';
import { lowestClass, type SlotDefinition } from '../../linkml.ts';
import { excerpt } from '../../position.ts';
import { RDF_LANG_STRING, RDF_TYPE, XSD_ANY_URI, XSD_STRING } from '../namespaces.ts';
import type { TurtleClass } from '../turtle-schema.ts';
import type { Description, Term } from './graph.ts';
import { readScalar } from './read-literals.ts';
import { Misfit, type ReadRun } from './read-run.ts';

/** The class of a subject, and what the document states in the slot that the record has for it, if anything. */
type SubjectClass = { readonly of: TurtleClass; readonly stated: JsonValue | undefined };

/**
 * The class of a subject, where its place says that it is of the class `among` or one below it: what the designator
 * slot says, if the class has one and the subject too, else `among`. An rdf:type that is not a designator is left to
 * the readers of the graph.
 *
 * @throws Misfit
 */
export function classOfSubject(
  reading: ReadRun,
  subject: string,
  description: Description,
  among: TurtleClass,
  isRecord: boolean,
): SubjectClass {
  const { designator } = among;
  const terms = designator ? (description.get(designator.uri) ?? []) : [];
  if (!designator || terms.length === 0) return { of: among, stated: undefined };
  const name = reading.show(subject);
  if (terms.length > 1 && !designator.multivalued) {
    const list = terms.slice(0, 5).map((term) => found(reading, term));
    throw new Misfit(
      'turtle_class_ambiguous',
      `${name}: expected one type, found several: ${list.join(', ')}.`,
    );
  }
  // The record needs an rdf:type to be found; for an inlined object, the slot is enough.
  if (!among.isDesignatedByType && description.has(RDF_TYPE) && !isRecord) {
    const msg = `${name} names its class twice, as rdf:type and in the slot ${designator.name}; the slot alone would do.`;
    throw new Misfit('turtle_class_ambiguous', msg);
  }
  const classes = terms.map((term) => {
    const one = classNamed(reading, term, among);
    if (one) return one;
    const type = `${name} has the type ${found(reading, term)}`;
    throw new Misfit('turtle_class_unknown', `${type}, which is not a class of the schema.`);
  });
  const of = lowestClass(classes, (one) => one.definition)!;
  const type = `${name} has the type ${found(reading, terms[classes.indexOf(of)]!)}`;
  if (!of.definition.ancestors.includes(among.definition.name)) {
    throw new Misfit('turtle_class_unsuitable', `${type}, expected ${among.definition.name} or a subclass.`);
  }
  if (isRecord && of !== among) {
    throw new Misfit('turtle_class_unsuitable', `${type}, expected ${among.definition.name}.`);
  }
  const names = classes.map((one) => one.definition.designation ?? '');
  return { of, stated: designator.multivalued ? names : names[0] };
}

/** The class that the value of a designator names: by IRI, CURIE or name. */
function classNamed({ schema }: ReadRun, term: Term, among: TurtleClass): TurtleClass | undefined {
  if (term.kind === 'iri') return schema.classOfIri(term.iri, among);
  if (term.kind === 'blank') return undefined;
  const iri = schema.expand(term.text);
  return (
    schema.classOfDesignator(term.text, among) ??
    (iri === undefined ? undefined : schema.classOfIri(iri, among))
  );
}

function found(reading: ReadRun, term: Term): string {
  return term.kind === 'literal' ? `"${excerpt(term.text)}"` : reading.show(term.key);
}

/**
 * The slot of a term: the first that accepts the value and would be written so, with this datatype or as an IRI; else
 * the first that accepts the value; else the first for values of this kind, which reports what is wrong.
 */
export function slotOfTerm(
  reading: ReadRun,
  of: TurtleClass,
  slots: readonly SlotDefinition[],
  term: Term,
): SlotDefinition | undefined {
  const likely = slots.filter((slot) => isOfKind(reading, slot, term));
  const accepting = likely.filter((slot) => accepts(reading, of, slot, term));
  return accepting.find((slot) => isWrittenSo(slot, term)) ?? accepting[0] ?? likely[0];
}

/** Whether a term is of the kind that a slot has: a literal, an IRI, or a subject of the class. */
function isOfKind({ graph, schema }: ReadRun, { range }: SlotDefinition, term: Term): boolean {
  if (range.kind === 'type') return range.type.isIri || term.kind === 'literal';
  if (range.kind !== 'class') return true;
  if (term.kind === 'literal') return false;
  if (range.inlining === 'reference') return true;
  const among = schema.classNamed(range.className);
  const types = graph.subjects.get(term.key)?.get(RDF_TYPE) ?? [];
  const isNamed = among.definition.identifier !== undefined;
  return isNamed === (term.kind === 'iri') && types.every(({ key }) => isBelow(key));

  /** Whether a type is the class or below it, or of another vocabulary. */
  function isBelow(iri: string): boolean {
    const found = schema.classOfIri(iri, among);
    return !found || found.definition.ancestors.includes(among.definition.name);
  }
}

function accepts(reading: ReadRun, of: TurtleClass, slot: SlotDefinition, term: Term): boolean {
  if (slot.range.kind === 'class') return true;
  try {
    return reading.schema.accepts(of, slot, readScalar(term, slot.range, reading.schema));
  } catch (error) {
    if (error instanceof Misfit) return false;
    throw error;
  }
}

/** Whether a value of the slot is written as such a term. */
function isWrittenSo({ range }: SlotDefinition, term: Term): boolean {
  if (range.kind === 'class') return true;
  if (range.kind === 'enum') return term.kind === 'iri' || isOfDatatype(term, XSD_STRING);
  if (range.kind !== 'type') return false;
  if (range.type.isIri) return term.kind === 'iri' || isOfDatatype(term, XSD_ANY_URI);
  return isOfDatatype(term, range.type.uri === RDF_LANG_STRING ? XSD_STRING : range.type.uri);
}

function isOfDatatype(term: Term, datatype: string): boolean {
  return term.kind === 'literal' && term.datatype === datatype;
}
