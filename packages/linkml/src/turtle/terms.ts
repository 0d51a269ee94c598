/**
 * IRIs and literals as Turtle text: what may be abbreviated, what must be escaped.
 *
 * The grammar is that of Turtle 1.1, section 6.5; a local name that would need an escape is written as a full IRI,
 * which reads better than `ex:a\/b`.
 */
import { compareCodePoints } from '../json.ts';
import { RDF, XSD } from './namespaces.ts';

const PREFIX_NAME = /^[A-Za-z](?:[\w.-]*[\w-])?$/;
const LOCAL_NAME = /^[\w:](?:[\w:.-]*[\w:-])?$/;
/** An absolute IRI that may be written between `<` and `>`. */
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*$/;
const TO_ESCAPE = /["\\\x00-\x1f\x7f]/;
const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** Whether a string is an absolute IRI that Turtle can represent. */
export function isIri(text: string): boolean {
  return IRI.test(text);
}

export function quote(text: string): string {
  return TO_ESCAPE.test(text) ? `"${text.replace(/["\\\x00-\x1f\x7f]/g, escapeCharacter)}"` : `"${text}"`;
}

function escapeCharacter(character: string): string {
  return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A term that never changes, as text, and the prefix that it needs. */
type FixedTerm = { readonly text: string; readonly prefix: string | undefined };

/** The prefixes of a schema, in the form in which IRIs are abbreviated with them. */
export type PrefixTable = {
  readonly namespaces: ReadonlyMap<string, string>;
  /** Namespace → prefix for namespaces that end in `/` or `#`, as most do: local names contain neither. */
  readonly byNamespace: ReadonlyMap<string, string>;
  /** All other namespaces with their prefixes, the longest first. */
  readonly others: readonly (readonly [namespace: string, prefix: string])[];
  /** The terms of the schema itself (predicates, classes, datatypes), once they have been asked for. */
  readonly fixed: Map<string, FixedTerm>;
};

/** Prefixes that a document may need although the schema has no use for them. */
const WELL_KNOWN = new Map([
  ['rdf', RDF],
  ['xsd', XSD],
]);

/** The prefixes that Turtle can name; an IRI of any other one is written in full. */
export function prefixTable(prefixes: ReadonlyMap<string, string>): PrefixTable {
  const all = [...new Map([...WELL_KNOWN, ...prefixes])];
  const usable = all.filter(([prefix, namespace]) => PREFIX_NAME.test(prefix) && IRI.test(namespace));
  // Of two prefixes for one namespace, the first by name is used, which is set last.
  const byName = usable
    .toSorted(([a], [b]) => compareCodePoints(b, a))
    .map(([prefix, namespace]) => [namespace, prefix] as const);
  const isRegular = ([namespace]: readonly [string, string]) => /[/#]$/.test(namespace);
  return {
    namespaces: new Map(usable),
    byNamespace: new Map(byName.filter(isRegular)),
    others: [...new Map(byName.filter((entry) => !isRegular(entry)))].sort(([a], [b]) => b.length - a.length),
    fixed: new Map(),
  };
}

/** An IRI as `prefix:local` if that is possible, else as `<…>`; the prefix goes into `used`. */
export function iriTerm(iri: string, prefixes: PrefixTable, used: Set<string>): string {
  const { text, prefix } = abbreviate(iri, prefixes);
  if (prefix !== undefined) used.add(prefix);
  return text;
}

/** Like {@link iriTerm}, for an IRI of the schema: its term is kept for the next record. */
export function fixedTerm(iri: string, prefixes: PrefixTable, used: Set<string>): string {
  const term = prefixes.fixed.get(iri) ?? abbreviate(iri, prefixes);
  prefixes.fixed.set(iri, term);
  if (term.prefix !== undefined) used.add(term.prefix);
  return term.text;
}

/** The longest namespace that leaves a name behind it which needs no escape. */
function abbreviate(iri: string, prefixes: PrefixTable): FixedTerm {
  const end = Math.max(iri.lastIndexOf('/'), iri.lastIndexOf('#')) + 1;
  for (const [namespace, prefix] of prefixes.others) {
    if (namespace.length <= end) break;
    if (!iri.startsWith(namespace)) continue;
    const local = iri.slice(namespace.length);
    if (isLocalName(local)) return { text: `${prefix}:${local}`, prefix };
  }
  const prefix = prefixes.byNamespace.get(iri.slice(0, end));
  const local = iri.slice(end);
  if (prefix !== undefined && isLocalName(local)) return { text: `${prefix}:${local}`, prefix };
  return { text: `<${iri}>`, prefix: undefined };
}

function isLocalName(text: string): boolean {
  return text === '' || LOCAL_NAME.test(text);
}

/** A CURIE of the schema unchanged, if it is a prefixed name of Turtle too; undefined otherwise. */
export function curieTerm(curie: string, prefixes: PrefixTable, used: Set<string>): string | undefined {
  const colon = curie.indexOf(':');
  if (colon < 0) return undefined;
  const prefix = curie.slice(0, colon);
  const local = curie.slice(colon + 1);
  if (!prefixes.namespaces.has(prefix) || !isLocalName(local)) return undefined;
  used.add(prefix);
  return curie;
}

export function prefixLines(prefixes: PrefixTable, used: ReadonlySet<string>): string {
  const names = [...used].sort(compareCodePoints);
  return names.map((name) => `@prefix ${name}: <${prefixes.namespaces.get(name)}> .\n`).join('');
}
