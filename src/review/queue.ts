/** Reading the queue: pages of rows, and how many there are of each kind. */
import type { Reader } from '../storage/database.ts';
import { timeOf } from '../storage/times.ts';
import { decisionOf, decisionsOn } from './decisions.ts';
import { COUNTED, type Condition, type Conditions, type Field, oneOf, statement, whereOf } from './filter.ts';
import type { Making } from './parts.ts';
import { type StoredSubmission, SUBMISSION } from './submission.ts';
import type { Content, Decision, Hinter, Hints, Row, Standing } from './types.ts';

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
export type QueuePosition = { readonly key: string | number; readonly label: string; readonly pid: string };

const COLUMN = { submitted: 'submitted_at', pid: 'pid', class: 'class_name' } as const;

/** What a queue is read with. */
export type QueueReading = { readonly reader: Reader; readonly making: Making; readonly queue: number };

export type Slice = {
  readonly sort: Sort;
  readonly after?: QueuePosition | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Only submissions stored up to this time. */
  readonly upTo?: number;
};

/** The rows behind a position, in order. They are selected in an index, since they are long. */
export function selectRows(
  { reader, queue }: QueueReading,
  conditions: Conditions,
  { sort, after, offset, limit, upTo }: Slice,
): Promise<StoredSubmission[]> {
  const ties = sort.by === 'pid' ? 'label' : 'label, pid';
  const order = `ORDER BY ${COLUMN[sort.by]} ${sort.reverse ? 'DESC' : 'ASC'}, ${ties}`;
  return reader.read<StoredSubmission>(
    ...statement((given) => {
      const where = [
        `queue = ${given(queue)} AND ${conditions.present}`,
        whereOf(conditions)(given),
        ...(upTo === undefined ? [] : [storedBy(upTo)(given)]),
        ...(after ? [behind(sort, after)(given)] : []),
      ];
      return `SELECT ${SUBMISSION} FROM accession_submission s WHERE s.id IN (
        SELECT id FROM accession_submission WHERE ${where.join(' AND ')}
        ${order} LIMIT ${given(limit)} OFFSET ${given(offset)}) ${order}`;
    }),
  );
}

/** The number of selected rows. @param more conditions that kept numbers do not have */
export async function countRows(
  { reader, queue }: QueueReading,
  conditions: Conditions,
  more: readonly Condition[] = [],
): Promise<number> {
  const isKept = conditions.others.length === 0 && more.length === 0;
  const [row] = await reader.tuples<[number]>(
    ...statement((given) => {
      const own = `queue = ${given(queue)}`;
      const where = [whereOf(conditions), ...more].map((condition) => condition(given)).join(' AND ');
      return isKept
        ? `SELECT COALESCE(CAST(sum(n) AS BIGINT), 0) FROM accession_submission_count WHERE ${own} AND ${where}`
        : `SELECT count(*) FROM accession_submission WHERE ${own} AND ${conditions.present} AND ${where}`;
    }),
  );
  return row?.[0] ?? 0;
}

export const storedBy =
  (time: number): Condition =>
  (given) =>
    `stored_at <= ${given(time)}`;

/** The condition of rows behind a position. */
export function behind({ by, reverse }: Sort, { key, label, pid }: QueuePosition): Condition {
  const column = COLUMN[by];
  const ahead = reverse ? '<' : '>';
  return (given) => {
    const from = given(key);
    return `${column} ${ahead}= ${from} AND (${column} ${ahead} ${from} OR (label, pid) > (${given(label)}, ${given(pid)}))`;
  };
}

/** The position of a row as clients hold it. */
export function nextOf(row: StoredSubmission | undefined, { by }: Sort): string | null {
  if (!row) return null;
  return Buffer.from(JSON.stringify([row[COLUMN[by]], row.label, row.pid])).toString('base64url');
}

/** Undefined for any other string, and for the position in another order. */
export function pagePosition(next: string, { by }: Sort): QueuePosition | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(next, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 3) return undefined;
    const [key, label, pid] = parts as unknown[];
    const isKey = by === 'submitted' ? Number.isSafeInteger(key) : typeof key === 'string';
    if (!isKey || typeof label !== 'string' || typeof pid !== 'string') return undefined;
    return { key: key as string | number, label, pid };
  } catch {
    return undefined;
  }
}

const NO_HINTS: Hints = { duplicates: [], dangling: [] };

