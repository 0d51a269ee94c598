/** Reads of the entries of an area. */
import { yielder } from '../../yield.ts';
import { revisionBefore, revisionBy } from '../clocks.ts';
import type { Connection } from '../connection.ts';
import { readCursor } from '../cursors.ts';
import type { Database } from '../database.ts';
import type { Value } from '../dialect.ts';
import { revisionOf } from '../read/order.ts';
import type { Actor, AreaId, ChangeNote, Entry, EntryQuery } from '../store.ts';
import { microsecondsOf, timeOf } from '../times.ts';
import type { PolicyTag, Visibility } from '../visibility.ts';
import { asOfOneMoment, type Reads, seenRevisions, seenValues } from './seen-entries.ts';

type EntryRow = [
  revision: number,
  iri: string,
  pid: string,
  className: string,
  isDeleted: number,
  time: number,
  committer: string | null,
  author: string | null,
  role: Actor['role'] | null,
  note: string | null,
  json: string | null,
  deleted: string | null,
  former: string | null,
];

/** The text after a change: what the next change of the record replaced or, of the last one, the record. */
export const TEXT_AFTER = `CASE WHEN e.deleted = 1 THEN NULL ELSE coalesce(
    (SELECT n.former FROM accession_entry n
     WHERE n.area = e.area AND n.iri = e.iri AND n.revision > e.revision ORDER BY n.revision LIMIT 1),
    (SELECT r.json FROM accession_record r WHERE r.area = e.area AND r.iri = e.iri AND r.revision = e.revision)
  ) END`;
/** The text of a record now or, if it was deleted, before. */
export const LAST_TEXT = `coalesce(
  (SELECT r.json FROM accession_record r WHERE r.area = e.area AND r.iri = e.iri),
  (SELECT n.former FROM accession_entry n WHERE n.area = e.area AND n.iri = e.iri ORDER BY n.revision DESC LIMIT 1)
)`;
const COLUMNS = `e.revision, e.iri, e.pid, e.class_name, e.deleted, e.time, e.committer, e.author, e.role, e.note,
  ${TEXT_AFTER}`;

/**
 * Entries that satisfy a query, by revision. A caller sees an entry if the policies of its version and those of the record as it is
 * now, or was when it was deleted, are all among the caller's. The version of a deletion is the deleted one.
 */
export async function readEntries(
  database: Pick<Database, 'tuples' | 'dialect' | 'snapshot'>,
  area: AreaId,
  query: EntryQuery,
  { visibility, isIndexed }: Viewer,
): Promise<Entry[]> {
  // Without a tag, a caller sees every record or none.
  if (visibility && !visibility.tag && !visibility.sees('')) return [];
  if (!visibility?.tag) return entriesOneByOne(database, area, query, undefined);
  if (!(await isIndexed(visibility.tag))) return entriesOneByOne(database, area, query, visibility);
  if (query.iris ?? query.revisions) {
    const revisions = await versionsOf(database, area, query, (policies) => visibility.seesEntry(policies));
    return entriesAt(database, area, revisions, query);
  }
  return asOfOneMoment(database, async (reads) => {
    const { lastOnly, author, className, newestFirst = false, limit } = query;
    const { after, before } = await boundsOf(reads, area, query);
    const conditions = (first: number): [string, Value[]] => {
      const values = [author, className].filter((value) => value !== undefined);
      const columns = [
        ...(author === undefined ? [] : ['author']),
        ...(className === undefined ? [] : ['class_name']),
      ];
      const each = columns.map((column, at) => `AND e.${column} = $${first + at}`);
      return [[...each, ...(lastOnly ? [`AND ${IS_LAST}`] : [])].join(' '), values];
    };
    const isSelective = lastOnly || author !== undefined || className !== undefined;
    const revisions = await seenRevisions(reads, area.id, {
      seen: await seenValues(reads, area.id, 'policies', (value) => visibility.seesEntry(value)),
      after,
      newestFirst,
      limit,
      before: Math.min(before, (await revisionOf(reads, area)) + 1),
      ...(isSelective && { conditions }),
    });
    return entriesAt(reads, area, revisions, query);
  });
}

/** Who reads an area, and whether its entries can be found by the policies of a tag. */
export type Viewer = {
  readonly visibility: Visibility | undefined;
  readonly isIndexed: (tag: PolicyTag) => Promise<boolean>;
};

/** Changes of some records that are looked at together. */
const VERSIONS_AT_ONCE = 1000;

