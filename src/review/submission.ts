/** Submissions as rows of `accession_submission`. */
import type { Value } from '../storage/database.ts';
import type { BaseContent } from './assess.ts';
import type { Standing, State, Status, Verdict } from './types.ts';

/** Stands for the revision, or the time, of the change that a transaction makes of the record: known after its commit. */
export const NOW = -1;

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
  /** When its claim was first stored. Times are microseconds since 1970, or {@link NOW}. */
  readonly submitted_at: number;
  /** When it was last stored. */
  readonly stored_at: number;
  readonly batch: string | null;
  readonly message: string | null;
  /** When it was last stored with a message, which ends a deferral. */
  readonly answered_at: number | null;
  /** When a deferral ends. */
  readonly until: number | null;
  /** When it was decided, or left its zone. */
  readonly settled_at: number | null;
  /** The last decision on its claim or, of one that has left, the one that it left by. */
  readonly decision: string | null;
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

/** A statement that writes a row. */
export type Statement = { readonly sql: string; readonly values: readonly Value[] };

/** The columns that {@link NOW} may stand in: what it is, and whether it is that of the curated record. */
const OF_CHANGES = new Map<string, readonly [column: 'revision' | 'time', isCurated: boolean]>([
  ...['submitted_at', 'stored_at', 'answered_at', 'settled_at'].map(
    (name) => [name, ['time', false]] as const,
  ),
  ['revision', ['revision', false]],
  ...['curated_revision', 'base_revision'].map((name) => [name, ['revision', true]] as const),
]);

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
  const changed = (Object.keys(next) as (keyof Submission)[]).filter(
    (name) => !former || next[name] !== former[name] || (next[name] === NOW && OF_CHANGES.has(name)),
  );
  if (changed.length === 0) return undefined;
  const values: Value[] = [];
  const given = (value: Value) => `$${values.push(value)}`;
  const list = changed.map((name) => {
    const of = next[name] === NOW ? OF_CHANGES.get(name) : undefined;
    if (!of) return given(next[name]);
    const [column, isCurated] = of;
    return `(SELECT ${column} FROM accession_entry WHERE area = ${given(isCurated ? curated : next.area)}
      AND iri = ${given(next.iri)} ORDER BY revision DESC LIMIT 1)`;
  });
  if (!former) {
    const sql = `INSERT INTO accession_submission (${changed.join(', ')}) VALUES (${list.join(', ')})`;
    return { sql, values };
  }
  const set = changed.map((name, at) => `${name} = ${list[at]}`).join(', ');
  const key = `iri = ${given(next.iri)} AND queue = ${given(next.queue)} AND area = ${given(next.area)}`;
  return { sql: `UPDATE accession_submission SET ${set} WHERE ${key}`, values };
}

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
  answeredAt: number | null,
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

function standingOf(last: LastDecision | undefined, answeredAt: number | null, now: number): Standing {
  if (last?.decision === 'reject') return 'rejected';
  if (last?.decision !== 'defer') return 'waiting';
  const isAnswered = answeredAt !== null && (answeredAt === NOW || answeredAt > last.time);
  const isOver = last.until !== null && last.until <= now;
  return isAnswered || isOver ? 'waiting' : 'deferred';
}
