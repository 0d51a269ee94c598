/** Submissions as rows of `accession_submission`. */
import type { Value } from '../../../core/storage/dialect.ts';
import { ofLastChange } from '../../../core/storage/read/record-sql.ts';
import type { BaseContent } from '../decisions/content.ts';
import {
  type Commenter,
  NOT_DUE,
  type Request,
  type Standing,
  type State,
  type Status,
  type Verdict,
} from '../states.ts';

/** Stands for the revision, or the time, of the change that a transaction makes of the record: known after its commit. */
export const AT_COMMIT = -1;

/** A submission as it is stored; also one that has left its zone. */
export type Submission = {
  readonly queue: number;
  readonly area: number;
  readonly iri: string;
  readonly label: string;
  readonly pid: string;
  readonly class_name: string;
  /** Whether it lies in its zone, undecided or refused. */
  readonly present: 0 | 1;
  /** Its standing, or how it left its zone. */
  readonly status: Status;
  readonly state: State;
  readonly submitter: string | null;
  /** The curator who edited it in its zone. */
  readonly edited_by: string | null;
  /** When its claim was first stored. Times are microseconds since 1970, or {@link AT_COMMIT}. */
  readonly submitted_at: number;
  /** When it was last stored. */
  readonly stored_at: number;
  readonly batch: string | null;
  readonly message: string | null;
  /** When it was last stored with a message, which ends a deferral. */
  readonly answered_at: number | null;
  /** When a deferral ends, in milliseconds: it may be long after this century. */
  readonly until: number | null;
  /** When it was decided, or left its zone. */
  readonly settled_at: number | null;
  /** The last decision on its claim or, of one that has left, the one that it left by. */
  readonly decision: string | null;
  /** The request of a curator to the submitter, until the submitter comments, or stores another content or a message. */
  readonly requested: Request | null;
  /** When somebody last commented on it. */
  readonly commented_at: number | null;
  readonly commented_by: Commenter | null;
  /** Since when the schema of the collection, which was changed, does not accept it. */
  readonly faulty_at: number | null;
  /** The user id of the curator who is to decide; empty if it is unassigned. Another than a curator of today is not shown, see `assign.ts`. */
  readonly assignee: string;
  /** When it is to be decided, in milliseconds, or {@link NOT_DUE}. */
  readonly due: number;
  readonly revision: number;
  readonly version: string;
  readonly digest: string;
  readonly title: string | null;
  readonly valid: 0 | 1;
  readonly differences: number;
  readonly conflicts: number;
  /** A JSON array. */
  readonly slots: string;
  readonly curated_revision: number | null;
  readonly base_known: 0 | 1;
  readonly base_revision: number | null;
  readonly base_class: string | null;
  readonly base_json: string | null;
};

/** A row in lists: the text of the base may be long. */
export type ListedSubmission = Omit<Submission, 'base_class' | 'base_json'>;

const LISTED_COLUMNS: readonly (keyof ListedSubmission)[] = [
  ...(['queue', 'area', 'iri', 'label', 'pid', 'class_name', 'present', 'status', 'state'] as const),
  ...(['submitter', 'edited_by', 'submitted_at', 'stored_at', 'batch', 'message', 'answered_at'] as const),
  ...(['until', 'settled_at', 'decision', 'requested', 'commented_at', 'commented_by', 'assignee'] as const),
  ...([
    'faulty_at',
    'due',
    'revision',
    'version',
    'digest',
    'title',
    'valid',
    'differences',
    'conflicts',
    'slots',
  ] as const),
  ...(['curated_revision', 'base_known', 'base_revision'] as const),
];
/** The columns of {@link ListedSubmission}. */
export const LISTED = LISTED_COLUMNS.map((column) => `s.${column}`).join(', ');

/** A statement that writes a row. */
type Statement = { readonly sql: string; readonly values: readonly Value[] };

/** The columns that {@link AT_COMMIT} may stand in, and what it is: of the record in the zone, or of the curated one. */
const CHANGED: Readonly<Record<string, readonly [column: 'revision' | 'time', of: 'zone' | 'curated']>> = {
  submitted_at: ['time', 'zone'],
  stored_at: ['time', 'zone'],
  answered_at: ['time', 'zone'],
  settled_at: ['time', 'zone'],
  revision: ['revision', 'zone'],
  curated_revision: ['revision', 'curated'],
  base_revision: ['revision', 'curated'],
};

