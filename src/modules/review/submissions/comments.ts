/**
 * The conversation on a submission: what curators and its submitters write to each other before it is decided. A curator may
 * ask for an answer or for changes. The next action of the submitter ends the request, and a deferral with it.
 */
import type { Shape } from '../../../core/shapes.ts';
import { timeOf } from '../../../core/storage/times.ts';
import type {} from '../codes.ts';
import type { QueueReading, ReviewContext } from '../parts.ts';
import { Refusal } from '../queue/words.ts';
import type { commentSchema } from '../schemas.ts';
import type { Request } from '../states.ts';
import { presentSubmission, type ZoneOf } from './current.ts';
import { reviewDraft } from './review-draft.ts';
import { nextChange, type Submission } from './submission.ts';

const MOST_COMMENTS = 200;

export type Comment = Shape<typeof commentSchema>;

export type SentComment = Pick<Comment, 'role' | 'requests' | 'text'> & { readonly author: string };

type Row = [string, Comment['role'], Request | null, string, number];

/** The comments on a submission, oldest first. */
export async function commentsOn(
  { reader }: Pick<QueueReading, 'reader'>,
  { queue, area, iri }: Pick<Submission, 'queue' | 'area' | 'iri'>,
): Promise<Comment[]> {
  const rows = await reader.tuples<Row>(
    `SELECT author, role, requests, text, time FROM accession_comment
     WHERE queue = $1 AND area = $2 AND iri = $3 ORDER BY number`,
    [queue, area, iri],
  );
  return rows.map(([author, role, requests, text, time]) => {
    return { author, role, requests, text, time: timeOf(time) };
  });
}

/**
 * Adds a comment to a submission that is in its zone.
 *
 * @throws ServiceError `record_missing`, Refusal `comments_full`
 */
export function addComment(
  context: ReviewContext,
  zone: ZoneOf | undefined,
  { iri, pid }: { readonly iri: string; readonly pid: string },
  { author, role, requests, text }: SentComment,
): Promise<Comment> {
  return context.parts.transact(async (draft) => {
    const review = reviewDraft(draft, context, await context.queue());
    const row = await presentSubmission(review, context, zone, { iri, pid });
    const [last] = await draft.tuples<[number]>(
      'SELECT COALESCE(max(number), 0) FROM accession_comment WHERE queue = $1 AND area = $2 AND iri = $3',
      [row.queue, row.area, iri],
    );
    const number = last![0] + 1;
    if (number > MOST_COMMENTS) {
      throw new Refusal(
        'comments_full',
        `The submission '${pid}' has ${MOST_COMMENTS} comments, and takes no further ones.`,
      );
    }
    const time = context.time();
    draft.run(
      `INSERT INTO accession_comment (queue, area, iri, number, author, role, requests, text, time, change)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${nextChange('$1')})`,
      [row.queue, row.area, iri, number, author, role, requests, text, time],
    );
    // A deferral that a clock has dated in the future ends, too.
    const deferred = review.lastOn(row.iri, row.digest)?.time ?? 0;
    const answered =
      role === 'submitter' ? { answered_at: Math.max(time, deferred + 1), requested: null } : {};
    const requested = requests === null ? {} : { requested: requests };
    review.put(review.settled({ ...row, ...answered, ...requested, commented_at: time, commented_by: role }));
    review.flush();
    return { author, role, requests, text, time: timeOf(time) };
  });
}
