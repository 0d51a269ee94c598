/** How many records were made and deleted in each week, read from an index of the entries that did so. */
import { ServiceError } from '../errors.ts';
import { yielder } from '../yield.ts';
import type { Value } from './dialect.ts';
import { ROWS_AT_ONCE } from './effort.ts';
import type { Viewer } from './entries.ts';
import type { Reader } from './reader.ts';
import type { AreaId, Week, WeekQuery } from './store.ts';
import { microsecondsOf, timeOf } from './times.ts';

/** In microseconds, like all times here. */
export const DAY = 86_400_000_000;
export const WEEK = 7 * DAY;
/** The first Monday of the count: 1970 began on a Thursday. */
export const MONDAY = 4 * DAY;

/** The conditions are those of the indexes. */
const KINDS = {
  made: 'e.former IS NULL AND e.deleted = 0',
  deleted: 'e.deleted = 1',
} as const;

/** Returns the Monday, 0:00 UTC, of the week that a time is in. */
export function weekOf(time: number): number {
  return MONDAY + Math.floor((time - MONDAY) / WEEK) * WEEK;
}

/** @throws ServiceError `policies_unavailable` while the policies of entries are not known */
export async function readWeeks(
  reads: Pick<Reader, 'tuples'>,
  area: AreaId,
  { since, classes }: WeekQuery,
  { visibility, isIndexed }: Viewer,
): Promise<Week[]> {
  if (visibility?.tag && !(await isIndexed(visibility.tag)))
    throw new ServiceError(
      'policies_unavailable',
      'The policies of former changes are still read. Try again later.',
    );
  const weeks = new Map<number, { made: number; deleted: number }>();
  const yieldIfDue = yielder();
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[])
    for await (const [number, className, policies, count] of groupsOf(
      reads,
      area,
      kind,
      microsecondsOf(since),
    )) {
      await yieldIfDue();
      // What the record names now, or named when it was deleted, decides.
      const isSeen = visibility?.sees((policies ?? '').split('\n').at(-1)!) ?? true;
      if (!isSeen || !(classes?.includes(className) ?? true)) continue;
      const week = weeks.get(number) ?? { made: 0, deleted: 0 };
      week[kind] += count;
      weeks.set(number, week);
    }
  return [...weeks]
    .sort(([a], [b]) => a - b)
    .map(([number, counts]) => ({ week: timeOf(MONDAY + number * WEEK).slice(0, 10), ...counts }));
}

type Group = [week: number, className: string, policies: string | null, count: number];

/** Groups of some thousand entries each, since others wait for a statement. */
async function* groupsOf(
  reads: Pick<Reader, 'tuples'>,
  { id }: AreaId,
  kind: keyof typeof KINDS,
  since: number,
): AsyncGenerator<Group> {
  const where = `FROM accession_entry e WHERE e.area = $1 AND ${KINDS[kind]} AND e.time >= $2`;
  const end = `SELECT e.time ${where} ORDER BY e.time LIMIT 1 OFFSET ${ROWS_AT_ONCE}`;
  for (let from = since; ; ) {
    const [row] = await reads.tuples<[time: number]>(end, [id, from]);
    // More entries than those of a group may have one time, as of an import.
    const until = row && Math.max(row[0], from + 1);
    const values: Value[] = [id, from, MONDAY, WEEK, ...(until === undefined ? [] : [until])];
    yield* await reads.tuples<Group>(
      `SELECT (e.time - CAST($3 AS BIGINT)) / CAST($4 AS BIGINT), e.class_name, e.policies, count(*)
       ${where}${until === undefined ? '' : ' AND e.time < $5'} GROUP BY 1, 2, 3`,
      values,
    );
    if (until === undefined) return;
    from = until;
  }
}
