/** Reading the queue: pages of rows, and how many there are of each kind. */
import type { Shape } from '../../../core/shapes.ts';
import { textsInAreas } from '../../../core/storage/read/record-sql.ts';
import { timeOf } from '../../../core/storage/times.ts';
import { nextTurn } from '../../../core/yield.ts';
import { approvalsOf } from '../decisions/approvals.ts';
import type { Content } from '../decisions/content.ts';
import { decisionOf, decisionsOn } from '../decisions/decisions.ts';
import type { QueueReading } from '../parts.ts';
import type { queuePageSchema, summarySchema } from '../schemas.ts';
import { STANDINGS } from '../states.ts';
import { LISTED, type ListedSubmission } from '../submissions/submission.ts';
import type { Decision, HintProvider, Hints, Row } from '../types.ts';
import {
  type CountedField,
  columnValues,
  FILTERS,
  type Filter,
  SORTS,
  type SortName,
  SUMMED,
  type SummedField,
} from './fields.ts';
import { type Condition, type Conditions, conditionsOf, type Lost, statement, whereOf } from './filter.ts';

/** A read for curators, who see who is to decide. */
export type CuratorReading = QueueReading & { readonly lost: Lost };

export type Sort = { readonly by: SortName; readonly reverse: boolean };

export type QueuePage = Shape<typeof queuePageSchema>;

export type Summary = Shape<typeof summarySchema>;

/** The last row of a page. */
export type QueuePosition = { readonly key: string | number; readonly label: string; readonly pid: string };

type Slice = {
  readonly sort: Sort;
  readonly after?: QueuePosition | undefined;
  readonly offset: number;
  readonly limit: number;
  /** Further conditions. */
  readonly more?: readonly Condition[];
};

/** The rows behind a position, in order. They are selected in an index, since they are long. */
export function selectRows(
  { reader, queue }: QueueReading,
  conditions: Conditions,
  { sort, after, offset, limit, more = [] }: Slice,
): Promise<ListedSubmission[]> {
  const ties = sort.by === 'pid' ? 'label' : 'label, pid';
  const order = `ORDER BY ${SORTS[sort.by]} ${sort.reverse ? 'DESC' : 'ASC'}, ${ties}`;
  const all = after ? [...more, behind(sort, after)] : more;
  return reader.read<ListedSubmission>(
    ...statement(
      (given) => `SELECT ${LISTED} FROM accession_submission s WHERE s.id IN (
        SELECT id FROM accession_submission WHERE ${inQueue(queue, conditions, all)(given)}
        ${order} LIMIT ${given(limit)} OFFSET ${given(offset)}) ${order}`,
    ),
  );
}

function inQueue(queue: number, conditions: Conditions, more: readonly Condition[] = []): Condition {
  return (given) => {
    const all = [whereOf(conditions), ...more].map((condition) => condition(given));
    return [`queue = ${given(queue)}`, conditions.scope, ...all].join(' AND ');
  };
}

/** How many selected submissions have each value of a field, the most frequent first. */
export async function tally(
  { reader, queue }: QueueReading,
  conditions: Conditions,
  field: CountedField,
  more: readonly Condition[] = [],
): Promise<[value: string, n: number][]> {
  // Numbers are kept by the fields that are counted.
  const isKept = conditions.others.length === 0 && more.length === 0;
  const counts = await reader.tuples<[string, number]>(
    ...statement((given) => {
      const [count, from] = isKept
        ? ['sum(n)', `_count WHERE queue = ${given(queue)} AND ${whereOf(conditions)(given)}`]
        : ['count(*)', ` WHERE ${inQueue(queue, conditions, more)(given)}`];
      return `SELECT COALESCE(${FILTERS[field].column}, '') AS value, CAST(${count} AS BIGINT) AS n
        FROM accession_submission${from} GROUP BY 1 ORDER BY n DESC, value`;
    }),
  );
  // The numbers of thousands of zones take a while, too.
  await nextTurn();
  return counts;
}

/** The number of selected rows. */
export async function countRows(
  reading: QueueReading,
  conditions: Conditions,
  more?: readonly Condition[],
): Promise<number> {
  return sumOf(await tally(reading, conditions, 'standing', more));
}

function sumOf(values: readonly (readonly [string, number])[]): number {
  return values.reduce((total, [, n]) => total + n, 0);
}

export const storedBy =
  (time: number): Condition =>
  (given) =>
    `stored_at <= ${given(time)}`;

export const behind = (sort: Sort, position: QueuePosition) => onSide('>', sort, position);
export const before = (sort: Sort, position: QueuePosition) => onSide('<', sort, position);

/** Rows on one side of a position. Labels and pids are ascending in either order. */
function onSide(side: '<' | '>', { by, reverse }: Sort, { key, label, pid }: QueuePosition): Condition {
  const column = SORTS[by];
  const beyond = (side === '>') === reverse ? '<' : '>';
  return (given) => {
    const from = given(key);
    return `${column} ${beyond}= ${from} AND (${column} ${beyond} ${from} OR (label, pid) ${side} (${given(label)}, ${given(pid)}))`;
  };
}

