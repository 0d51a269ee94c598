/** The states of submissions, and the limits and authors of what is said about them. */
export const STATES = ['same', 'new', 'changed', 'diverged'] as const;
export type State = (typeof STATES)[number];

export const STANDINGS = ['waiting', 'deferred', 'rejected'] as const;
export type Standing = (typeof STANDINGS)[number];

export const STATUSES = ['waiting', 'deferred', 'rejected', 'accepted', 'withdrawn', 'removed'] as const;
/** The status of a submission, for its submitter. */
export type Status = (typeof STATUSES)[number];

export const VERDICTS = ['accept', 'reject', 'defer'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What decisions are: an accept that is not yet enough is an approval, which decides nothing. */
export const DECISIONS = [...VERDICTS, 'approve'] as const;
export type DecisionKind = (typeof DECISIONS)[number];

export const REQUESTS = ['answer', 'changes'] as const;
/** Requests of a curator to a submitter, without a decision. */
export type Request = (typeof REQUESTS)[number];

/** The longest comment and the longest reason of a decision, in characters. */
export const LONGEST_COMMENT = 4000;

export const COMMENTERS = ['curator', 'submitter'] as const;
/** Who comments on a submission. */
export type Commenter = (typeof COMMENTERS)[number];

/** Decisions, or comments, of one request. */
export const MOST_DECISIONS = 1000;

/** When submissions are due that are not: the last time of dates in four digits, which is behind all others in an order. */
export const NOT_DUE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
