/**
 * Whether two Turtle documents say the same: graph isomorphism, with literals compared by value where a datatype has
 * several texts for one value (`1e+21` and `1.0E21`, `+00:00` and `Z`).
 */
import { Parser, type Quad, type Term } from 'n3';

const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** The sorted lines of a document, in which blank nodes are named for what is said about them. */
function canonicalLines(turtle: string): string[] {
  const quads = new Parser({ format: 'Turtle' }).parse(turtle);
  let names = new Map<string, string>();
  // Each round tells blank nodes apart by what the round before knew of their neighbours. As many rounds as there
  // are blank nodes are enough, and exact for the trees that records are.
  const blanks = new Set(
    quads
      .flatMap(({ subject, object }) => [subject, object])
      .filter(isBlank)
      .map(({ value }) => value),
  );
  for (let round = 0; round <= blanks.size; round++) {
    const next = new Map([...blanks].map((blank) => [blank, digest(linesAbout(blank, quads, names))]));
    const isStable = new Set(next.values()).size === new Set(names.values()).size;
    names = next;
    if (isStable && round > 0) break;
  }
  // A triple that is said twice counts once; twins among blank nodes count as often as there are.
  const distinct = new Map(quads.map((quad) => [exactly(quad), quad])).values();
  return [...distinct]
    .map(({ subject, predicate, object }) =>
      [subject, predicate, object].map((term) => written(term, names)).join(' '),
    )
    .sort();
}

function exactly({ subject, predicate, object }: Quad): string {
  return [subject, predicate, object]
    .map((term) => (isBlank(term) ? `_:${term.value}` : written(term, new Map())))
    .join(' ');
}

/** Whether two Turtle documents are the same graph. */
export function isIsomorphic(a: string, b: string): boolean {
  return canonicalLines(a).join('\n') === canonicalLines(b).join('\n');
}

function isBlank(term: Term): boolean {
  return term.termType === 'BlankNode';
}

function linesAbout(blank: string, quads: readonly Quad[], names: ReadonlyMap<string, string>): string {
  const lines: string[] = [];
  for (const { subject, predicate, object } of quads) {
    if (isBlank(subject) && subject.value === blank)
      lines.push(`> ${predicate.value} ${written(object, names)}`);
    if (isBlank(object) && object.value === blank)
      lines.push(`< ${predicate.value} ${written(subject, names)}`);
  }
  return lines.sort().join('\n');
}

/** A short name for a text (FNV-1a, twice). */
function digest(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return `${(a >>> 0).toString(16)}${(b >>> 0).toString(16)}`;
}

function written(term: Term, names: ReadonlyMap<string, string>): string {
  if (term.termType === 'BlankNode') return `_:${names.get(term.value) ?? ''}`;
  if (term.termType !== 'Literal') return `<${term.value}>`;
  const { value, language, datatype } = term;
  return `${JSON.stringify(byValue(value, datatype.value))}@${language}^${datatype.value}`;
}

/** One text for all texts of a value. */
function byValue(text: string, datatype: string): string {
  const name = datatype.startsWith(XSD) ? datatype.slice(XSD.length) : '';
  if (name === 'integer' || /^(?:non|pos|neg|uns|long|int|short|byte)/.test(name)) {
    return /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')).toString() : text;
  }
  if (name === 'float' || name === 'double')
    return text.trim() === '' ? text : String(Number(text.replace('INF', 'Infinity')));
  if (name === 'decimal')
    return text
      .replace(/^\+/, '')
      .replace(/^(-?)0+(?=\d)/, '$1')
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '');
  if (name === 'boolean') return text === '1' ? 'true' : text === '0' ? 'false' : text;
  if (name === 'dateTime' || name === 'time') {
    return text
      .replace(/(?:Z|[+-]00:00)$/, 'Z')
      .replace(/(\.\d*?)0+(?=Z|[+-]|$)/, '$1')
      .replace(/\.(?=Z|[+-]|$)/, '');
  }
  return text;
}
