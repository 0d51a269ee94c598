/**
 * The conversation on a submission: what curators and its submitters write to each other before it is decided. A curator may
 * ask for an answer or for changes. The next action of the submitter ends the request, and a deferral with it.
 */
import type { Shape } from '../../core/shapes.ts';
import { timeOf } from '../../core/storage/times.ts';
import type {} from './codes.ts';
import { presentSubmission, type ZoneOf } from './current.ts';
import type { QueueReading, ReviewContext } from './parts.ts';
import { reviewDraft } from './review-draft.ts';
import type { commentSchema } from './schemas.ts';
import type { Request } from './states.ts';
import { nextChange, type Submission } from './submission.ts';
import { Refusal } from './words.ts';

const MOST_COMMENTS = 200;
/** What is sent again within this time is the same comment: its sender has not seen the answer. In microseconds. */
const SENT_AGAIN = 10 * 60 * 1_000_000;

export type Comment = Shape<typeof commentSchema>;

export type SentComment = Pick<Comment, 'role' | 'requests' | 'text'> & { readonly author: string };

type Row = readonly [
  author: string,
  role: Comment['role'],
  requests: Request | null,
  text: string,
  time: number,
  number: number,
];

const COLUMNS = 'author, role, requests, text, time, number';
const ON_SUBMISSION = 'queue = $1 AND area = $2 AND iri = $3';

/** The comments on a submission, oldest first. */
export async function commentsOn(
  { reader }: Pick<QueueReading, 'reader'>,
  { queue, area, iri }: Pick<Submission, 'queue' | 'area' | 'iri'>,
): Promise<Comment[]> {
  const rows = await reader.tuples<Row>(
    `SELECT ${COLUMNS} FROM accession_comment WHERE ${ON_SUBMISSION} ORDER BY number`,
    [queue, area, iri],
  );
  return rows.map(commentOf);
}

function commentOf([author, role, requests, text, time]: Row): Comment {
  return { author, role, requests, text, time: timeOf(time) };
}

/**
 * Adds a comment to a submission that is in its zone, unless it is sent again: then it is returned.
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
    const [last] = await draft.tuples<Row>(
      `SELECT ${COLUMNS} FROM accession_comment WHERE ${ON_SUBMISSION} ORDER BY number DESC LIMIT 1`,
      [row.queue, row.area, iri],
    );
    const time = context.time();
    const decided = review.lastOn(row.iri, row.digest)?.time ?? 0;
    const isNew =
      !last || Math.max(row.stored_at, decided) > last[4] || Math.abs(time - last[4]) > SENT_AGAIN;
    if (!isNew && isSame(last, { author, role, requests, text }, row)) return commentOf(last);
    const number = (last?.[5] ?? 0) + 1;
    if (number > MOST_COMMENTS) {
      throw new Refusal(
        'comments_full',
        `The submission '${pid}' has ${MOST_COMMENTS} comments, and takes no further ones.`,
      );
    }
    draft.run(
      `INSERT INTO accession_comment (queue, area, iri, number, author, role, requests, text, time, change)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${nextChange('$1')})`,
      [row.queue, row.area, iri, number, author, role, requests, text, time],
    );
    // A deferral that a clock has dated in the future ends, too.
    const answered =
      role === 'submitter' ? { answered_at: Math.max(time, decided + 1), requested: null } : {};
    const requested = requests === null ? {} : { requested: requests };
    review.put(review.settled({ ...row, ...answered, ...requested, commented_at: time, commented_by: role }));
    review.flush();
    return { author, role, requests, text, time: timeOf(time) };
  });
}

/** Whether a comment says what another one says, and what that asks for was not done since. */
function isSame([author, role, requests, text]: Row, sent: SentComment, { requested }: Submission): boolean {
  return (
    author === sent.author &&
    role === sent.role &&
    requests === sent.requests &&
    text === sent.text &&
    (requests === null || requested === requests)
  );
}
