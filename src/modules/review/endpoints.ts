/** The review of submissions, for curators: the queue, decisions, and taking them back. */
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { JsonText, jsonWith, withoutUndefined } from '#linkml/json.ts';
import { isServiceError, type ServiceError } from '../../core/errors.ts';
import {
  type Call,
  type Endpoint,
  type Handler,
  inPath,
  type RowRest,
  row,
} from '../../core/http/endpoint.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { enterThen, enterZones } from '../../core/http/enter.ts';
import { clientHas } from '../../core/http/etag.ts';
import type { Parameter, ValuesOf } from '../../core/http/parameter.ts';
import {
  choice,
  flag,
  listParameter,
  moment,
  paging,
  parameterInvalid,
  requiredText,
  textParameter,
} from '../../core/http/query.ts';
import { detailOf, type Statuses, sendError, sendJson } from '../../core/http/reply.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { problemsBy } from '../../core/json-schema.ts';
import { filterOf } from './decisions/proposal.ts';
import type { UndoOutcome } from './decisions/undo.ts';
import { hintProvider } from './hints.ts';
import { reviewPart } from './part.ts';
import type { ColumnFilter } from './queue/columns.ts';
import { FILTERS, type Filter, SORTS, type SortName } from './queue/fields.ts';
import { filterFor } from './queue/filter.ts';
import type { Sort } from './queue/queue.ts';
import { Refusal } from './queue/words.ts';
import type { AssignmentOutcome, CommentOutcome, Outcome, Review } from './review.ts';
import {
  assignmentOutcomesSchema,
  assignmentSchema,
  byFilterSchema,
  commentOutcomesSchema,
  commentSchema,
  curatorsSchema,
  decisionItemSchema,
  decisionPageSchema,
  decisionSchema,
  filterProposalSchema,
  filterSchema,
  itemSchema,
  outcomesSchema,
  proposalsSchema,
  queuePageSchema,
  reviewCommentsSchema,
  sentAssignmentsSchema,
  summarySchema,
  undoneSchema,
  undoOutcomesSchema,
} from './schemas.ts';
import { DECISIONS } from './states.ts';
import type { HintProvider } from './types.ts';

/** The parameter of a filter: several values are separated by commas. */
function parameterOf({ description, schema }: ColumnFilter): Parameter<unknown> {
  const { oneOf, type = [] } = schema as {
    oneOf?: readonly { enum?: readonly string[] }[];
    type?: readonly string[];
  };
  if (oneOf) return listParameter(`${description} Several are separated by commas.`, oneOf[0]!.enum);
  return type.includes('boolean') ? flag(description, undefined) : textParameter(description);
}

const filterParameters = Object.fromEntries(
  Object.entries<ColumnFilter>(FILTERS).map(([name, filter]) => [name, parameterOf(filter)]),
) as { readonly [Name in keyof typeof FILTERS]: Parameter<unknown> };
const sortings = (Object.keys(SORTS) as SortName[]).flatMap((by) => [by, `-${by}`] as const);
const queueParameters = {
  ...filterParameters,
  ...paging,
  sort: choice('The order of rows; `-` reverses it.', sortings, 'submitted'),
  after: textParameter('Continues behind the last row of a former page: its `next`.'),
  around_label: textParameter(
    'With `around_pid`: a page around the submission in this zone, or around where it was.',
  ),
  around_pid: textParameter('The pid of the submission that the page is around.'),
};
const itemParameters = {
  label: requiredText('the label of the zone'),
  pid: requiredText('the pid of the submission'),
};
const decisionParameters = {
  ...paging,
  q: textParameter('Words, each of which has to occur in the title, the identifier, the reason or a name.'),
  pid: textParameter('Decisions on this record.'),
  label: listParameter('Decisions on submissions of these zones.'),
  class: listParameter('Decisions on submissions of these classes.'),
  reviewer: textParameter('Who decided; `me` is the user of the token.'),
  submitter: textParameter('Who submitted; `me` is the user of the token.'),
  decision: listParameter('What was decided.', DECISIONS),
  group: textParameter('Decisions of one step.'),
  since: moment('Decisions from this time on.'),
  until: moment('Decisions before this time.'),
};