/** The position of a submission, also of one that has left the queue; undefined if there was none. */
export async function positionIn(
  { reader, queue }: QueueReading,
  { by }: Sort,
  label: string,
  iri: string,
): Promise<QueuePosition | undefined> {
  const sql = `SELECT ${LISTED} FROM accession_submission s WHERE s.queue = $1 AND s.label = $2 AND s.iri = $3`;
  const [row] = await reader.read<ListedSubmission>(sql, [queue, label, iri]);
  return row && { key: row[SORTS[by]], label: row.label, pid: row.pid };
}

const isNumber = (by: SortName) => by === 'submitted' || by === 'due';

/** The position of a row as clients hold it. */
export function nextOf(row: ListedSubmission | undefined, { by }: Sort): string | null {
  if (!row) return null;
  return Buffer.from(JSON.stringify([row[SORTS[by]], row.label, row.pid])).toString('base64url');
}

/** Undefined for any other string, and for the position in another order. */
export function pagePosition(next: string, { by }: Sort): QueuePosition | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(next, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 3) return undefined;
    const [key, label, pid] = parts as unknown[];
    const isKey = isNumber(by) ? Number.isSafeInteger(key) : typeof key === 'string';
    if (!isKey || typeof label !== 'string' || typeof pid !== 'string') return undefined;
    return { key: key as string | number, label, pid };
  } catch {
    return undefined;
  }
}

/** Of longer records, the hints are not looked for, in bytes: all of a page would take gigabytes. */
const LONGEST_HINTED = 64 * 1024;
const NO_HINTS: Hints = { duplicates: [], dangling: [] };

/** Submissions as the queue shows them, with their hints. */
export async function rowsOf(
  reading: CuratorReading,
  rows: readonly ListedSubmission[],
  findHints: HintProvider | undefined,
): Promise<Row[]> {
  const { reader, context, queue, lost } = reading;
  const iris = [...new Set(rows.map(({ iri }) => iri))];
  const { dialect } = context.parts.database;
  const last = new Map<string, Decision>();
  const decisions = await decisionsOn(reader, context, iris);
  for (const decision of decisions)
    if (decision.undone_at === null && decision.decision !== 'approve' && !last.has(decision.iri))
      last.set(decision.iri, decisionOf(context, decision));
  const onRecord = Map.groupBy(decisions, ({ iri }) => iri);
  const onIris = await reader.tuples<[string, number, string]>(
    `SELECT iri, area, status FROM accession_submission WHERE ${dialect.among('iri', 2)} AND queue = $1`,
    [queue, iris],
  );
  const waiting = onIris.filter(([, , status]) => status === 'waiting');
  const hints = findHints && (await findHints(await contentsOf(reading, rows)));
  return rows.map((row, at) => ({
    ...columnValues(lost.has(row.assignee) ? { ...row, assignee: '' } : row, context.parts.etagOf),
    others: waiting.filter(([iri, area]) => iri === row.iri && area !== row.area).length,
    last: last.get(row.iri) ?? null,
    approvals: approvalsOf(row, onRecord.get(row.iri) ?? []).map(({ id, reviewer, time }) => {
      return { id, reviewer, time: timeOf(time) };
    }),
    ...(hints?.[at] ?? NO_HINTS),
  }));
}

/** The records of submissions in their zones, without those that are too long for hints. */
async function contentsOf(
  { reader }: QueueReading,
  rows: readonly ListedSubmission[],
): Promise<(Content & { label: string; iri: string })[]> {
  const found = await textsInAreas(
    reader,
    [...new Set(rows.map(({ area }) => area))],
    rows.map(({ iri }) => iri),
    LONGEST_HINTED,
  );
  const texts = new Map(found.map(([area, iri, json]) => [`${area} ${iri}`, json]));
  return rows.map(({ area, iri, label, class_name: className }) => {
    return { label, iri, className, json: texts.get(`${area} ${iri}`) ?? '{}' };
  });
}

/** Values that a summary lists; the rest is one sum. */
const MOST_VALUES = 100;

const ANY: Filter = { standing: STANDINGS };

/** Each part ignores the filter on its own field. */
export async function summaryOf(
  reading: CuratorReading,
  conditions: Conditions,
): Promise<Omit<Summary, 'changes' | 'as_of' | 'zones_pending'>> {
  const any = (await conditionsOf(reading.context.parts, ANY, reading.lost)).counted;
  const parts: [string, Record<string, number>][] = [];
  for (const field of SUMMED) {
    const counted = new Map([...any, ...conditions.counted]);
    if (field === 'standing') counted.set(field, any.get(field)!);
    else counted.delete(field);
    const values = await tally(reading, { ...conditions, counted }, field);
    const isShown = (value: string) => value !== '' && !(field === 'assignee' && reading.lost.has(value));
    const listed = values.filter(([value]) => isShown(value)).slice(0, MOST_VALUES);
    const rest = sumOf(values) - sumOf(listed);
    parts.push([`by_${field}`, { ...Object.fromEntries(listed), ...(rest > 0 && { '': rest }) }]);
  }
  const by = Object.fromEntries(parts) as Record<`by_${SummedField}`, Record<string, number>>;
  return { total: await countRows(reading, conditions), ...by };
}
