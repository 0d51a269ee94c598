/** The endpoints of submitters: what became of the submissions of their zone. */

import { JsonText, jsonWith, withoutUndefined } from '#linkml/json.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { userRefused } from '../../core/collections/refusals.ts';
import { type Endpoint, row } from '../../core/http/endpoint.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { enter, enterOwnZone, enterThen, needing } from '../../core/http/enter.ts';
import { listParameter, moment, paging, requiredText, textParameter } from '../../core/http/query.ts';
import { requireMatching } from '../../core/http/reads.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { withReviewRefusals } from './endpoints.ts';
import { reviewPart } from './part.ts';
import type { Review } from './review.ts';
import { commentSchema, ownCommentSchema, ownItemSchema, ownPageSchema } from './schemas.ts';
import { REQUESTS, STATUSES } from './states.ts';
import type { Sight } from './submissions/submissions.ts';

const submissionsParameters = {
  ...paging,
  status: listParameter('What became of submissions; several are separated by commas.', STATUSES),
  class: listParameter('The classes of submissions, with their subclasses.'),
  batch: textParameter('The batch of submissions.'),
  requested: listParameter('Only submissions about which curators have asked for this.', REQUESTS),
  matching: textParameter(
    'A pattern that a string of a submission in the zone matches, as in lists of records.',
  ),
  q: textParameter('Words that the submission, its batch or message has, with every backend.'),
  since: moment('Only submissions that were decided, or have left the zone, since this time.'),
};

type EnteredSubmissions = {
  readonly collection: Collection;
  readonly review: Review;
  readonly label: string;
  readonly sight: Sight;
  readonly userId: string;
};

/** The zone of the token. @throws ServiceError `permission_missing` */
const enterZone = enterThen(
  enterOwnZone,
  async ({ collection, grant, label }): Promise<EnteredSubmissions> => {
    const { curated, zones } = collection;
    const { review } = collection.part(reviewPart);
    if (!zones.exist) throw userRefused('read-zone', collection.name, grant);
    const visibility = collection.visibilityOf(grant);
    const zone = await zones.existing(label);
    for (const store of [curated, ...(zone ? [zone.store] : [])]) await collection.seen(store, visibility);
    const { userId, permissions } = grant;
    return { collection, review, label, sight: { readCurated: permissions.readCurated, visibility }, userId };
  },
);

/** The zone of a token that may also write into it. @throws ServiceError `permission_missing` */
const enterToAnswer = needing('answer', async (call): Promise<EnteredSubmissions> => {
  const { collection, grant } = await enter(call);
  if (!grant.permissions.writeZone) throw userRefused('answer', collection.name, grant);
  return enterZone(call);
});

const submissionsShared = {
  tag: 'Submissions',
  refusals: [404, 422],
} as const;

export const submissionEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/submissions/', 'submissions', {
    ...submissionsShared,
    summary: 'List the submissions of the own zone',
    answers: { 200: jsonAnswer('A page of submissions.', ownPageSchema) },
    ...withReviewRefusals(
      replying(
        enterZone,
        submissionsParameters,
        ({ collection, review, label, sight }, { page, size, ...given }) => {
          requireMatching(collection, given.matching);
          return review.submissions(label, withoutUndefined(given), sight, { page, size });
        },
      ),
    ),
  }),
  row('GET', '/-/{collection}/submissions/item', 'submission', {
    ...submissionsShared,
    summary: 'Read a submission of the own zone',
    answers: { 200: jsonAnswer('The submission.', ownItemSchema) },
    ...withReviewRefusals(
      replying(
        enterZone,
        { pid: requiredText('the pid of the submission') },
        async ({ review, label, sight }, { pid }) =>
          new JsonText(jsonWith(await review.submission(label, pid, sight))),
      ),
    ),
  }),
  row('POST', '/-/{collection}/submissions/comments', 'submission_comment', {
    ...submissionsShared,
    summary: 'Comment on an own submission',
    description: 'Curators read it. It answers what they have asked for, and ends a deferral.',
    refusals: [404, 409, 422],
    answers: { 200: jsonAnswer('The comment.', commentSchema) },
    ...withReviewRefusals(
      replyingTo(
        enterToAnswer,
        {},
        { schema: ownCommentSchema, example: { pid: 'labid:person-ada-byron', text: 'Ada Lovelace.' } },
        ({ review, label, sight, userId: author }, { pid, text }) =>
          review.answer(label, pid, { author, role: 'submitter', requests: null, text }, sight),
      ),
    ),
  }),
];
