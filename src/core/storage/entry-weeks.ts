/** How many records were made and deleted in each week, read from an index of the entries that did so. */
import { ServiceError } from '../errors.ts';
import { yielder } from '../yield.ts';
import type { Viewer } from './entries.ts';
import type { Reader } from './reader.ts';
import type { AreaId, Week, WeekQuery } from './store.ts';
import { microsecondsOf, timeOf } from './times.ts';
import { countsOfWeeks, MONDAY, WEEK } from './weeks.ts';

/** The conditions are those of the indexes. */
const KINDS = {
  made: 'e.former IS NULL AND e.deleted = 0',
  deleted: 'e.deleted = 1',
} as const;

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
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    const counted = {
      time: 'e.time',
      columns: ['e.class_name', 'e.policies'],
      from: `accession_entry e WHERE e.area = $1 AND ${KINDS[kind]}`,
    };
    const groups = countsOfWeeks<Group>(reads, counted, area.id, microsecondsOf(since));
    for await (const [number, className, policies, count] of groups) {
      await yieldIfDue();
      // What the record names now, or named when it was deleted, decides.
      const isSeen = visibility?.sees((policies ?? '').split('\n').at(-1)!) ?? true;
      if (!isSeen || !(classes?.includes(className) ?? true)) continue;
      const week = weeks.get(number) ?? { made: 0, deleted: 0 };
      week[kind] += count;
      weeks.set(number, week);
    }
  }
  return [...weeks]
    .sort(([a], [b]) => a - b)
    .map(([number, counts]) => ({ week: timeOf(MONDAY + number * WEEK).slice(0, 10), ...counts }));
}

type Group = [week: number, className: string, policies: string | null, count: number];