/** Submissions as the queue shows them, with their hints. */
export async function rowsOf(
  reading: QueueReading,
  rows: readonly StoredSubmission[],
  hinter: Hinter | undefined,
): Promise<Row[]> {
  const { reader, making, queue } = reading;
  const iris = [...new Set(rows.map(({ iri }) => iri))];
  const { dialect } = making.parts.database;
  const last = new Map<string, Decision>();
  for (const decision of await decisionsOn(reader, making, iris))
    if (decision.undone_at === null && !last.has(decision.iri))
      last.set(decision.iri, decisionOf(making, decision));
  const onIris = await reader.tuples<[string, number, string]>(
    `SELECT iri, area, status FROM accession_submission WHERE ${dialect.among('iri', 2)} AND queue = $1`,
    [queue, iris],
  );
  const waiting = onIris.filter(([, , status]) => status === 'waiting');
  const hints = hinter && (await hinter(await contentsOf(reading, rows)));
  return rows.map((row, at) => ({
    ...rowOf(making, row),
    others: waiting.filter(([iri, area]) => iri === row.iri && area !== row.area).length,
    last: last.get(row.iri) ?? null,
    ...(hints?.[at] ?? NO_HINTS),
  }));
}

/** The records of submissions in their zones. */
async function contentsOf(
  { reader, making }: QueueReading,
  rows: readonly StoredSubmission[],
): Promise<(Content & { label: string; iri: string })[]> {
  const { dialect } = making.parts.database;
  const found = await reader.tuples<[number, string, string]>(
    `SELECT area, iri, json FROM accession_record
     WHERE ${dialect.among('area', 1, 'bigint')} AND ${dialect.among('iri', 2)}`,
    [[...new Set(rows.map(({ area }) => area))], rows.map(({ iri }) => iri)],
  );
  const texts = new Map(found.map(([area, iri, json]) => [`${area} ${iri}`, json]));
  return rows.map(({ area, iri, label, class_name: className }) => {
    return { label, iri, className, json: texts.get(`${area} ${iri}`) ?? '{}' };
  });
}

/** What a row shows of itself. */
function rowOf({ parts }: Making, row: StoredSubmission): Omit<Row, 'others' | 'last' | keyof Hints> {
  const etag = (revision: number | null) => (revision === null ? null : parts.etagOf('', revision));
  return {
    ...{ pid: row.pid, class: row.class_name, label: row.label },
    ...{ submitter: row.submitter, edited_by: row.edited_by, submitted_at: timeOf(row.submitted_at) },
    ...{ batch: row.batch, message: row.message, state: row.state, standing: row.status as Standing },
    digest: row.digest,
    etag: parts.etagOf(row.label, row.revision),
    curated_etag: etag(row.curated_revision),
    base_etag: row.base_known ? etag(row.base_revision) : 'unknown',
    ...{ title: row.title, valid: row.valid === 1, differences: row.differences, conflicts: row.conflicts },
    slots: JSON.parse(row.slots) as string[],
  };
}

/** Values that a summary lists; the rest is one sum. */
const MOST_VALUES = 100;

const SUMMED = ['standing', 'state', 'label', 'class', 'submitter', 'batch'] as const;

export async function summaryOf(
  reading: QueueReading,
  conditions: Conditions,
): Promise<Omit<Summary, 'as_of' | 'zones_pending'>> {
  const parts: [string, Record<string, number>][] = [];
  for (const field of SUMMED) parts.push([`by_${field}`, await countsBy(reading, conditions, field)]);
  const total = await countRows(reading, conditions);
  return {
    total,
    ...(Object.fromEntries(parts) as Record<`by_${(typeof SUMMED)[number]}`, Record<string, number>>),
  };
}

async function countsBy(
  { reader, making, queue }: QueueReading,
  conditions: Conditions,
  field: Field,
): Promise<Record<string, number>> {
  const isKept = conditions.others.length === 0;
  const rows = await reader.tuples<[value: string, n: number]>(
    ...statement((given) => {
      const own = `queue = ${given(queue)}`;
      // Without a filter on them, standings are those of submissions in their zones.
      const present = field === 'standing' ? oneOf(making.parts, 'status', PRESENT)(given) : '1 = 1';
      const from = isKept
        ? `accession_submission_count WHERE ${own} AND ${present}`
        : `accession_submission WHERE ${own} AND ${conditions.present}`;
      return `SELECT COALESCE(${COUNTED[field]}, '') AS value, CAST(${isKept ? 'sum(n)' : 'count(*)'} AS BIGINT) AS n
        FROM ${from} AND ${whereOf(conditions, field)(given)} GROUP BY 1 ORDER BY n DESC, value`;
    }),
  );
  const listed = rows.filter(([value]) => value !== '').slice(0, MOST_VALUES);
  const sum = (all: readonly [string, number][]) => all.reduce((total, [, n]) => total + n, 0);
  const rest = sum(rows) - sum(listed);
  return { ...Object.fromEntries(listed), ...(rest > 0 && { '': rest }) };
}

const PRESENT: readonly Standing[] = ['waiting', 'deferred', 'rejected'];
