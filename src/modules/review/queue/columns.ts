/**
 * The columns of the queue. A column is one row of this table: answers and their description, filters, orders, summaries,
 * the client and the command line have it from here. One that is kept in the database stands in `submissions/submission.ts`, too.
 */
import { timeOf } from '../../../core/storage/times.ts';
import { COMMENTERS, NOT_DUE, REQUESTS, STANDINGS, STATES, type Standing } from '../states.ts';
import type { ListedSubmission } from '../submissions/submission.ts';

/** The entity tag of a revision in a zone or, with an empty label, in the curated area. */
export type EtagOf = (label: string, revision: number) => string;

export type Column = {
  /** The JSON Schema of its values. */
  readonly schema: object;
  value(row: ListedSubmission, etagOf: EtagOf): unknown;
  readonly filter?: ColumnFilter;
  /** The order by this column: its name, and the column of the database. */
  readonly sort?: { readonly name: string; readonly column: 'submitted_at' | 'pid' | 'class_name' | 'due' };
  /** Whether the command line lists it. */
  readonly isListed?: boolean;
};

export type ColumnFilter = {
  readonly description: string;
  /** The JSON Schema of the value in the body of a decision by filter. */
  readonly schema: object;
  /** The column of the database that has to be equal; without one, `filter.ts` makes the condition. */
  readonly column?: keyof ListedSubmission & string;
  /** Whether `accession_submission_count` keeps the numbers of its values. */
  readonly isCounted?: boolean;
};

const TEXT = { type: 'string' } as const;
const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
export const SENT_TEXT = { ...TEXT_OR_NULL, minLength: 1, maxLength: 10_000 } as const;
export const SENT_FLAG = { type: ['boolean', 'null'] } as const;

/** One value, or several of which one has to match. */
function several<const One extends object>(one: One) {
  return { oneOf: [one, { type: 'array', minItems: 1, items: one }, { type: 'null' }] } as const;
}

