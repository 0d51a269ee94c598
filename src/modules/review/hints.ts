/** Hints about submissions, for curators: what a module gives about records, by the zones of the submissions. */
import type { Collection } from '../../core/collections/collection.ts';
import type { HintProvider } from './types.ts';

/** Undefined without a module that gives hints. */
export function hintProvider({ hints, schema }: Collection): HintProvider | undefined {
  if (!hints) return undefined;
  return async (submissions) => {
    const found = await hints.of(submissions.map((one) => ({ records: [one], label: one.label })));
    return found.map(({ dangling, duplicates }) => ({
      dangling: dangling.map((iri) => schema.compact(iri)),
      duplicates: [...duplicates],
    }));
  };
}
