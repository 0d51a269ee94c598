/** Decisions and intents as rows of the curated area's ledger. */
import { randomBytes } from 'node:crypto';
import type { Base, LedgerChange, LedgerExpectation, LedgerRow } from '../storage/store.ts';
import type { Content, Decision } from './types.ts';

export const DECISION = 'decision';
/** That decisions were changed after they were made: indexes follow these rows as they follow decisions. */
export const CHANGED = 'decision-changed';
/** A removal from a zone, or a restoration to it, that a decision in the curated area has promised. */
export const INTENT = 'review-intent';

/** What a submission was when it was decided: an undo puts it back as it was. */
export type KeptSubmission = {
  readonly submitter: string | null;
  readonly edited_by: string | null;
  readonly submitted_at: string;
  readonly batch: string | null;
  readonly message: string | null;
  readonly answered_at: string | null;
  readonly base_known: 0 | 1;
  readonly base_etag: string | null;
  readonly base: Content | null;
};

export type KeptDecision = {
  readonly decision: Decision;
  readonly iri: string;
  /** The schema that made the digest: another one makes another digest of the same record. */
  readonly schema: string;
  /** Null once the contents were forgotten. */
  readonly submitted: Content | null;
  /** The curated record before and after an accept; null for none. */
  readonly before: Content | null;
  readonly after: Content | null;
  /** The revision of the curated record that the accept left. */
  readonly revision: number | null;
  readonly submission: KeptSubmission;
};

export type Intent = {
  readonly label: string;
  readonly iri: string;
  readonly decision: string;
  readonly reviewer: string;
  readonly submitter: string | null;
} & (
  | { readonly remove: { readonly revision: number } }
  | { readonly restore: Content & { readonly pid: string }; readonly base: Base | null }
);

/** A decision as a row that is found by what it is about. */
export function decisionAsRow(kept: KeptDecision): LedgerRow {
  const { id, label, group } = kept.decision;
  const keys = [`iri ${kept.iri}`, `label ${label}`, `group ${group}`];
  return { kind: DECISION, id, keys, json: JSON.stringify(kept) };
}

/** Keeps a decision. */
export function decisionRow(kept: KeptDecision, expect?: LedgerExpectation): LedgerChange {
  return { set: decisionAsRow(kept), ...(expect && { expect }) };
}

/** The same for one that is made: not if another instance has decided on the record since `last`. */
export function newDecisionRow(kept: KeptDecision, last: string): LedgerChange {
  return decisionRow(kept, { newestOf: `iri ${kept.iri}`, after: last });
}

/** Has indexes read some decisions again. */
export function changedRow(id: string, decisions: readonly string[]): LedgerChange {
  return { set: { kind: CHANGED, id, keys: [], json: JSON.stringify(decisions) } };
}

export function intentRow(intent: Intent): LedgerChange {
  const set = { kind: INTENT, id: intentId(intent), keys: [], json: JSON.stringify(intent) };
  return { set };
}

export function intentDone(intent: Intent): LedgerChange {
  return { remove: { kind: INTENT, id: intentId(intent) } };
}

/** The id of the intent by which an accept removes a submission. */
export const removalId = (decision: string) => `${decision} remove`;

function intentId(intent: Intent): string {
  return 'remove' in intent ? removalId(intent.decision) : `${intent.decision} restore`;
}

/** An id that is less than all which were made less than so many milliseconds before another one. */
export function idBefore(id: string, milliseconds: number): string {
  const time = Number.parseInt(id.slice(0, 9), 36) || 0;
  return Math.max(0, time - milliseconds)
    .toString(36)
    .padStart(9, '0');
}

let lastMilliseconds = 0;
let sequence = 0;

/** An id that is greater than all before it: ids are in the order of time, also if the clock is set back. */
export function nextDecisionId(now: Date, after: string): string {
  const milliseconds = now.getTime();
  const former = Number.parseInt(after.slice(0, 9), 36) || 0;
  if (milliseconds > Math.max(lastMilliseconds, former)) {
    lastMilliseconds = milliseconds;
    sequence = 0;
  } else {
    lastMilliseconds = Math.max(lastMilliseconds, former);
    sequence = Math.max(sequence, former === lastMilliseconds ? Number.parseInt(after.slice(9, 13), 36) : 0);
    sequence += 1;
  }
  const time = lastMilliseconds.toString(36).padStart(9, '0');
  return `${time}${sequence.toString(36).padStart(4, '0')}${randomBytes(4).toString('hex')}`;
}
