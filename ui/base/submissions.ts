/** What the endpoints for submitters return. */
import type { JsonObject } from './json.ts';
import type { DecisionRow, Difference } from './review.ts';

export const STATUSES = ['rejected', 'waiting', 'deferred', 'accepted', 'withdrawn'] as const;

export type OwnRow = {
  readonly pid: string;
  readonly class: string;
  readonly batch: string | null;
  readonly message: string | null;
  readonly submitted_at: string;
  readonly state: 'new' | 'changed' | 'diverged' | 'same' | null;
  readonly status: 'waiting' | 'deferred' | 'rejected' | 'accepted' | 'withdrawn' | 'removed';
  readonly reason: string | null;
  readonly until: string | null;
  readonly decided_at: string | null;
  readonly digest: string;
  readonly title: string | null;
};

export type OwnItem = OwnRow & {
  readonly submitted: JsonObject;
  readonly curated: JsonObject | null;
  readonly changed_by_curator: readonly Difference[] | null;
  readonly decisions: readonly DecisionRow[];
};
