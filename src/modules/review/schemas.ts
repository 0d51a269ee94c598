/** The schemas of reviews: rows, items, decisions, and what submitters see. */

import { differenceSchema } from '../../core/http/endpoints/schemas.ts';
import {
  bodyOf,
  countSchema,
  listOf,
  type Members,
  objectOf,
  orNull,
  pageNumbers,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import { COLUMN_SCHEMAS, FILTER_SCHEMAS, SUMMED, type SummedField } from './queue/fields.ts';
import {
  COMMENTERS,
  DECISIONS,
  LONGEST_COMMENT,
  MOST_DECISIONS,
  REQUESTS,
  STANDINGS,
  STATES,
  STATUSES,
  VERDICTS,
} from './states.ts';

const record = { type: 'object', description: 'A record.' } as const;
const recordOrNull = { type: ['object', 'null'], description: 'A record; null if there is none.' } as const;
const counts = { type: 'object', additionalProperties: countSchema } as const;
const digestSchema = {
  type: 'string',
  description: 'Identifies what a record says, whatever its spelling.',
} as const;

/** An object with a title for the models that clients generate; see {@link objectOf}. */
function whole<const P extends Members, const O extends Members = Record<never, never>>(
  title: string,
  properties: P,
  optional?: O,
) {
  return { title, ...objectOf(properties, optional) } as const;
}

function pageOf<
  const I extends Members,
  const M extends Members,
  const O extends Members = Record<never, never>,
>(title: string, items: I, more: M, optional?: O) {
  return whole(title, { items: listOf(items), ...pageNumbers, ...more }, optional);
}

export const decisionSchema = whole('A decision on a submission', {
  id: textSchema,
  decision: { enum: DECISIONS },
  label: textSchema,
  pid: textSchema,
  class: textSchema,
  digest: digestSchema,
  reason: textOrNull,
  until: textOrNull,
  submitter: textOrNull,
  reviewer: textOrNull,
  time: textSchema,
  group: { ...textSchema, description: 'Decisions of one step share it; they are undone together.' },
  curated_before: textOrNull,
  curated_after: textOrNull,
  undone: orNull(objectOf({ reviewer: textOrNull, time: textSchema })),
});

export const commentSchema = whole('A comment on a submission', {
  author: { ...textOrNull, description: 'Null for a curator who is not named to submitters.' },
  role: { enum: COMMENTERS },
  requests: { enum: [...REQUESTS, null], description: 'What a curator asks the submitter for.' },
  text: textSchema,
  time: textSchema,
});

const approvalSchema = whole('An approval of a submission', {
  id: { ...textSchema, description: 'Of the decision, by which it is undone.' },
  reviewer: textOrNull,
  time: textSchema,
});

const rowProperties = {
  ...COLUMN_SCHEMAS,
  others: { ...countSchema, description: 'Waiting submissions of other zones on the same record.' },
  last: { oneOf: [decisionSchema, { type: 'null' }] },
  approvals: {
    ...listOf(approvalSchema),
    description: 'Of this content, next to the present curated record: newest first, one of each curator.',
  },
  duplicates: {
    ...listOf(textSchema),
    description: 'Curated records with the same identifier or unique key, up to 20.',
  },
  dangling: {
    ...listOf(textSchema),
    description: 'Pids that it refers to, of which neither its zone nor the curated area has a record.',
  },
} as const;
export const rowSchema = whole('A submission in the queue', rowProperties);

export const queuePageSchema = pageOf(
  'A page of the queue',
  rowSchema,
  {
    next: {
      ...textOrNull,
      description: 'Continues after the last row: the next value of the parameter `after`.',
    },
    as_of: textSchema,
    zones_pending: { ...countSchema, description: 'Zones that are still being read after a start.' },
  },
  {
    offset: {
      type: 'integer',
      description: 'How many rows are before the first one; only of a page around a submission.',
    },
  },
);

const bySummed = Object.fromEntries(SUMMED.map((name) => [`by_${name}`, counts])) as {
  readonly [Name in `by_${SummedField}`]: typeof counts;
};
export const summarySchema = whole('How many submissions there are', {
  total: countSchema,
  changes: {
    ...countSchema,
    description: 'How often the queue has changed: two changes can leave all numbers as they were.',
  },
  as_of: textSchema,
  zones_pending: countSchema,
  ...bySummed,
});

const problemRef = { $ref: '#/components/schemas/Problem' } as const;
const differencesSchema = listOf(differenceSchema);

export const itemSchema = whole('A submission with all that a decision needs', {
  ...rowProperties,
  submitted: record,
  curated: recordOrNull,
  base: recordOrNull,
  differences: { ...differencesSchema, description: 'The first 1,000.' },
  more_differences: { ...countSchema, description: 'How many differences are not listed.' },
  merged: { ...recordOrNull, description: 'The record that accepting stores; null if there are conflicts.' },
  approved: { ...recordOrNull, description: 'The record that the last approval is for; null without one.' },
  problems: listOf(problemRef),
  references: listOf(
    whole('A record that the submission refers to', {
      pid: textSchema,
      in: { enum: ['curated', 'zone', 'nowhere'] },
      digest: textOrNull,
      state: { enum: [...STATES, null] },
      standing: { enum: [...STANDINGS, null] },
    }),
  ),
  competing: listOf(rowSchema),
  decisions: listOf(decisionSchema),
  comments: listOf(commentSchema),
});

export const listedDecisionSchema = whole('A decision in a list', {
  ...decisionSchema.properties,
  title: {
    ...textOrNull,
    description: 'The title of the submission, as it is now or was last; null if it has none.',
  },
});
export const decisionPageSchema = pageOf('A page of decisions', listedDecisionSchema, {});

export const decisionItemSchema = whole('A decision with the records that it keeps', {
  ...decisionSchema.properties,
  submitted: recordOrNull,
  before: recordOrNull,
  after: recordOrNull,
});

export const outcomeSchema = whole(
  'The outcome of one decision of several',
  { status: { type: 'integer' }, label: textSchema, pid: textSchema },
  { decision: decisionSchema, detail: listOf(problemRef) },
);
export const commentOutcomeSchema = whole(
  'The outcome of one comment of several',
  { status: { type: 'integer' }, label: textSchema, pid: textSchema },
  { comment: commentSchema, detail: listOf(problemRef) },
);
export const commentOutcomesSchema = whole('The outcomes of comments in order', {
  results: listOf(commentOutcomeSchema),
});
export const assignmentSchema = whole('Who is to decide on a submission', {
  label: textSchema,
  pid: textSchema,
  assignee: COLUMN_SCHEMAS.assignee,
  due: COLUMN_SCHEMAS.due,
});
export const assignmentOutcomeSchema = whole(
  'The outcome of one assignment of several',
  { status: { type: 'integer' }, label: textSchema, pid: textSchema },
  { assignment: assignmentSchema, detail: listOf(problemRef) },
);
export const assignmentOutcomesSchema = whole('The outcomes of assignments in order', {
  results: listOf(assignmentOutcomeSchema),
});
export const curatorsSchema = whole('Who can be assigned', {
  items: listOf(
    whole('A curator of the collection', {
      user_id: textSchema,
      name: { ...textOrNull, description: 'The name that people read; null if it is not known.' },
    }),
  ),
});
export const undoOutcomeSchema = whole(
  'The outcome of one undo of several',
  { status: { type: 'integer' }, id: textSchema },
  { decision: decisionSchema, detail: listOf(problemRef) },
);
export const undoOutcomesSchema = whole('The outcomes of undos in order', {
  results: listOf(undoOutcomeSchema),
});
const results = listOf(outcomeSchema);
export const outcomesSchema = whole('The outcomes in order', { results });
export const byFilterSchema = whole('The outcomes, and how many submissions the filter selected', {
  selected: countSchema,
  results,
  next: textOrNull,
});

const ownProperties = {
  pid: textSchema,
  class: textSchema,
  batch: textOrNull,
  message: textOrNull,
  submitted_at: textSchema,
  state: { enum: [...STATES, null] },
  status: { enum: STATUSES },
  reason: textOrNull,
  until: textOrNull,
  decided_at: textOrNull,
  requested: COLUMN_SCHEMAS.requested,
  commented_at: COLUMN_SCHEMAS.commented_at,
  commented_by: COLUMN_SCHEMAS.commented_by,
  digest: digestSchema,
  title: textOrNull,
} as const;
export const ownSchema = whole('A submission', ownProperties);
export const ownPageSchema = pageOf('A page of own submissions', ownSchema, {
  counts: {
    type: 'object',
    description: 'How many submissions have each status, whatever `status` selects.',
    additionalProperties: countSchema,
  },
});
export const ownItemSchema = whole('An own submission', {
  ...ownProperties,
  submitted: record,
  curated: recordOrNull,
  differences: {
    ...differencesSchema,
    type: ['array', 'null'],
    description: 'What a submission that waits would change of the curated record.',
  },
  changed_by_curator: { ...differencesSchema, type: ['array', 'null'] },
  more_differences: { ...countSchema, description: 'How many differences are not listed.' },
  decisions: listOf(
    whole('A decision on an own submission', {
      ...decisionSchema.properties,
      label: { ...textOrNull, description: 'Null if the same claim was decided in another zone.' },
    }),
  ),
  comments: listOf(commentSchema),
});

/** Strings that are sent; null for one that may be left out is the same as leaving it out. */
const SENT = { minLength: 1, maxLength: 10_000, pattern: '^[^\\u0000]*$' } as const;
const sentText = { type: 'string', ...SENT } as const;
const sentTextOrNull = { type: ['string', 'null'], ...SENT } as const;

const commented = { pid: sentText, text: { ...sentText, maxLength: LONGEST_COMMENT } } as const;
export const ownCommentSchema = {
  title: 'A comment on an own submission',
  ...bodyOf(commented),
} as const;
export const reviewCommentSchema = {
  title: 'A comment of a curator',
  ...bodyOf(
    { label: sentText, ...commented },
    { requests: { enum: [...REQUESTS, null], description: 'What the submitter is asked for.' } },
  ),
} as const;

/** Who is to decide on a submission. */
export const sentAssignmentSchema = {
  title: 'An assignment of a submission',
  ...bodyOf(
    {
      label: sentText,
      pid: sentText,
      assignee: {
        ...sentTextOrNull,
        description: 'The user id of a curator of the collection; null for none.',
      },
    },
    {
      due: {
        ...sentTextOrNull,
        format: 'date-time',
        description:
          'When it is to be decided; null for no time. Default: as before or, without a time, as the settings of the collection say.',
      },
    },
  ),
} as const;
export const sentAssignmentsSchema = {
  oneOf: [
    sentAssignmentSchema,
    { type: 'array', minItems: 1, maxItems: MOST_DECISIONS, items: sentAssignmentSchema },
  ],
} as const;

export const reviewCommentsSchema = {
  oneOf: [
    reviewCommentSchema,
    { type: 'array', minItems: 1, maxItems: MOST_DECISIONS, items: reviewCommentSchema },
  ],
} as const;

const decision = { enum: VERDICTS } as const;
const ruling = {
  reason: { ...sentTextOrNull, maxLength: LONGEST_COMMENT, description: 'Required to reject.' },
  until: { ...sentTextOrNull, format: 'date-time', description: 'When a deferral ends.' },
  overturn: {
    type: ['boolean', 'null'],
    description: 'Whether a rejected submission may be decided again.',
  },
} as const;

const proposed = { pid: sentText, digest: { ...digestSchema, ...SENT } } as const;

export const proposalSchema = {
  title: 'A decision on one submission',
  ...bodyOf(
    { label: sentText, ...proposed, decision },
    {
      ...ruling,
      record: { ...recordOrNull, description: 'Accept: the record to store instead of the merge.' },
      take: {
        type: ['object', 'null'],
        description: 'Accept: path of a difference → the side to take there and below.',
        additionalProperties: { enum: ['submitted', 'curated', 'base'] },
      },
      if_curated: {
        ...sentTextOrNull,
        description: 'Required with `record` and `take`: the `curated_etag` of the row.',
      },
      with_references: {
        type: ['array', 'null'],
        maxItems: 1000,
        description: 'Accept: submissions of the same zone that are accepted in the same step.',
        items: { title: 'A submission that is accepted with it', ...bodyOf(proposed) },
      },
    },
  ),
} as const;
export const proposalsSchema = {
  oneOf: [proposalSchema, { type: 'array', minItems: 1, maxItems: MOST_DECISIONS, items: proposalSchema }],
} as const;

export const undoneSchema = {
  title: 'Ids of decisions',
  type: 'array',
  minItems: 1,
  maxItems: MOST_DECISIONS,
  items: textSchema,
} as const;

export const filterSchema = {
  title: 'The submissions that are selected',
  type: ['object', 'null'],
  description: 'The parameters of the queue; several values are an array.',
  additionalProperties: false,
  properties: FILTER_SCHEMAS,
} as const;

export const filterProposalSchema = {
  title: 'The same decision on what a filter selects',
  ...bodyOf(
    { expected: { ...countSchema, description: 'How many submissions the filter selects.' }, decision },
    {
      filter: filterSchema,
      as_of: {
        ...sentTextOrNull,
        // Times are compared as strings: another form would select what came later.
        pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$`,
        examples: ['2026-05-01T12:00:00.000000+00:00'],
        description: 'Only submissions that were stored up to this time: the `as_of` of the queue.',
      },
      after: sentTextOrNull,
      ...ruling,
    },
  ),
} as const;
