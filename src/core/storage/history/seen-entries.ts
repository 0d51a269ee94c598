/**
 * Finds the entries of an area that a caller sees in the indexes of their policies, so that hidden ones are not passed. The reads
 * are of one snapshot: a change may give former entries of a record other policies.
 */
import { yielder } from '../../yield.ts';
import type { Connection } from '../connection.ts';
import type { Database } from '../database.ts';
import type { Value } from '../dialect.ts';

/** What reads entries, in a snapshot or beside one. */
export type Reads = Pick<Connection, 'tuples' | 'dialect'>;

/** Indexes that one statement merges. */
export const MOST_MERGED = 100;
/** Revisions that one statement passes in search of the entries that a query selects: some milliseconds. */
const WINDOW = 20_000;

/** Does work whose reads are of one moment. */
export function asOfOneMoment<T>(
  database: Pick<Database, 'snapshot' | 'dialect'>,
  work: (reads: Reads) => Promise<T>,
): Promise<T> {
  const { dialect } = database;
  return database.snapshot((reader) =>
    work({ tuples: (sql, values) => reader.tuples(sql, values), dialect }),
  );
}

/** The values of a column in the order of an index, each found at once, however many rows have it. */
export async function valuesOf(
  reads: Reads,
  [table, column]: readonly [table: string, column: string],
  conditions: string,
  values: readonly Value[],
): Promise<string[]> {
  const next = (behind: string) => `(SELECT t.${column} FROM ${table} t
    WHERE ${conditions} AND t.${column} IS NOT NULL ${behind} ORDER BY t.${column} LIMIT 1)`;
  const rows = await reads.tuples<[string]>(
    `WITH RECURSIVE found(value) AS (
       SELECT ${next('')} UNION ALL SELECT ${next(`AND t.${column} > found.value`)} FROM found WHERE found.value IS NOT NULL
     ) SELECT value FROM found WHERE value IS NOT NULL`,
    values,
  );
  return rows.map(([value]) => value);
}

/**
 * The first rows of several selections, each of which has an index in this order. Each is limited by itself, and by a number in the
 * statement: otherwise PostgreSQL may read and sort all of them. A power of two, so that there are few statements.
 */
export function firstOf(selections: readonly string[], order: string, limit: number): string {
  const most = 2 ** Math.ceil(Math.log2(limit));
  const each = selections.map(
    (selection, at) => `SELECT * FROM (${selection} ORDER BY ${order} LIMIT ${most}) s${at}`,
  );
  return `${each.join(' UNION ALL ')} ORDER BY ${order} LIMIT ${most}`;
}

/** The columns of entries that have such an index. */
type PolicyColumn = 'policies' | 'former_policy';

/** Of a column, the values that a caller sees. */
export async function seenValues(
  reads: Reads,
  area: number,
  column: PolicyColumn,
  isSeen: (value: string) => boolean,
): Promise<(readonly [PolicyColumn, string])[]> {
  const values = await valuesOf(reads, ['accession_entry', column], 't.area = $1', [area]);
  return values.filter(isSeen).map((value) => [column, value] as const);
}

/** Which entries. */
type EntryQuery = {
  /** One of these values. */
  readonly seen: readonly (readonly [PolicyColumn, string])[];
  readonly after: number;
  readonly before: number;
  readonly newestFirst: boolean;
  readonly limit: number;
  /** Further conditions on the entry `e`, with the first number of their parameters. */
  readonly conditions?: (first: number) => readonly [sql: string, values: readonly Value[]];
};

/** The revisions of the next entries, in order: fewer than the limit if there are no more. */
export async function seenRevisions(
  reads: Reads,
  area: number,
  { seen, after, before, newestFirst, limit, conditions }: EntryQuery,
): Promise<number[]> {
  const found: number[] = [];
  const end = newestFirst ? after : before;
  const yieldIfDue = yielder();
  for (let from = newestFirst ? before : after; ; ) {
    const next = from + (newestFirst ? -WINDOW : WINDOW);
    const isLast = !conditions || (newestFirst ? next <= end : next >= end);
    const [low, high] = newestFirst ? [isLast ? end : next - 1, from] : [from, isLast ? end : next + 1];
    const most = limit - found.length;
    found.push(...(await mergedRevisions(reads, area, { seen, low, high, newestFirst, most, conditions })));
    if (isLast || found.length >= limit) return found;
    from = next;
    await yieldIfDue();
  }
}

type MergedQuery = Pick<EntryQuery, 'seen' | 'newestFirst' | 'conditions'> & {
  readonly low: number;
  readonly high: number;
  readonly most: number;
};

async function mergedRevisions(
  reads: Reads,
  area: number,
  { seen, low, high, newestFirst, most, conditions }: MergedQuery,
): Promise<number[]> {
  const found = new Set<number>();
  for (let first = 0; first < seen.length; first += MOST_MERGED) {
    // An entry may be found by both of its columns.
    const values: Value[] = [area, low, high];
    const [condition, more] = conditions?.(values.length + 1) ?? ['', []];
    values.push(...more);
    const each = seen.slice(first, first + MOST_MERGED).map(
      ([column, value]) => `SELECT e.revision FROM accession_entry e
        WHERE e.area = $1 AND e.${column} = $${values.push(value)} AND e.revision > $2 AND e.revision < $3 ${condition}`,
    );
    const rows = await reads.tuples<[number]>(
      firstOf(each, `revision ${newestFirst ? 'DESC' : 'ASC'}`, 2 * most),
      values,
    );
    for (const [revision] of rows) found.add(revision);
  }
  const inOrder = [...found].sort((a, b) => (newestFirst ? b - a : a - b));
  return inOrder.slice(0, most);
}
