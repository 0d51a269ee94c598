/** Hints about submissions, for curators: what a module gives about records, by the zones of the submissions. */
import type { Collection } from '../../core/collections/collection.ts';
import type { HintProvider, Hints } from './types.ts';

/** Undefined without a module that gives hints. */
export function hintProvider({ hints, schema }: Collection): HintProvider | undefined {
  if (!hints) return undefined;
  return async (submissions) => {
    const found: Hints[] = [];
    const zones = Map.groupBy(submissions.keys(), (at) => submissions[at]!.label);
    for (const [label, positions] of zones) {
      const inZone = await hints.of(
        positions.map((at) => [submissions[at]!]),
        { label },
      );
      for (const [index, { dangling, duplicates }] of inZone.entries())
        found[positions[index]!] = {
          dangling: dangling.map((iri) => schema.compact(iri)),
          duplicates: [...duplicates],
        };
    }
    return found;
  };
}
