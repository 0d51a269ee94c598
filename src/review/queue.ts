/** Reading the queue: pages of rows, and how many there are of each kind. */
import type { SQLInputValue } from 'node:sqlite';
import { LIMIT_OFFSET } from '../storage/database.ts';
import { type Condition, type Conditions, type Field, whereOf } from './filter.ts';
import type { ReviewParts } from './parts.ts';
import { contentOf, type QueuedSubmission, type QueueIndex } from './queue-index.ts';
import type { Hinter, Hints, Row } from './types.ts';

export const SORTS = ['submitted', 'pid', 'class'] as const;
export type Sort = { readonly by: (typeof SORTS)[number]; readonly reverse: boolean };

export type QueuePage = {
  readonly items: readonly Row[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly pages: number;
  /** Continues behind the last row; null on the last page. */
  readonly next: string | null;
  readonly as_of: string;
  readonly zones_pending: number;
};

export type Summary = {
  readonly total: number;
  readonly as_of: string;
  readonly zones_pending: number;
} & Readonly<Record<`by_${Exclude<Field, 'valid'>}`, Readonly<Record<string, number>>>>;

/** The last row of a page. */
export type QueuePosition = { readonly key: string; readonly label: string; readonly pid: string };

const COLUMN = { submitted: 'submitted_at', pid: 'pid', class: 'class' } as const;

/** Without statistics, SQLite takes an index that sorts over the one that finds the few rows of a record. */
function tableOf({ isOneRecord }: Conditions): string {
  return isOneRecord ? 'submission INDEXED BY submission_iri' : 'submission';
}

/** The rows behind a position, in order. */
export function selectRows(
  index: QueueIndex,
  conditions: Conditions,
  sort: Sort,
  range: {
    readonly after?: QueuePosition;
    readonly offset: number;
    readonly limit: number;
    readonly upTo?: string;
  },
): QueuedSubmission[] {
  const column = COLUMN[sort.by];
  const where = whereOf(conditions);
  const values: SQLInputValue[] = [...where.values];
  let sql = `SELECT rowid FROM ${tableOf(conditions)} WHERE present = 1 AND ${where.sql}`;
  if (range.upTo !== undefined) {
    sql += ' AND stored_at <= ?';
    values.push(range.upTo);
  }
  if (range.after) {
    const { key, label, pid } = range.after;
    const ahead = sort.reverse ? '<' : '>';
    sql += ` AND ${column} ${ahead}= ? AND (${column} ${ahead} ? OR (label, pid) > (?, ?))`;
    values.push(key, key, label, pid);
  }
  const ties = sort.by === 'pid' ? 'label' : 'label, pid';
  const order = `ORDER BY ${column} ${sort.reverse ? 'DESC' : 'ASC'}, ${ties}`;
  const rows = index
    .sql(`SELECT * FROM submission WHERE rowid IN (${sql} ${order} ${LIMIT_OFFSET}) ${order}`)
    .all(...values, range.limit, range.offset);
  return rows as unknown as QueuedSubmission[];
}

export function countRows(
  index: QueueIndex,
  conditions: Conditions,
  upTo?: string,
  after?: Condition,
): number {
  const where = whereOf(conditions);
  if (conditions.others.length === 0 && upTo === undefined && !after) {
    const row = index
      .sql(`SELECT coalesce(sum(n), 0) AS n FROM count WHERE ${where.sql}`)
      .get(...where.values);
    return (row as { n: number }).n;
  }
  const parts = [
    where,
    ...(upTo === undefined ? [] : [{ sql: 'stored_at <= ?', values: [upTo] }]),
    ...(after ? [after] : []),
  ];
  const sql = parts.map((part) => `AND ${part.sql}`).join(' ');
  const row = index
    .sql(`SELECT count(*) AS n FROM ${tableOf(conditions)} WHERE present = 1 ${sql}`)
    .get(...parts.flatMap(({ values }) => values));
  return (row as { n: number }).n;
}

/** The condition of rows behind a position in the default order. */
export function behind({ key, label, pid }: QueuePosition): Condition {
  return {
    sql: 'submitted_at >= ? AND (submitted_at > ? OR (label, pid) > (?, ?))',
    values: [key, key, label, pid],
  };
}

/** The position of a row as clients hold it. */
export function nextOf(row: QueuedSubmission | undefined, sort: Sort): string | null {
  if (!row) return null;
  const parts = [row[COLUMN[sort.by]], row.label, row.pid];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Undefined for any other string. */
export function pagePosition(next: string): QueuePosition | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(next, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string'))
      return undefined;
    const [key, label, pid] = parts as [string, string, string];
    return { key, label, pid };
  } catch {
    return undefined;
  }
}

/** A submission as the queue shows it. */
function rowOf(parts: ReviewParts, index: QueueIndex, row: QueuedSubmission, hints: Hints = NO_HINTS): Row {
  return {
    pid: row.pid,
    class: row.class,
    label: row.label,
    submitter: row.submitter,
    edited_by: row.edited_by,
    submitted_at: row.submitted_at,
    batch: row.batch,
    message: row.message,
    state: row.state,
    standing: row.standing,
    digest: row.digest,
    etag: parts.etagOf(row.label, row.revision),
    curated_etag: row.curated_revision === null ? null : parts.etagOf('', row.curated_revision),
    base_etag: row.base_known ? row.base_etag : 'unknown',
    title: row.title,
    valid: row.valid === 1,
    differences: row.differences,
    conflicts: row.conflicts,
    slots: JSON.parse(row.slots) as string[],
    others: othersOf(index, row),
    last: index.lastOnIri(row.iri),
    ...hints,
  };
}

const NO_HINTS: Hints = { duplicates: [], dangling: [] };

/** Submissions as the queue shows them, with their hints. */
export async function rowsOf(
  parts: ReviewParts,
  index: QueueIndex,
  rows: readonly QueuedSubmission[],
  hinter: Hinter | undefined,
): Promise<Row[]> {
  const hints = await hinter?.(rows.map(({ label, iri, ...row }) => ({ label, iri, ...contentOf(row) })));
  return rows.map((row, at) => rowOf(parts, index, row, hints?.[at]));
}

/** Waiting submissions of other zones on the IRI. */
function othersOf(index: QueueIndex, { iri, label }: QueuedSubmission): number {
  const sql = `SELECT count(*) AS n FROM submission INDEXED BY submission_iri
    WHERE iri = ? AND label <> ? AND present = 1 AND standing = 'waiting'`;
  return (index.sql(sql).get(iri, label) as { n: number }).n;
}

/** Values that a summary lists; the rest is one sum. */
const MOST_VALUES = 100;

const SUMMED = ['standing', 'state', 'label', 'class', 'submitter', 'batch'] as const;

export function summaryOf(
  index: QueueIndex,
  conditions: Conditions,
  zonesPending: number,
  asOf: string,
): Summary {
  const total = countRows(index, conditions);
  const parts = SUMMED.map((field) => [`by_${field}`, countsBy(index, conditions, field)] as const);
  return {
    total,
    as_of: asOf,
    zones_pending: zonesPending,
    ...(Object.fromEntries(parts) as Record<`by_${(typeof SUMMED)[number]}`, Record<string, number>>),
  };
}

function countsBy(index: QueueIndex, conditions: Conditions, field: Field): Record<string, number> {
  const where = whereOf(conditions, field);
  const isCounted = conditions.others.length === 0;
  const from = isCounted ? 'count WHERE' : `${tableOf(conditions)} WHERE present = 1 AND`;
  const rows = index
    .sql(
      `SELECT coalesce(${field}, '') AS value, ${isCounted ? 'sum(n)' : 'count(*)'} AS n FROM ${from} ${where.sql}
       GROUP BY 1 ORDER BY n DESC, value`,
    )
    .all(...where.values) as { value: string; n: number }[];
  const listed = rows.filter(({ value }) => value !== '').slice(0, MOST_VALUES);
  const sum = (all: readonly { n: number }[]) => all.reduce((total, { n }) => total + n, 0);
  const rest = sum(rows) - sum(listed);
  return Object.fromEntries([
    ...listed.map(({ value, n }) => [value, n] as const),
    ...(rest > 0 ? [['', rest] as const] : []),
  ]);
}