/** Of the entries of some records, or of some revisions, the revisions of those that are seen, by their columns of policies. */
export async function versionsOf(
  reads: Reads,
  area: AreaId,
  query: EntryQuery,
  isSeen: (policies: string, formerPolicy: string | null) => boolean,
): Promise<number[]> {
  const { newestFirst = false, limit } = query;
  let { after, before } = await boundsOf(reads, area, query);
  const found: number[] = [];
  const yieldIfDue = yielder();
  for (let step = limit; found.length < limit; step = VERSIONS_AT_ONCE) {
    const selected = { ...query, limit: step };
    const columns = 'e.revision, e.policies, e.former_policy';
    const rows = await rowsBetween<[number, string, string | null]>(
      ...([reads, area, selected, { after, before }, columns] as const),
    );
    for (const [revision, ...policies] of rows)
      if (found.length < limit && isSeen(...policies)) found.push(revision);
    if (rows.length < step) break;
    const last = rows.at(-1)![0];
    if (newestFirst) before = last;
    else after = last;
    await yieldIfDue();
  }
  return found;
}

async function entriesAt(
  reads: Reads,
  { id }: AreaId,
  revisions: readonly number[],
  { newestFirst }: EntryQuery,
): Promise<Entry[]> {
  if (revisions.length === 0) return [];
  const rows = await reads.tuples<EntryRow>(
    `SELECT ${COLUMNS}, NULL, NULL FROM accession_entry e
     WHERE e.area = $1 AND ${reads.dialect.among('e.revision', 2, 'bigint')}`,
    [id, revisions],
  );
  // An order would have PostgreSQL, which does not sort here, walk the index of the area.
  return rows.sort(([a], [b]) => (newestFirst ? b - a : a - b)).map(toEntry);
}

/** Reads entries in order, and leaves out those that the caller does not see: while the policies of entries are not known. */
async function entriesOneByOne(
  reads: Reads,
  area: AreaId,
  query: EntryQuery,
  visibility: Visibility | undefined,
): Promise<Entry[]> {
  const { newestFirst = false, limit } = query;
  let { after, before } = await boundsOf(reads, area, query);
  const found: Entry[] = [];
  const yieldIfDue = yielder();
  for (let step = limit; found.length < limit && before - after > 1; ) {
    const bounds = { after, before };
    const former = visibility
      ? 'CASE WHEN e.deleted = 1 THEN e.former END, NULL'
      : `NULL, ${query.withFormer ? 'e.former' : 'NULL'}`;
    const selected = { ...query, limit: step };
    const rows = await rowsBetween<EntryRow>(reads, area, selected, bounds, `${COLUMNS}, ${former}`);
    const seen = visibility && (await seenIris(reads, area, rows, visibility));
    for (const row of rows) {
      const [, iri, , , , , , , , , json, deleted] = row;
      const isSeen = !seen || (seen.has(iri) && visibility.seesText(json ?? deleted ?? '{}'));
      if (isSeen && found.length < limit) found.push(toEntry(row));
    }
    if (rows.length < step) break;
    const last = rows.at(-1)![0];
    if (newestFirst) before = last;
    else after = last;
    if (visibility) step = nextStep(rows);
    await yieldIfDue();
  }
  return found;
}

/** Behind hidden entries, a step reads this many, or this many characters if they are like the ones before. */
const ENTRIES_OF_STEP = 200;
const CHARACTERS_OF_STEP = 4_000_000;

function nextStep(rows: readonly EntryRow[]): number {
  const characters = rows.reduce((sum, row) => sum + (row[10]?.length ?? 0) + (row[11]?.length ?? 0), 0);
  return Math.ceil(Math.min(ENTRIES_OF_STEP, CHARACTERS_OF_STEP / (characters / rows.length + 1)));
}

/** The IRIs of rows whose records a caller sees, as they are now or, of deleted ones, were last. */
async function seenIris(
  reads: Reads,
  { id }: AreaId,
  rows: readonly EntryRow[],
  visibility: Visibility,
): Promise<Set<string>> {
  const texts = await reads.tuples<[iri: string, json: string | null]>(
    `SELECT e.iri, ${LAST_TEXT} FROM (SELECT CAST($1 AS bigint) AS area, value AS iri FROM ${reads.dialect.values(2)} v) e`,
    [id, [...new Set(rows.map(([, iri]) => iri))]],
  );
  return new Set(texts.flatMap(([iri, json]) => (visibility.seesText(json ?? '{}') ? iri : [])));
}

type Bounds = { readonly after: number; readonly before: number };

/** The entry is the last one of its record. */
const IS_LAST =
  'NOT EXISTS (SELECT 1 FROM accession_entry n WHERE n.area = e.area AND n.iri = e.iri AND n.revision > e.revision)';

async function rowsBetween<Row extends readonly unknown[]>(
  reads: Reads,
  { id }: AreaId,
  { iris, revisions, author, className, lastOnly, newestFirst, limit }: EntryQuery,
  { after, before }: Bounds,
  columns: string,
): Promise<Row[]> {
  const values: Value[] = [id, after, before, limit];
  const conditions = ['e.area = $1', 'e.revision > $2', 'e.revision < $3'];
  const require = (condition: (parameter: number) => string, value: Value) => {
    values.push(value);
    conditions.push(condition(values.length));
  };
  // With equality, the index has the order.
  if (iris?.length === 1) require((n) => `e.iri = $${n}`, iris[0]!);
  else if (iris) require((n) => reads.dialect.among('e.iri', n), iris);
  if (revisions) require((n) => reads.dialect.among('e.revision', n, 'bigint'), revisions);
  if (author !== undefined) require((n) => `e.author = $${n}`, author);
  if (className !== undefined) require((n) => `e.class_name = $${n}`, className);
  if (lastOnly) conditions.push(IS_LAST);
  return reads.tuples<Row>(
    `SELECT ${columns} FROM accession_entry e WHERE ${conditions.join(' AND ')}
     ORDER BY e.revision ${newestFirst ? 'DESC' : 'ASC'} LIMIT CAST($4 AS BIGINT)`,
    values,
  );
}

