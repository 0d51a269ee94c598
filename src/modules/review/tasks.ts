/** The functions of reviews that threads run. */
import { ofSchema, task } from '../../core/work/task.ts';
import { carriedText, type Digests, type KeptText, refusedUnder } from './decisions/carry.ts';
import type { BaseContent, Content } from './decisions/content.ts';
import { type Claims, readContent, type SubmittedContent } from './submissions/assess.ts';
import { RECORD_WORK } from './submissions/record-work.ts';

type SubmissionInput = Claims & {
  readonly content: SubmittedContent;
  /** The record that it is compared with. */
  readonly compared?: { readonly curated: Content | undefined; readonly base: BaseContent };
};

/** The digest of a submission, and what it is next to other records if they are given. */
export const submissionIn = ofSchema(async ({ content, compared, ...claims }: SubmissionInput) => {
  const read = readContent(claims, content);
  return { digest: read.digest, found: compared && (await read.assess(compared.curated, compared.base)) };
});

/** The input of a function of reviews, and what records are read with. */
export type OfReview<Input> = Claims & { readonly input: Input };

function ofReview<Input, Result>(work: (claims: Claims, input: Input) => Result) {
  return ofSchema(({ input, ...claims }: OfReview<Input>) => work(claims, input));
}

/** See {@link RECORD_WORK}. */
export const changesIn = ofReview(RECORD_WORK.changes);
export const shownIn = ofReview(RECORD_WORK.shown);
export const acceptedIn = ofReview(RECORD_WORK.accepted);
export const identifiedIn = ofReview(RECORD_WORK.identified);

/** See {@link refusedUnder}. */
export const refusedIn = task(({ kept, schema }: { readonly kept: KeptText; readonly schema: string }) =>
  refusedUnder(kept, schema),
);
/** See {@link carriedText}. */
export const carriedIn = task(
  ({ kept, digests, next }: { kept: KeptText; digests: Digests; next: Content | undefined }) =>
    carriedText(kept, digests, next),
);
