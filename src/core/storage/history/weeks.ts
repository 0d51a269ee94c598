/** Rows with a time counted by week, some thousand with a statement, since others wait for it. */
import { yielder } from '../../yield.ts';
import type { Value } from '../dialect.ts';
import type { Reader } from '../reader.ts';
import { ROWS_AT_ONCE } from '../search/effort.ts';

/** In microseconds, like all times here. */
export const DAY = 86_400_000_000;
export const WEEK = 7 * DAY;
/** The first Monday of the count: 1970 began on a Thursday. */
export const MONDAY = 4 * DAY;

/** Returns the Monday, 0:00 UTC, of the week that a time is in. */
export function weekOf(time: number): number {
  return MONDAY + Math.floor((time - MONDAY) / WEEK) * WEEK;
}

type Counted = {
  /** The column of the time. */
  readonly time: string;
  /** The other columns by which rows are counted. */
  readonly columns: readonly string[];
  /** The table, with a condition in which `$1` is the key. An index begins with the key and the time. */
  readonly from: string;
};

/**
 * Counts the rows from a time on by their week, which is a number from {@link MONDAY} on, and by other columns. A group may come
 * several times, each with a part of its rows.
 */
export async function* countsOfWeeks<Group extends readonly [week: number, ...unknown[]]>(
  reads: Pick<Reader, 'tuples'>,
  { time, columns, from }: Counted,
  key: number,
  since: number,
): AsyncGenerator<Group> {
  const yieldIfDue = yielder();
  const all = [`(${time} - CAST($3 AS BIGINT)) / CAST($4 AS BIGINT)`, ...columns];
  const places = all.map((_, at) => at + 1);
  const end = `SELECT ${time} FROM ${from} AND ${time} >= $2 ORDER BY ${time} LIMIT 1 OFFSET ${ROWS_AT_ONCE}`;
  for (let begin = since; ; ) {
    const [row] = await reads.tuples<[time: number]>(end, [key, begin]);
    // More rows than those of a statement may have one time, as of an import.
    const until = row && Math.max(row[0], begin + 1);
    const values: Value[] = [key, begin, MONDAY, WEEK, ...(until === undefined ? [] : [until])];
    yield* await reads.tuples<Group>(
      `SELECT ${all.join(', ')}, count(*) FROM ${from} AND ${time} >= $2${until === undefined ? '' : ` AND ${time} < $5`}
       GROUP BY ${places.join(', ')}`,
      values,
    );
    if (until === undefined) return;
    await yieldIfDue();
    begin = until;
  }
}

/**
 * Counts the rows from a time on by week alone: a part of a week with a statement, since SQLite sorts all rows that it groups. A week
 * may come several times.
 */
export async function* totalsOfWeeks(
  reads: Pick<Reader, 'tuples'>,
  {
    time,
    from,
    given,
  }: Pick<Counted, 'time'> & {
    /** The table, with a condition. An index begins with what it compares with a value, and the time. */
    readonly from: string;
    /** The values of its parameters. */
    readonly given: readonly Value[];
  },
  since: number,
): AsyncGenerator<readonly [week: number, count: number]> {
  const yieldIfDue = yielder();
  const [begin, until] = [`$${given.length + 1}`, `$${given.length + 2}`];
  const first = `SELECT ${time} FROM ${from} AND ${time} >= ${begin} ORDER BY ${time} LIMIT 1`;
  const part = `FROM ${from} AND ${time} >= ${begin} AND ${time} < ${until}`;
  for (let at = since; ; ) {
    const [row] = await reads.tuples<[time: number]>(first, [...given, at]);
    if (!row) return;
    const week = weekOf(row[0]);
    const [next] = await reads.tuples<[time: number]>(
      `SELECT ${time} ${part} ORDER BY ${time} LIMIT 1 OFFSET ${ROWS_AT_ONCE}`,
      [...given, row[0], week + WEEK],
    );
    // More rows than those of a statement may have one time, as of an import.
    const end = next ? Math.max(next[0], row[0] + 1) : week + WEEK;
    const [[count] = [0]] = await reads.tuples<[count: number]>(`SELECT count(*) ${part}`, [
      ...given,
      row[0],
      end,
    ]);
    yield [(week - MONDAY) / WEEK, count];
    await yieldIfDue();
    at = end;
  }
}
