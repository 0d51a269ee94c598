/**
 * Forgetting people and contents in decisions. Digests and decisions stay, so a rejection is still remembered.
 *
 * Entries of records are not touched: they are the history of the records themselves.
 */
import type { LedgerChange, RecordStore } from '../storage/store.ts';
import { CARRIED } from './carry.ts';
import { changedRow, DECISION, decisionRow, type KeptDecision, nextDecisionId } from './ledger-rows.ts';
import type { Decision } from './types.ts';

/** What stands in place of a user id. */
const FORGOTTEN = 'forgotten';

export type Forgettable = { readonly user: string } | { readonly iri: string };

const ROWS_FORGOTTEN_AT_ONCE = 500;

/** @returns the number of decisions that were changed */
export async function forget(curated: RecordStore, what: Forgettable, now: Date): Promise<number> {
  const by = { committer: FORGOTTEN, author: FORGOTTEN, role: 'service' } as const;
  let changed = 0;
  for (let after = ''; ; ) {
    const keys = 'iri' in what ? [`iri ${what.iri}`] : [];
    const rows = await curated.ledger.list({ kind: DECISION, keys, after, limit: ROWS_FORGOTTEN_AT_ONCE });
    const ledger: LedgerChange[] = [];
    const ids: string[] = [];
    for (const row of rows) {
      const kept = JSON.parse(row.json) as KeptDecision;
      const next = 'iri' in what ? withoutContents(kept) : withoutUser(kept, what.user);
      if (JSON.stringify(next) === row.json) continue;
      ledger.push(decisionRow(next, 'present'));
      if ('iri' in what) ledger.push({ remove: { kind: CARRIED, id: row.id } });
      ids.push(row.id);
    }
    // A service that runs meanwhile reads these decisions again.
    if (ids.length > 0) await curated.write([], by, [...ledger, changedRow(nextDecisionId(now, ''), ids)]);
    changed += ids.length;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_FORGOTTEN_AT_ONCE) return changed;
    after = last.id;
  }
}

function withoutContents(kept: KeptDecision): KeptDecision {
  const decision: Decision = { ...kept.decision, reason: null };
  const submission = { ...kept.submission, message: null, base: null };
  return { ...kept, decision, submitted: null, before: null, after: null, submission };
}

function withoutUser(kept: KeptDecision, user: string): KeptDecision {
  const known = (id: string | null) => (id === user ? FORGOTTEN : id);
  const { decision, submission } = kept;
  const undone = decision.undone && { ...decision.undone, reviewer: known(decision.undone.reviewer) };
  return {
    ...kept,
    decision: {
      ...decision,
      submitter: known(decision.submitter),
      reviewer: known(decision.reviewer),
      undone,
    },
    submission: {
      ...submission,
      submitter: known(submission.submitter),
      edited_by: known(submission.edited_by),
    },
  };
}
