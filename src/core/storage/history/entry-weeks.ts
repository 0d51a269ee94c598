/** How many records were made and deleted in each week, read from an index of the entries that did so. */
import { ServiceError } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { Value } from '../dialect.ts';
import type { AreaId, Week, WeekQuery } from '../store.ts';
import { microsecondsOf, timeOf } from '../times.ts';
import type { Viewer } from './entries.ts';
import { countsOfWeeks, MONDAY, totalsOfWeeks, WEEK } from './weeks.ts';

/** The conditions are those of the indexes. */
const KINDS = {
  made: 'e.former IS NULL AND e.deleted = 0',
  deleted: 'e.deleted = 1',
} as const;

/** @throws ServiceError `policies_unavailable` while the policies of entries are not known */
export async function readWeeks(
  reads: Reads,
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
  const add = (number: number, kind: Kind, count: number) => {
    const week = weeks.get(number) ?? { made: 0, deleted: 0 };
    week[kind] += count;
    weeks.set(number, week);
  };
  const from = microsecondsOf(since);
  for (const kind of ['made', 'deleted'] as const)
    if (visibility)
      for await (const [number, className, policies, count] of groupsOf(reads, area, kind, from)) {
        // What the record names now, or named when it was deleted, decides.
        const isSeen = visibility.sees((policies ?? '').split('\n').at(-1)!);
        if (isSeen && (classes?.includes(className) ?? true)) add(number, kind, count);
      }
    else
      for await (const [number, count] of totalsOf(reads, area, { kind, classes }, from))
        add(number, kind, count);
  return [...weeks]
    .sort(([a], [b]) => a - b)
    .map(([number, counts]) => ({ week: timeOf(MONDAY + number * WEEK).slice(0, 10), ...counts }));
}

type Reads = Pick<Database, 'tuples' | 'dialect'>;
type Kind = keyof typeof KINDS;
type Group = [week: number, className: string, policies: string | null, count: number];

function groupsOf(reads: Reads, { id }: AreaId, kind: Kind, since: number): AsyncGenerator<Group> {
  const columns = ['e.class_name', 'e.policies'];
  return countsOfWeeks<Group>(reads, { time: 'e.time', columns, from: entriesOf(kind) }, id, since);
}

/** For a caller who sees all records. */
function totalsOf(
  reads: Reads,
  { id }: AreaId,
  { kind, classes }: { readonly kind: Kind } & Pick<WeekQuery, 'classes'>,
  since: number,
) {
  const given: Value[] = [id];
  const ofClasses = classes ? ` AND ${reads.dialect.among('e.class_name', given.push(classes))}` : '';
  return totalsOfWeeks(reads, { time: 'e.time', from: `${entriesOf(kind)}${ofClasses}`, given }, since);
}

const entriesOf = (kind: Kind) => `accession_entry e WHERE e.area = $1 AND ${KINDS[kind]}`;
