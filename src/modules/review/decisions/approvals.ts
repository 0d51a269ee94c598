/**
 * Approvals: in a collection that requires two, the accept of one curator is an approval, and that of another one accepts. Neither of
 * them has submitted it. An approval is of a version: of what a submission says, next to the curated record, and of the
 * result that accepting it has. Whatever changes one of them leaves it behind.
 */
import type { Reader } from '../../../core/storage/reader.ts';
import type { ReviewContext } from '../parts.ts';
import type { Submission } from '../submissions/submission.ts';
import type { Content } from './content.ts';
import { type DecisionRow, keptBy } from './decisions.ts';

type Approvable = Pick<Submission, 'label' | 'digest' | 'version' | 'submitter' | 'curated_revision'>;

/**
 * The approvals of a submission as it is, newest first, one of each person.
 *
 * @param decisions on its record, newest first
 */
export function approvalsOf(row: Approvable, decisions: readonly DecisionRow[]): DecisionRow[] {
  const found = new Map<string, DecisionRow>();
  for (const one of decisions) {
    if (one.undone_at !== null || one.digest !== row.digest || one.label !== row.label) continue;
    // What was decided since is behind it: a rejection, or an accept of the same content that has come again.
    if (one.decision === 'reject' || one.decision === 'accept') break;
    const isOfVersion = one.version === row.version && one.before_revision === row.curated_revision;
    const { reviewer } = one;
    if (one.decision !== 'approve' || !isOfVersion || reviewer === null) continue;
    if (reviewer !== row.submitter && !found.has(reviewer)) found.set(reviewer, one);
  }
  return [...found.values()];
}

/** Those that approve a result. */
export async function approvalsFor(
  reader: Reader,
  context: ReviewContext,
  approvals: readonly DecisionRow[],
  result: Content,
): Promise<DecisionRow[]> {
  const found: DecisionRow[] = [];
  for (const one of approvals) {
    const after = (await keptBy(reader, context, one.id))?.after;
    if (after && after.json === result.json && after.className === result.className) found.push(one);
  }
  return found;
}
