/**
 * The feed of an area: its changes in the order of their commits, as a caller has seen them. What a record was before a change
 * and what it is after it decide about the kind of the change: a record that the change hides from the caller is deleted.
 */
import { yielder } from '../../yield.ts';
import type { Database } from '../database.ts';
import type { Value } from '../dialect.ts';
import { revisionOf } from '../read/order.ts';
import type { AreaId, ChangeNote, FeedChange, FeedPage, FeedQuery } from '../store.ts';
import { timeOf } from '../times.ts';
import type { Visibility } from '../visibility.ts';
import { TEXT_AFTER, type Viewer, versionsOf } from './entries.ts';
import { asOfOneMoment, type Reads, seenRevisions, seenValues } from './seen-entries.ts';

type FeedRow = [
  revision: number,
  iri: string,
  pid: string,
  className: string,
  deleted: number,
  time: number,
  author: string | null,
  note: string | null,
  isNew: number | boolean,
  formerClass: string | null,
  former: string | null,
  json: string | null,
  policy: string | null,
  formerPolicy: string | null,
  isLast: number | boolean,
];

/** Revisions that one statement passes in search of last changes: some ten milliseconds. */
const WINDOW = 20_000;
/** Whether the record changed again, up to a revision. */
const later = (upTo: string) => `EXISTS (SELECT 1 FROM accession_entry n
  WHERE n.area = e.area AND n.iri = e.iri AND n.revision > e.revision AND n.revision <= ${upTo})`;
/** Entries of one statement, and those that one call reads in search of the ones that the query selects. */
const STEP = 500;
const STEP_OF_CLASSES = 50;
const MOST_READ = 5_000;

export async function readFeed(
  database: Pick<Database, 'tuples' | 'dialect' | 'snapshot'>,
  area: AreaId,
  query: FeedQuery,
  { visibility, isIndexed }: Viewer,
): Promise<FeedPage> {
  // Without a tag, a caller sees every record or none.
  if (visibility && !visibility.tag && !visibility.sees(''))
    return { changes: [], reached: Math.max(query.after, query.lastUpTo ?? 0) };
  if (!visibility?.tag) return feedOneByOne(database, area, query, undefined);
  if (!(await isIndexed(visibility.tag))) return feedOneByOne(database, area, query, visibility);
  return asOfOneMoment(database, (reads) => seenFeed(reads, area, query, visibility));
}

/** The columns of a row. @param sources where the policies of the versions are read */
function columnsOf(sources: 'nowhere' | 'in texts' | 'in columns', isLast: string): string {
  const columns = {
    nowhere: 'NULL, NULL, NULL, NULL',
    'in texts': `e.former, ${TEXT_AFTER}, NULL, NULL`,
    // If the versions name different policies, the former one may have another pid.
    'in columns': 'CASE WHEN e.former_policy IS NOT NULL THEN e.former END, NULL, e.policy, e.former_policy',
  };
  return `e.revision, e.iri, e.pid, e.class_name, e.deleted, e.time, e.author, e.note, e.former IS NULL, e.former_class,
    ${columns[sources]}, ${isLast}`;
}

/** The feed from the indexes of policies. The reads are of one snapshot. */
async function seenFeed(
  reads: Reads,
  area: AreaId,
  { after, iri, classes, limit, lastUpTo }: FeedQuery,
  visibility: Visibility,
): Promise<FeedPage> {
  const end = lastUpTo ?? (await revisionOf(reads, area));
  const next = await nextSeen(reads, area, { iri, classes, end }, visibility);
  const changesAgain = async ({ iri, revision }: FeedChange) => {
    const query = { after: revision, iri, classes, limit: 1 };
    const { changes } = await seenFeed(reads, area, query, visibility);
    return changes.some((change) => change.revision <= end);
  };
  const isLast = lastUpTo === undefined ? '1' : `NOT ${later('$3')}`;
  const sql = `SELECT ${columnsOf('in columns', isLast)} FROM accession_entry e
    WHERE e.area = $1 AND ${reads.dialect.among('e.revision', 2, 'bigint')}`;
  const changes: FeedChange[] = [];
  let reached = after;
  const yieldIfDue = yielder();
  for (let read = 0; changes.length < limit && read < MOST_READ && reached < end; ) {
    const most = Math.min(STEP, limit - changes.length);
    const revisions = await next(reached, most);
    const rows = await reads.tuples<FeedRow>(sql, [
      area.id,
      revisions,
      ...(lastUpTo === undefined ? [] : [lastUpTo]),
    ]);
    // In the statement, an order would have PostgreSQL walk the index of the area.
    for (const row of rows.sort(([a], [b]) => a - b)) {
      const change = changeOf(row, classes, visibility);
      if (change && (row.at(-1) || !(await changesAgain(change)))) changes.push(change);
      reached = row[0];
    }
    if (revisions.length < most) reached = Math.max(reached, end);
    read += most;
    await yieldIfDue();
  }
  return { changes, reached };
}

/** How the next revisions are found whose changes a caller may see. */
async function nextSeen(
  reads: Reads,
  area: AreaId,
  { iri, classes, end }: Pick<FeedQuery, 'iri' | 'classes'> & { readonly end: number },
  visibility: Visibility,
): Promise<(after: number, limit: number) => Promise<number[]>> {
  if (iri !== undefined)
    return (after, limit) =>
      versionsOf(
        reads,
        area,
        { iris: [iri], after, before: end + 1, limit },
        (policies, former) =>
          visibility.seesVersion(policies) || (former !== null && visibility.sees(former)),
      );
  const seen = [
    ...(await seenValues(reads, area.id, 'policies', (value) => visibility.seesVersion(value))),
    ...(await seenValues(reads, area.id, 'former_policy', (value) => visibility.sees(value))),
  ];
  const { among } = reads.dialect;
  const conditions = (first: number): [string, Value[]] => [
    `AND (${among('e.class_name', first)} OR ${among('e.former_class', first)})`,
    [classes!],
  ];
  const wanted = { seen, before: end + 1, newestFirst: false, ...(classes && { conditions }) };
  return (after, limit) => seenRevisions(reads, area.id, { ...wanted, after, limit });
}

