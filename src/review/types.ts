/** The words of reviews as data: what the endpoints answer with. */
import type { JsonText } from '../json.ts';
import type { Shape } from '../shapes.ts';
import type { decisionSchema, itemSchema, rowSchema } from './schemas.ts';

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
/** Requests of a curator to a submitter, without a decision. */
export type Request = (typeof REQUESTS)[number];

/** The longest comment and the longest reason of a decision, in characters. */
export const LONGEST_COMMENT = 4000;

export const COMMENTERS = ['curator', 'submitter'] as const;
/** Who comments on a submission. */
export type Commenter = (typeof COMMENTERS)[number];

export type Decision = Shape<typeof decisionSchema>;

/** A submission in the queue. */
export type Row = Shape<typeof rowSchema>;

/** Hints for a curator who is about to accept, whatever the difference. */
export type Hints = Pick<Row, 'duplicates' | 'dangling'>;

/** Finds the hints of submissions, in order. */
export type HintProvider = (
  submissions: readonly {
    readonly label: string;
    readonly iri: string;
    readonly className: string;
    readonly json: string;
  }[],
) => Promise<readonly Hints[]>;

export type Content = { readonly className: string; readonly json: string };

/** A record without the rest of what holds it: this is copied to threads, and kept. */
export function contentOf({ className, json }: Content): Content {
  return { className, json };
}

export type Reference = Shape<typeof itemSchema>['references'][number];

/** An answer some members of which are JSON already. */
export type WithTexts<Answer, Member extends keyof Answer> = Omit<Answer, Member> &
  Readonly<Record<Member, JsonText>>;
