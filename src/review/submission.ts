/** Submissions as rows of `accession_submission`. */
import type { Value } from '../storage/database.ts';
import type { BaseContent } from './assess.ts';
import type { Standing, State, Status, Verdict } from './types.ts';

/** A revision; `now` is the one that the transaction gives to the record. */
export type Revision = number | 'now';
/** Microseconds since 1970; `now` is the time of that change. */
export type Time = number | 'now';

/** What is kept of a submission; also of one that has left its zone. */
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
  /** When its claim was first stored. */
  readonly submitted_at: Time;
  /** When it was last stored. */
  readonly stored_at: Time;
  readonly batch: string | null;
  readonly message: string | null;
  /** When it was last stored with a message, which ends a deferral. */
  readonly answered_at: Time | null;
  /** When a deferral ends. */
  readonly until: number | null;
  /** When it was decided, or left its zone. */
  readonly settled_at: Time | null;
  /** The last decision on its claim or, of one that has left, the one that it left by. */
  readonly decision: string | null;
  readonly revision: Revision;
  readonly version: string;
  readonly digest: string;
  readonly title: string | null;
  readonly valid: 0 | 1;
  readonly differences: number;
  readonly conflicts: number;
  /** A JSON array. */
  readonly slots: string;
  readonly curated_revision: Revision | null;
  readonly base_known: 0 | 1;
  readonly base_revision: Revision | null;
  readonly base_class: string | null;
  readonly base_json: string | null;
};

/** A submission as it is read. */
export type StoredSubmission = Submission & {
  readonly submitted_at: number;
  readonly stored_at: number;
  readonly answered_at: number | null;
  readonly settled_at: number | null;
  readonly revision: number;
  readonly curated_revision: number | null;
  readonly base_revision: number | null;
};

const COLUMNS = [
  ...['queue', 'area', 'iri', 'label', 'pid', 'class_name', 'present', 'status', 'state', 'submitter'],
  ...['edited_by', 'submitted_at', 'stored_at', 'batch', 'message', 'answered_at', 'until', 'settled_at'],
  ...['decision', 'revision', 'version', 'digest', 'title', 'valid', 'differences', 'conflicts', 'slots'],
  ...['curated_revision', 'base_known', 'base_revision', 'base_class', 'base_json'],
] as readonly (keyof Submission)[];

/** The columns of a row, read from a table `s`. */
export const SUBMISSION = COLUMNS.map((name) => `s.${name}`).join(', ');

/** A statement that writes a row. */
export type Statement = { readonly sql: string; readonly values: readonly Value[] };

/** Columns with a revision or a time of the curated record; the others are of the zone. */
const OF_CURATED: ReadonlySet<keyof Submission> = new Set(['curated_revision', 'base_revision']);
const REVISIONS: ReadonlySet<keyof Submission> = new Set(['revision', ...OF_CURATED]);

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
  const changed = former
    ? COLUMNS.filter((name) => next[name] !== former[name] || next[name] === 'now')
    : COLUMNS;
  if (changed.length === 0) return undefined;
  const values: Value[] = [];
  const given = (value: Value) => `$${values.push(value)}`;
  const list = changed.map((name) => {
    if (next[name] !== 'now') return given(next[name]);
    const area = OF_CURATED.has(name) ? curated : next.area;
    return `(SELECT ${REVISIONS.has(name) ? 'revision' : 'time'} FROM accession_entry
      WHERE area = ${given(area)} AND iri = ${given(next.iri)} ORDER BY revision DESC LIMIT 1)`;
  });
  if (!former) return { sql: `${INSERT} (${list.join(', ')})`, values };
  const set = changed.map((name, at) => `${name} = ${list[at]}`).join(', ');
  const key = `iri = ${given(next.iri)} AND queue = ${given(next.queue)} AND area = ${given(next.area)}`;
  return { sql: `UPDATE accession_submission SET ${set} WHERE ${key}`, values };
}

const INSERT = `INSERT INTO accession_submission (${COLUMNS.join(', ')}) VALUES`;

/** The base of a row. */
export function baseOfRow(row: Pick<Submission, 'base_known' | 'base_class' | 'base_json'>): BaseContent {
  if (!row.base_known) return undefined;
  if (row.base_json === null || row.base_class === null) return null;
  return { className: row.base_class, json: row.base_json };
}

/** The last decision on a claim that is not undone. */
export type LastDecision = {
  readonly id: string;
  readonly decision: Verdict;
  readonly until: number | null;
  readonly time: number;
};

/** What the last decision on its claim makes of a submission in its zone. */
export function settledBy(
  last: LastDecision | undefined,
  answeredAt: Time | null,
  now: number,
): Pick<Submission, 'status' | 'until' | 'decision' | 'settled_at'> {
  const status = standingOf(last, answeredAt, now);
  return {
    status,
    until: status === 'deferred' ? last!.until : null,
    decision: last?.id ?? null,
    settled_at: last?.time ?? null,
  };
}

function standingOf(last: LastDecision | undefined, answeredAt: Time | null, now: number): Standing {
  if (last?.decision === 'reject') return 'rejected';
  if (last?.decision !== 'defer') return 'waiting';
  const isAnswered = answeredAt !== null && (answeredAt === 'now' || answeredAt > last.time);
  const isOver = last.until !== null && last.until <= now;
  return isAnswered || isOver ? 'waiting' : 'deferred';
}