type EnteredReview = {
  readonly review: Review;
  readonly userId: string;
  readonly findHints: HintProvider | undefined;
  /** Identifies everything but the review that pages with hints depend on. */
  hints(): Promise<string>;
};

/** The review of the collection in the path, for curators. */
const enterReview = enterThen(enterZones, ({ collection, grant }): EnteredReview => {
  const findHints = hintProvider(collection);
  const hints = async () => (await collection.hints?.version()) ?? '';
  return { review: collection.part(reviewPart).review, userId: grant.userId, findHints, hints };
});

function filterIn(
  values: { readonly [Name in keyof typeof filterParameters]: unknown },
  userId: string,
): Filter {
  const filter = withoutUndefined<object>(values);
  const problems = problemsBy(filterSchema, filter, ['query']);
  if (problems.length > 0)
    throw parameterInvalid(problems.map((problem) => ({ ...problem, type: 'parameter_invalid' })));
  return filterFor(filterOf(filter), userId);
}

/** Sends an answer that has not changed as 304. */
async function unlessKnown(
  call: Call,
  { review, userId, hints }: EnteredReview,
  answer: () => Promise<object>,
): Promise<FastifyReply> {
  // `me` in a filter is another for each user.
  const user = hash('sha256', userId, 'base64url').slice(0, 10);
  const etag = `"${await review.version()}.${user}.${await hints()}"`;
  if (clientHas(call, etag)) return call.reply.code(304).send();
  return sendJson(call.reply, JSON.stringify(await answer()));
}

function readQueue(entered: EnteredReview, query: ValuesOf<typeof queueParameters>, call: Call) {
  const { review, findHints, userId } = entered;
  const { page, size, after, sort, around_label, around_pid, ...filter } = query;
  const sorting: Sort = { by: sort.replace('-', '') as Sort['by'], reverse: sort.startsWith('-') };
  const isAround = around_label !== undefined && around_pid !== undefined;
  const range = {
    page,
    size,
    ...(after !== undefined && { after }),
    ...(isAround && { around: { label: around_label, pid: around_pid } }),
  };
  return unlessKnown(call, entered, () => review.queue(filterIn(filter, userId), sorting, range, findHints));
}

/** The outcomes of several, each with its own status. */
function resultsOf(
  outcomes: readonly (Outcome | CommentOutcome | AssignmentOutcome | UndoOutcome)[],
  { reply }: Call,
): object[] {
  return outcomes.map((outcome) => {
    if (!('error' in outcome)) return { status: 200, ...outcome };
    const { error, ...of } = outcome;
    return { ...of, ...refusalOf(error, reply.server.statuses) };
  });
}

const PATH = '/-/{collection}/review';

function reviewRow(
  method: 'GET' | 'POST',
  path: string,
  id: string,
  summary: string,
  others: Omit<RowRest, 'tag' | 'summary'>,
): Endpoint {
  const refusals = [404, 422, ...(method === 'POST' ? [409, 412] : [])];
  const shared = { tag: 'Review', refusals } as const;
  return withReviewRefusals(row(method, `${PATH}${path}`, id, { ...shared, summary, ...others }));
}

const UNCHANGED = { description: 'The queue is still the one that `If-None-Match` names.' };
const EXAMPLE = {
  label: 'ada',
  pid: 'labid:person-ada-byron',
  digest: 'sha256:…',
  decision: 'reject',
  reason: 'The name is misspelled: please submit it again.',
};
const COMMENT_EXAMPLE = {
  label: 'ada',
  pid: 'labid:person-ada-byron',
  text: 'Which Ada?',
  requests: 'answer',
};
const ASSIGNMENT_EXAMPLE = { label: 'ada', pid: 'labid:person-ada-byron', assignee: 'curator@example.org' };
const FILTER_EXAMPLE = { filter: { batch: 'import-7', state: ['new'] }, expected: 120, decision: 'accept' };