async function feedOneByOne(
  reads: Reads,
  { id, path }: AreaId,
  { after, iri, classes, limit, lastUpTo }: FeedQuery,
  visibility: Visibility | undefined,
): Promise<FeedPage> {
  const isWhole = !classes && !visibility;
  const isLast = lastUpTo !== undefined;
  const upTo = iri === undefined && isLast && isWhole ? Math.min(lastUpTo, after + WINDOW) : lastUpTo;
  const jumps = classes && iri === undefined;
  const step = isWhole ? limit : jumps ? STEP_OF_CLASSES : STEP;
  const columns = columnsOf(visibility ? 'in texts' : 'nowhere', isLast ? `NOT ${later('$4')}` : '1');
  const conditions = [
    'e.area = $1 AND e.revision > $2',
    ...(isLast ? ['e.revision <= $5'] : []),
    // As a caller sees it, another change may be the last one.
    ...(isLast && isWhole ? [`NOT ${later('$4')}`] : []),
    ...(iri === undefined ? [] : [`e.iri = ${isLast ? '$6' : '$4'}`]),
  ];
  const sql = `SELECT ${columns} FROM accession_entry e
    WHERE ${conditions.join(' AND ')}
    ORDER BY e.revision LIMIT CAST($3 AS BIGINT)`;
  const changesAgain = async ({ iri, revision }: FeedChange) => {
    const query = { after: revision, iri, classes, limit: 1 };
    const { changes } = await feedOneByOne(reads, { id, path }, query, visibility);
    return changes.some((later) => later.revision <= lastUpTo!);
  };
  const changes: FeedChange[] = [];
  let reached = after;
  const yieldIfDue = yielder();
  for (let read = 0; changes.length < limit && read < MOST_READ; read += step) {
    if (jumps) {
      const [next, revision] = await nextOfClasses(reads, id, reached, classes);
      if (next === undefined || next > (upTo ?? next))
        return { changes, reached: Math.max(reached, upTo ?? revision) };
      reached = next - 1;
    }
    const bounds: Value[] = isLast ? [lastUpTo, upTo!] : [];
    const values: Value[] = [id, reached, step, ...bounds, ...(iri === undefined ? [] : [iri])];
    await yieldIfDue();
    const rows = await reads.tuples<FeedRow>(sql, values);
    for (const row of rows) {
      const change = changeOf(row, classes, visibility);
      if (change && (row.at(-1) || !(await changesAgain(change)))) changes.push(change);
      reached = row[0];
      if (changes.length === limit) break;
    }
    if (rows.length < step) {
      if (changes.length < limit) reached = Math.max(reached, upTo ?? 0);
      break;
    }
  }
  return { changes, reached };
}

/** The next revision of which records had, or got, one of some classes, and that of the area. */
async function nextOfClasses(
  reads: Reads,
  area: number,
  after: number,
  classes: readonly string[],
): Promise<[next: number | undefined, revision: number]> {
  const next = (column: string) => `min((SELECT min(e.revision) FROM accession_entry e
    WHERE e.area = $1 AND e.${column} = d.value AND e.revision > $2))`;
  const [row] = await reads.tuples<[got: number | null, left: number | null, revision: number | null]>(
    `SELECT ${next('class_name')}, ${next('former_class')}, (SELECT revision FROM accession_area WHERE area = $1)
     FROM ${reads.dialect.values(3)} d`,
    [area, after, classes],
  );
  const [got, left, revision] = row!;
  const found = Math.min(got ?? Number.POSITIVE_INFINITY, left ?? Number.POSITIVE_INFINITY);
  return [Number.isFinite(found) ? found : undefined, revision ?? 0];
}

function changeOf(
  [
    revision,
    iri,
    pid,
    className,
    deleted,
    time,
    author,
    note,
    isNew,
    formerClass,
    former,
    json,
    ...named
  ]: FeedRow,
  classes: FeedQuery['classes'],
  visibility: Visibility | undefined,
): FeedChange | undefined {
  const before = formerClass ?? className;
  const isSelected = (name: string, text: string | null, policy: string | null) =>
    (classes?.includes(name) ?? true) &&
    (!visibility || (policy === null ? visibility.seesText(text ?? '{}') : visibility.sees(policy)));
  const [policy, formerPolicy] = named;
  const wasSeen = !isNew && isSelected(before, former, formerPolicy ?? policy);
  const isSeen = deleted === 0 && isSelected(className, json, policy);
  if (!wasSeen && !isSeen) return undefined;
  const { decision, batch, clock } = (note === null ? {} : JSON.parse(note)) as ChangeNote;
  return {
    revision,
    iri,
    time: timeOf(time),
    author,
    // The version that the caller does not see may have another pid and class.
    ...(isSeen || deleted === 1 ? { pid, className } : { pid: pidIn(former) ?? pid, className: before }),
    ...(decision !== undefined && { decision }),
    ...(batch !== undefined && { batch }),
    ...(clock !== undefined && { clock }),
    kind: isSeen ? (wasSeen ? 'replaced' : 'created') : 'deleted',
  };
}

function pidIn(json: string | null): string | undefined {
  const { pid } = JSON.parse(json ?? '{}') as { readonly pid?: string };
  return pid;
}