/** The revisions between which the entries of a query are. */
async function boundsOf(reads: Reads, area: AreaId, { since, until, ...query }: EntryQuery): Promise<Bounds> {
  let { after = 0, before = Number.MAX_SAFE_INTEGER } = query;
  if (since !== undefined)
    after = Math.max(after, await revisionBefore(reads, area, microsecondsOf(since) - 1));
  if (until !== undefined)
    before = Math.min(before, (await revisionBy(reads, area, microsecondsOf(until))) + 1);
  return { after, before };
}

/** The last revision up to a time of entries. Times rise with revisions, so it is found by bisection. */
export async function revisionDated(
  reads: Pick<Connection, 'tuples'>,
  area: AreaId,
  time: number,
): Promise<number> {
  const { id } = area;
  let [low, high] = [1, await revisionOf(reads, area)];
  let found = 0;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await reads.tuples<[revision: number, time: number]>(
      'SELECT revision, time FROM accession_entry WHERE area = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 1',
      [id, middle],
    );
    if (row && row[1] > time) high = row[0] - 1;
    else {
      found = row?.[0] ?? 0;
      low = middle + 1;
    }
  }
  return found;
}

/**
 * An entry that {@link RecordStore.prune} removes. Parameters are the area and the revision. The last entry of each record before
 * that stays: so the area can be read as it was then.
 */
const PRUNED = `area = $1 AND revision <= $2 AND EXISTS (SELECT 1 FROM accession_entry n
  WHERE n.area = accession_entry.area AND n.iri = accession_entry.iri AND n.revision > accession_entry.revision
    AND n.revision <= $2)`;
export const PRUNE = `DELETE FROM accession_entry WHERE ${PRUNED}`;

/** The cursor up to which entries may be missing. */
const CURSOR = 'pruned';
export const NOTE_PRUNED = `INSERT INTO accession_cursor (name, area, revision)
  SELECT '${CURSOR}', e.area, max(e.revision) FROM accession_entry e
  WHERE e.area = $1 AND e.revision <= $2 AND EXISTS (SELECT 1 FROM accession_entry WHERE ${PRUNED})
  GROUP BY e.area
  ON CONFLICT (name, area) DO UPDATE SET revision = excluded.revision`;

/** The first revision from which on every entry is kept, and the state of each record. */
export async function keptFrom(reads: Pick<Connection, 'tuples'>, { id }: AreaId): Promise<number> {
  return (await readCursor(reads, CURSOR, id))?.[0] ?? 0;
}

/** An index has it, so that a record which the caller does not see takes as long as a missing one. */
const LAST_DELETION = `SELECT max(revision) FROM accession_entry
  WHERE area = $1 AND iri = $2 AND deleted = 1 AND revision <= $3`;
/** Unless the record was stored again. */
const NOTE_OF_DELETION = `SELECT e.note FROM accession_entry e WHERE e.area = $1 AND e.revision = $4 AND NOT EXISTS
  (SELECT 1 FROM accession_entry l WHERE l.area = $1 AND l.iri = $2 AND l.revision > $4 AND l.revision <= $3)`;

/** Returns the note of the entry that has deleted a record, up to a revision; undefined if there is none, or if the record is there again. */
export async function lastDeletion(
  reads: Pick<Connection, 'tuples'>,
  { id }: AreaId,
  iri: string,
  revision = Number.MAX_SAFE_INTEGER,
): Promise<ChangeNote | undefined> {
  const upTo = [id, iri, revision];
  const [last] = await reads.tuples<[number | null]>(LAST_DELETION, upTo);
  const deleted = last?.[0] ?? undefined;
  if (deleted === undefined) return undefined;
  const [entry] = await reads.tuples<[string | null]>(NOTE_OF_DELETION, [...upTo, deleted]);
  return entry && (JSON.parse(entry[0] ?? '{}') as ChangeNote);
}

function toEntry(row: EntryRow): Entry {
  const [revision, iri, pid, className, deleted, time, committer, author, role, note, json, , former] = row;
  return {
    ...(note === null ? {} : (JSON.parse(note) as ChangeNote)),
    revision,
    iri,
    pid,
    className,
    time: timeOf(time),
    committer,
    author,
    role,
    json,
    ...(former !== null && { former }),
    kind: deleted === 1 ? 'delete' : 'put',
  };
}