export const reviewEndpoints: readonly Endpoint[] = [
  reviewRow('GET', '/', 'review_queue', 'List submissions', {
    conditional: true,
    answers: { 200: jsonAnswer('A page of submissions.', queuePageSchema), 304: UNCHANGED },
    ...replying(enterReview, queueParameters, readQueue),
  }),
  reviewRow('GET', '/summary', 'review_summary', 'Count submissions', {
    conditional: true,
    answers: { 200: jsonAnswer('The numbers of submissions.', summarySchema), 304: UNCHANGED },
    ...replying(enterReview, filterParameters, (entered, query, call) => {
      const filter = filterIn(query, entered.userId);
      return unlessKnown(call, entered, () => entered.review.summary(filter));
    }),
  }),
  reviewRow('GET', '/item', 'review_item', 'Read a submission with its differences', {
    answers: { 200: jsonAnswer('The submission.', itemSchema) },
    ...replying(
      enterReview,
      itemParameters,
      async ({ review, findHints }, { label, pid }) =>
        new JsonText(jsonWith(await review.item(label, pid, findHints))),
    ),
  }),
  reviewRow('POST', '/comments', 'review_comment', 'Comment on a submission', {
    description:
      'Its submitters read it. With `requests`, they are asked for an answer or for changes. Of an array of up to 1,000, each is made or refused on its own.',
    answers: {
      200: jsonAnswer('The comment, or the outcome of each.', {
        oneOf: [commentSchema, commentOutcomesSchema],
      }),
    },
    ...replyingTo(
      enterReview,
      {},
      { schema: reviewCommentsSchema, example: COMMENT_EXAMPLE },
      async ({ review, userId: author }, sent, _, call) => {
        const by = { author, role: 'curator' } as const;
        if (!('length' in sent)) {
          const { label, pid, text, requests = null } = sent;
          return review.comment(label, pid, { ...by, requests, text });
        }
        const outcomes = await review.commentAll(
          sent.map(({ label, pid, text, requests = null }) => ({ label, pid, ...by, requests, text })),
        );
        return { results: resultsOf(outcomes, call) };
      },
    ),
  }),
  reviewRow('POST', '/assignments', 'review_assign', 'Assign submissions to curators', {
    description:
      'Says who is to decide, which others may do all the same. Of an array of up to 1,000, each is assigned or refused on its own.',
    answers: {
      200: jsonAnswer('Who is to decide, or the outcome of each.', {
        oneOf: [assignmentSchema, assignmentOutcomesSchema],
      }),
    },
    ...replyingTo(
      enterReview,
      {},
      { schema: sentAssignmentsSchema, example: ASSIGNMENT_EXAMPLE },
      async ({ review }, sent, _, call) => {
        if (!('length' in sent)) return review.assign(sent);
        const outcomes = await review.assignAll(sent);
        return { results: resultsOf(outcomes, call) };
      },
    ),
  }),
  reviewRow('GET', '/curators', 'review_curators', 'List who can be assigned', {
    description:
      'Users with a token of the configuration that curates the collection, and people who have signed in and curate it; up to 1,000.',
    answers: { 200: jsonAnswer('The curators.', curatorsSchema) },
    ...replying(enterReview, {}, async ({ review }) => ({ items: await review.curators() })),
  }),
  reviewRow('POST', '/decisions', 'review_decide', 'Decide on submissions', {
    description:
      'One decision, or an array of up to 1,000: each is made or refused on its own. If the collection requires two approvals, an accept is an approval (`approve`) until another curator accepts the same result.',
    answers: {
      200: jsonAnswer('The decision, or the outcome of each.', { oneOf: [decisionSchema, outcomesSchema] }),
    },
    ...replyingTo(
      enterReview,
      {},
      { schema: proposalsSchema, example: EXAMPLE },
      async ({ review, userId }, sent, _, call) => {
        if (!('length' in sent)) return review.decide(sent, { userId });
        const outcomes = await review.decideAll(sent, { userId });
        return { results: resultsOf(outcomes, call) };
      },
    ),
  }),
  reviewRow('POST', '/decisions/by-filter', 'review_decide_by_filter', 'Decide on what a filter selects', {
    description:
      'Decides on up to 1,000 submissions in the order of the queue; `next` continues behind them.',
    answers: { 200: jsonAnswer('The outcome of each.', byFilterSchema) },
    ...replyingTo(
      enterReview,
      {},
      { schema: filterProposalSchema, example: FILTER_EXAMPLE, limit: 1024 * 1024 },
      async ({ review, userId }, sent, _, call) => {
        const { selected, results, next } = await review.decideByFilter(sent, { userId });
        return { selected, results: resultsOf(results, call), next };
      },
    ),
  }),
  reviewRow('POST', '/decisions/{id}/undo', 'review_undo', 'Undo a decision', {
    description: 'Decisions of one step are undone together, or not at all.',
    answers: { 200: jsonAnswer('The decision.', decisionSchema) },
    ...replying(enterReview, {}, ({ review, userId }, _, call) =>
      review.undo(inPath(call, 'id'), { userId }),
    ),
  }),
  reviewRow('POST', '/decisions/undo', 'review_undo_many', 'Undo decisions', {
    description:
      'An array of up to 1,000 ids: each is undone in the given order with those of the same step, or refused on its own.',
    answers: { 200: jsonAnswer('The outcome of each.', undoOutcomesSchema) },
    ...replyingTo(
      enterReview,
      {},
      { schema: undoneSchema, example: ['0mb2k8x1q0000c5f1b2a9'] },
      async ({ review, userId }, ids, _, call) => {
        const outcomes = await review.undoAll(ids, { userId });
        return { results: resultsOf(outcomes, call) };
      },
    ),
  }),
  reviewRow('GET', '/decisions', 'review_decisions', 'List decisions', {
    answers: { 200: jsonAnswer('Decisions, newest first.', decisionPageSchema) },
    ...replying(enterReview, decisionParameters, ({ review, userId }, { page, size, ...others }) => {
      const me = (user: string | undefined) => (user === 'me' ? userId : user);
      const given = { ...others, reviewer: me(others.reviewer), submitter: me(others.submitter) };
      return review.decisions(withoutUndefined(given), { page, size });
    }),
  }),
  reviewRow('GET', '/decisions/{id}', 'review_decision', 'Read a decision', {
    answers: { 200: jsonAnswer('The decision.', decisionItemSchema) },
    ...replying(
      enterReview,
      {},
      async ({ review }, _, call) => new JsonText(jsonWith(await review.decision(inPath(call, 'id')))),
    ),
  }),
];

/** A row whose refusals have a list as `detail`: its first entry names the code, and says what has happened meanwhile. */
export function withReviewRefusals<R extends { readonly handle: Handler }>(reviewed: R): R {
  const handle: Handler = async (call) => {
    try {
      return await reviewed.handle(call);
    } catch (error) {
      if (!isServiceError(error) || call.reply.server.statuses[error.code] === 500) throw error;
      const { status, ...body } = refusalOf(error, call.reply.server.statuses);
      return sendError(call.reply, error.code, body, status);
    }
  };
  return { ...reviewed, handle };
}

function refusalOf(
  error: ServiceError,
  statuses: Statuses,
): { readonly status: number; readonly detail: object[] } {
  const { code, message } = error;
  const problems = detailOf(error);
  const list = typeof problems === 'string' ? [] : problems;
  const sentence = message.endsWith('.') ? message : `${message}.`;
  const detail = list[0]?.type === code ? list : [{ type: code, loc: [], msg: sentence }, ...list];
  return { ...(error instanceof Refusal ? error.explanation : {}), status: statuses[code], detail };
}
