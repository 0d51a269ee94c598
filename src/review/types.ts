/** The words of reviews as data: what the endpoints answer with. */
import type { ColumnValues } from './fields.ts';

export const STATES = ['same', 'new', 'changed', 'diverged'] as const;
export type State = (typeof STATES)[number];

export const STANDINGS = ['waiting', 'deferred', 'rejected'] as const;
export type Standing = (typeof STANDINGS)[number];

export const STATUSES = ['waiting', 'deferred', 'rejected', 'accepted', 'withdrawn', 'removed'] as const;
/** The status of a submission, for its submitter. */
export type Status = (typeof STATUSES)[number];

export const VERDICTS = ['accept', 'reject', 'defer'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const REQUESTS = ['answer', 'changes'] as const;
/** What a curator asks a submitter for, without a decision. */
export type Request = (typeof REQUESTS)[number];

/** The longest comment and the longest reason of a decision, in characters. */
export const LONGEST_COMMENT = 4000;

export const COMMENTERS = ['curator', 'submitter'] as const;
/** Who comments on a submission. */
export type Commenter = (typeof COMMENTERS)[number];

/** A decision on a submission. */
export type Decision = {
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
  /** The id of the decision that began the step. */
  readonly group: string;
  readonly curated_before: string | null;
  readonly curated_after: string | null;
  readonly undone: { readonly reviewer: string | null; readonly time: string } | null;
};

/** A decision in a list. */
export type ListedDecision = Decision & {
  /** The title of the submission as it is now or was last; null if it has none, or nothing of it is left. */
  readonly title: string | null;
};

/** A submission in the queue. */
export type Row = ColumnValues & {
  /** Waiting submissions of other zones on the same record. */
  readonly others: number;
  readonly last: Decision | null;
} & Hints;

/** Hints for a curator who is about to accept, whatever the difference. */
export type Hints = {
  /** The pids of curated records with an identifier of the submission. */
  readonly duplicates: readonly string[];
  /** The pids that the submission refers to, of which neither its zone nor the curated area has a record. */
  readonly dangling: readonly string[];
};

/** Finds the hints of submissions, in order. */
export type HintProvider = (
  submissions: readonly {
    readonly label: string;
    readonly iri: string;
    readonly className: string;
    readonly json: string;
  }[],
) => Promise<readonly Hints[]>;

/** A record together with its class. */
export type Content = { readonly className: string; readonly json: string };

/** A record without the rest of what holds it: this is copied to threads, and kept. */
export function contentOf({ className, json }: Content): Content {
  return { className, json };
}

export type Reference = {
  readonly pid: string;
  readonly in: 'curated' | 'zone' | 'nowhere';
  readonly digest: string | null;
  readonly state: State | null;
};
