/** Shapes as Turtle text: nodes with their properties, nested as deep as they are. */

/** A term as it is written, a blank node with properties, or a list of terms. */
export type ShapeTerm = string | Properties | { readonly list: readonly ShapeTerm[] };

/** Predicates with their objects, in the order in which they are written. */
export type Properties = readonly (readonly [predicate: string, ...objects: ShapeTerm[]])[];

const INDENT = '  ';

/** The statement of a subject. */
export function statement(subject: string, properties: Properties): string {
  return `${subject} ${propertyLines(properties, INDENT)} .\n`;
}

function propertyLines(properties: Properties, indent: string): string {
  return properties
    .map(([predicate, ...objects]) => `${predicate} ${objects.map((one) => text(one, indent)).join(', ')}`)
    .join(` ;\n${indent}`);
}

function text(term: ShapeTerm, indent: string): string {
  if (typeof term === 'string') return term;
  const inner = indent + INDENT;
  if ('list' in term) return `( ${term.list.map((one) => text(one, inner)).join(' ')} )`;
  if (term.length === 1) return `[ ${propertyLines(term, inner)} ]`;
  return term.length === 0 ? '[]' : `[\n${inner}${propertyLines(term, inner)}\n${indent}]`;
}
