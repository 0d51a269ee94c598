/**
 * CURIE ⇄ IRI, by the prefixes of a schema.
 */

/** A string with `://` at its first colon is an IRI and not a CURIE (specification 2.1). */
const ABSOLUTE = /^[^:]*:\/\//;

export type Prefixes = {
  readonly map: ReadonlyMap<string, string>;
  /** With prefixes exactly as they are declared. */
  expand(curieOrIri: string): string | undefined;
  /** With prefixes in any case, as LinkML's `Namespaces` finds them; of two that differ in case only, the later. */
  expandReference(curieOrIri: string): string | undefined;
  compact(iri: string): string;
};

/** Whether a string is an IRI, whatever the prefixes. */
export function isAbsoluteIri(text: string): boolean {
  return ABSOLUTE.test(text);
}

/** Builds both directions. If two prefixes have the same IRI, the first one is written. */
export function buildPrefixes(map: ReadonlyMap<string, string>): Prefixes {
  const anyCase = new Map([...map].map(([prefix, iri]) => [prefix.toLowerCase(), iri]));
  const longestFirst = [...map].sort((a, b) => b[1].length - a[1].length).filter(([, iri]) => iri !== '');
  const expandWith = (curieOrIri: string, iriOf: (prefix: string) => string | undefined) => {
    if (ABSOLUTE.test(curieOrIri)) return curieOrIri;
    const colon = curieOrIri.indexOf(':');
    if (colon < 0) return undefined;
    const iri = iriOf(curieOrIri.slice(0, colon));
    return iri === undefined ? undefined : iri + curieOrIri.slice(colon + 1);
  };
  return {
    map,
    expand: (curieOrIri) => expandWith(curieOrIri, (prefix) => map.get(prefix)),
    expandReference: (curieOrIri) => expandWith(curieOrIri, (prefix) => anyCase.get(prefix.toLowerCase())),
    compact(iri) {
      const found = longestFirst.find(([, start]) => iri.startsWith(start));
      return found ? `${found[0]}:${iri.slice(found[1].length)}` : iri;
    },
  };
}
