/** The spellings of a reference: an IRI, and the CURIEs that resolve to it. */
import { fold } from '#linkml/folding.ts';
import type { ConditionGroups, ValueCondition } from '../storage/search/indexed-values.ts';

type Prefixes = {
  readonly prefixes: ReadonlyMap<string, string>;
  expand(curieOrIri: string): string | undefined;
  expandReference(curieOrIri: string): string | undefined;
};

/** All ways to write a value: one, unless it resolves to an IRI. */
function spellingsOf({ prefixes, expand }: Prefixes, value: string): string[] {
  const iri = expand(value);
  if (iri === undefined) return [value];
  const curies = [...prefixes].flatMap(([prefix, start]) =>
    start !== '' && iri.startsWith(start) ? `${prefix}:${iri.slice(start.length)}` : [],
  );
  return [...new Set([value, iri, ...curies])];
}

/** Conditions with all spellings of the values that references are compared with. */
export function inAllSpellings(schema: Prefixes, groups: ConditionGroups): ConditionGroups {
  const spelled = (one: ValueCondition) =>
    one.test === 'is' ? { ...one, values: one.values.flatMap((value) => spellingsOf(schema, value)) } : one;
  return groups.map((group) => group.map(spelled));
}

/** Equal for folded texts that are spellings of the same reference. */
export function referenceIn({ expandReference }: Prefixes, folded: string): string {
  return fold(expandReference(folded) ?? folded);
}
