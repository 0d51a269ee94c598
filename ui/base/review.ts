/** What the endpoints of review return. */
import type { Problem } from './api.ts';
import type { Json, JsonObject } from './json.ts';
import type { StateName } from './state-names.ts';

export type Standing = 'waiting' | 'deferred' | 'rejected';
export type Verdict = 'accept' | 'reject' | 'defer';

/** One submission of the queue. */
export type QueueRow = {
  readonly pid: string;
  readonly class: string;
  readonly label: string;
  readonly submitter: string | null;
  readonly edited_by: string | null;
  readonly submitted_at: string | null;
  readonly batch: string | null;
  readonly message: string | null;
  readonly state: 'new' | 'changed' | 'diverged' | 'same';
  readonly standing: Standing;
  readonly digest: string;
  readonly etag: string;
  readonly curated_etag: string | null;
  readonly base_etag: string | null;
  readonly title: string | null;
  readonly valid: boolean;
  readonly differences: number;
  readonly conflicts: number;
  readonly slots: readonly string[];
  readonly others: number;
  readonly last: DecisionRow | null;
};

export type Difference = {
  readonly path: string;
  readonly slot: string | null;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly base: Json;
  readonly curated: Json;
  readonly submitted: Json;
  readonly changed_by: 'submitter' | 'curator' | 'both' | 'unknown';
  readonly conflict: boolean;
};

export type Reference = {
  readonly pid: string;
  readonly in: 'curated' | 'zone' | 'nowhere';
  readonly digest: string | null;
  readonly state: StateName | null;
};

export type Item = Omit<QueueRow, 'differences'> & {
  readonly submitted: JsonObject;
  readonly curated: JsonObject | null;
  readonly base: JsonObject | null;
  readonly differences: readonly Difference[];
  readonly merged: JsonObject | null;
  readonly problems: readonly Problem[];
  readonly references: readonly Reference[];
  readonly competing: readonly QueueRow[];
  readonly decisions: readonly DecisionRow[];
};

export type DecisionRow = {
  readonly id: string;
  readonly decision: Verdict;
  readonly label: string;
  readonly pid: string;
  readonly class: string;
  readonly digest: string;
  readonly reason: string | null;
  readonly until: string | null;
  readonly submitter: string | null;
  readonly reviewer: string | null;
  readonly time: string;
  readonly group: string | null;
  readonly curated_before: string | null;
  readonly curated_after: string | null;
  readonly undone: { readonly reviewer: string; readonly time: string } | null;
};

export type Side = 'base' | 'curated' | 'submitted';

export const DECIDED: Readonly<Record<Verdict, StateName>> = {
  accept: 'accepted',
  reject: 'rejected',
  defer: 'deferred',
};
