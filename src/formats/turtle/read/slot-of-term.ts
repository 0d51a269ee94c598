/** Which of several slots with one URI a value is of. */
import type { SlotDefinition } from '../../../schema/linkml.ts';
import { RDF_LANG_STRING, RDF_TYPE, XSD_ANY_URI, XSD_STRING } from '../namespaces.ts';
import type { TurtleClass } from '../turtle-schema.ts';
import type { Term } from './graph.ts';
import { Misfit, type ReadRun } from './read-run.ts';
import { readScalar } from './read-values.ts';

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
