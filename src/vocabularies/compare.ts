/** Lists the changes of a newer snapshot of a vocabulary for those who use its terms. */
import type { Term } from '../schema/terms/vocabulary.ts';
import type { Snapshot } from './snapshot.ts';

export type TermChange =
  /** The term does not exist any more. */
  | { readonly kind: 'gone'; readonly before: Term }
  | { readonly kind: 'obsolete'; readonly before: Term; readonly after: Term }
  | { readonly kind: 'relabeled'; readonly before: Term; readonly after: Term };

export type SnapshotDifference = {
  readonly added: number;
  readonly changes: readonly TermChange[];
};

export function compareSnapshots(before: Snapshot, after: Snapshot): SnapshotDifference {
  if (before.about.digest === after.about.digest) return { added: 0, changes: [] };
  const changes: TermChange[] = [];
  let kept = 0;
  for (const term of before.all()) {
    const now = after.term(term.id);
    if (now) kept += 1;
    const change = changeOf(term, now);
    if (change) changes.push(change);
  }
  return { added: after.size - kept, changes };
}

function changeOf(before: Term, after: Term | undefined): TermChange | undefined {
  if (!after) return { kind: 'gone', before };
  if (after.obsolete && !before.obsolete) return { kind: 'obsolete', before, after };
  // Ontologies relabel terms when they become obsolete; that is reported as such.
  return after.label !== before.label && !after.obsolete ? { kind: 'relabeled', before, after } : undefined;
}