export const COLUMNS = {
  label: {
    schema: TEXT,
    value: ({ label }: ListedSubmission) => label,
    filter: {
      description: 'The zones of submissions.',
      schema: several(TEXT),
      column: 'label',
      isCounted: true,
    },
    isListed: true,
  },
  pid: {
    schema: TEXT,
    value: ({ pid }: ListedSubmission) => pid,
    filter: { description: 'The pid of submissions.', schema: SENT_TEXT },
    sort: { name: 'pid', column: 'pid' },
    isListed: true,
  },
  class: {
    schema: TEXT,
    value: ({ class_name }: ListedSubmission) => class_name,
    filter: {
      description: 'The classes of submissions, with their subclasses.',
      schema: several(TEXT),
      column: 'class_name',
      isCounted: true,
    },
    sort: { name: 'class', column: 'class_name' },
    isListed: true,
  },
  state: {
    schema: { enum: STATES },
    value: ({ state }: ListedSubmission) => state,
    filter: {
      description: 'What submissions are next to the curated record.',
      schema: several({ type: 'string', enum: STATES }),
      column: 'state',
      isCounted: true,
    },
    isListed: true,
  },
  standing: {
    schema: { enum: STANDINGS },
    value: ({ status }: ListedSubmission) => status as Standing,
    filter: {
      description: 'How submissions stand, by default waiting.',
      schema: several({ type: 'string', enum: STANDINGS }),
      column: 'status',
      isCounted: true,
    },
    isListed: true,
  },
  submitter: {
    schema: { ...TEXT_OR_NULL, description: 'Who stored it; null if another program did.' },
    value: ({ submitter }: ListedSubmission) => submitter,
    filter: { description: 'Who submitted.', schema: SENT_TEXT, column: 'submitter', isCounted: true },
    isListed: true,
  },
  edited_by: {
    schema: { ...TEXT_OR_NULL, description: 'The curator who edited it in its zone.' },
    value: ({ edited_by }: ListedSubmission) => edited_by,
  },
  submitted_at: {
    schema: TEXT,
    value: ({ submitted_at }: ListedSubmission) => timeOf(submitted_at),
    sort: { name: 'submitted', column: 'submitted_at' },
    isListed: true,
  },
  batch: {
    schema: TEXT_OR_NULL,
    value: ({ batch }: ListedSubmission) => batch,
    filter: { description: 'The batch of submissions.', schema: SENT_TEXT, column: 'batch', isCounted: true },
  },
  requested: {
    schema: {
      enum: [...REQUESTS, null],
      description: 'What a curator has asked the submitter for, without a decision, and does not have yet.',
    },
    value: ({ requested }: ListedSubmission) => requested,
    filter: {
      description: 'What submitters were asked for.',
      schema: several({ type: 'string', enum: REQUESTS }),
      column: 'requested',
    },
  },
  commented_at: {
    schema: { ...TEXT_OR_NULL, description: 'When it was last commented on.' },
    value: ({ commented_at }: ListedSubmission) => (commented_at === null ? null : timeOf(commented_at)),
  },
  commented_by: {
    schema: { enum: [...COMMENTERS, null], description: 'Who wrote that comment.' },
    value: ({ commented_by }: ListedSubmission) => commented_by,
  },
  assignee: {
    schema: { ...TEXT_OR_NULL, description: 'The curator who is to decide; null if it is unassigned.' },
    value: ({ assignee }: ListedSubmission) => assignee || null,
    filter: {
      description: 'Who is to decide: `me` is the user of the token, `none` selects unassigned ones.',
      schema: several(TEXT),
      column: 'assignee',
      isCounted: true,
    },
    isListed: true,
  },
  due: {
    schema: { ...TEXT_OR_NULL, description: 'When it is to be decided; null if no time is set.' },
    value: (row: ListedSubmission) => dueTime(row),
    sort: { name: 'due', column: 'due' },
    isListed: true,
  },
  message: { schema: TEXT_OR_NULL, value: ({ message }: ListedSubmission) => message },
  digest: {
    schema: { ...TEXT, description: 'Identifies what a record says, whatever its spelling.' },
    value: ({ digest }: ListedSubmission) => digest,
  },
  etag: {
    schema: TEXT,
    value: ({ label, revision }: ListedSubmission, etagOf: EtagOf) => etagOf(label, revision),
  },
  curated_etag: {
    schema: TEXT_OR_NULL,
    value: ({ curated_revision }: ListedSubmission, etagOf: EtagOf) => curatedEtag(curated_revision, etagOf),
  },
  base_etag: {
    schema: {
      ...TEXT_OR_NULL,
      description: 'The curated record that it was made from: an entity tag, null for none, or "unknown".',
    },
    value: ({ base_known, base_revision }: ListedSubmission, etagOf: EtagOf) =>
      base_known ? curatedEtag(base_revision, etagOf) : 'unknown',
  },
  title: { schema: TEXT_OR_NULL, value: ({ title }: ListedSubmission) => title, isListed: true },
  valid: {
    schema: { type: 'boolean', description: 'Whether the present schema accepts it.' },
    value: ({ valid }: ListedSubmission) => valid === 1,
    filter: {
      description: 'Whether the schema of today accepts submissions.',
      schema: SENT_FLAG,
      column: 'valid',
      isCounted: true,
    },
  },
  differences: { schema: COUNT, value: ({ differences }: ListedSubmission) => differences },
  conflicts: {
    schema: COUNT,
    value: ({ conflicts }: ListedSubmission) => conflicts,
    filter: {
      description: 'Whether submissions and their curated records have changed the same values.',
      schema: SENT_FLAG,
    },
  },
  slots: {
    schema: { type: 'array', items: TEXT, description: 'The first slots that differ.' },
    value: ({ slots }: ListedSubmission) => JSON.parse(slots) as readonly string[],
  },
} as const satisfies Record<string, Column>;

function curatedEtag(revision: number | null, etagOf: EtagOf): string | null {
  return revision === null ? null : etagOf('', revision);
}

/** When a submission is due, as answers have it. */
export function dueTime({ due }: Pick<ListedSubmission, 'due'>): string | null {
  return due === NOT_DUE ? null : timeOf(due * 1000);
}