/** What the change of the record in its zone makes of a column. */
const OF_ZONE = { revision: ofLastChange('revision', '$2', '$3'), time: ofLastChange('time', '$2', '$3') };

const COLUMNS: readonly (keyof Submission)[] = [...LISTED_COLUMNS, 'base_class', 'base_json'];

/** The change of a queue that a transaction makes, before it is counted: these rise in the order of commits, whatever clocks say. */
export const nextChange = (queue: string) =>
  `(SELECT changes + 1 FROM accession_queue WHERE queue = ${queue})`;

/** The columns that have the change of the queue by which others were last set. */
const EVENTS: readonly (readonly [change: string, of: readonly (keyof Submission)[]])[] = [
  ['submitted_change', ['submitted_at']],
  ['settled_change', ['settled_at', 'status']],
  ['faulty_change', ['faulty_at']],
];

/** The columns of the key are $1, $2 and $3. Every store makes a row, so this text is made once. */
const INSERT = insertText();

function insertText(): string {
  const curated = `$${COLUMNS.length + 1}`;
  const values = COLUMNS.map((column, at) => {
    const value = `$${at + 1}`;
    const now = CHANGED[column];
    if (!now) return value;
    const number = `CAST(${value} AS BIGINT)`;
    const last = now[1] === 'zone' ? OF_ZONE[now[0]] : ofLastChange(now[0], curated, '$3');
    return `CASE ${number} WHEN ${AT_COMMIT} THEN ${last} ELSE ${number} END`;
  });
  const columns = [...COLUMNS, ...EVENTS.map(([change]) => change)].join(', ');
  const changes = EVENTS.map(() => nextChange('$1'));
  return `INSERT INTO accession_submission (${columns}) VALUES (${[...values, ...changes].join(', ')})`;
}

/**
 * The statement that makes the next row of a former one; undefined if they are equal.
 *
 * @param curated the curated area
 */
export function rowStatement(
  curated: number,
  former: Submission | undefined,
  next: Submission,
): Statement | undefined {
  if (!former) return { sql: INSERT, values: [...COLUMNS.map((column) => next[column]), curated] };
  const values: Value[] = [next.queue, next.area, next.iri];
  const given = (value: Value) => `$${values.push(value)}`;
  const set: string[] = [];
  for (const column of COLUMNS) {
    const value = next[column];
    const now = value === AT_COMMIT ? CHANGED[column] : undefined;
    if (now)
      set.push(
        `${column} = ${now[1] === 'zone' ? OF_ZONE[now[0]] : ofLastChange(now[0], given(curated), '$3')}`,
      );
    else if (value !== former[column]) set.push(`${column} = ${given(value)}`);
  }
  if (set.length === 0) return undefined;
  for (const [change, of] of EVENTS)
    if (of.some((column) => next[column] !== former[column])) set.push(`${change} = ${nextChange('$1')}`);
  const sql = `UPDATE accession_submission SET ${set.join(', ')} WHERE queue = $1 AND area = $2 AND iri = $3`;
  return { sql, values };
}

export function baseOfRow(row: Pick<Submission, 'base_known' | 'base_class' | 'base_json'>): BaseContent {
  if (!row.base_known) return undefined;
  if (row.base_json === null || row.base_class === null) return null;
  return { className: row.base_class, json: row.base_json };
}

/** The last decision on a claim that is not undone; approvals decide nothing. */
export type LastDecision = {
  readonly id: string;
  readonly decision: Verdict;
  readonly until: number | null;
  readonly time: number;
};

/** The columns of a submission that decisions set. */
export type Settled = Pick<Submission, 'status' | 'until' | 'decision' | 'settled_at'>;

/** Returns what the last decision on its claim makes of a submission in its zone. */
export function settledBy(last: LastDecision | undefined, answeredAt: number | null, now: number): Settled {
  const status = standingOf(last, answeredAt, now);
  return {
    status,
    until: status === 'deferred' ? last!.until : null,
    decision: last?.id ?? null,
    settled_at: last?.time ?? null,
  };
}

function standingOf(last: LastDecision | undefined, answeredAt: number | null, now: number): Standing {
  if (last?.decision === 'reject') return 'rejected';
  if (last?.decision !== 'defer') return 'waiting';
  const isAnswered = answeredAt !== null && (answeredAt === AT_COMMIT || answeredAt > last.time);
  const isOver = last.until !== null && last.until * 1000 <= now;
  return isAnswered || isOver ? 'waiting' : 'deferred';
}
