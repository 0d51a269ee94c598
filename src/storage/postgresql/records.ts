/** Reads of records: by IRI, by their place in the order, by revision. */

import type { ClassSet, OrderKey } from '../block-order.ts';
import { compareKeys, type Range, type RecordKey, type StoredChange, type StoredRecord } from '../store.ts';
import { type DatabaseArea, readWithBlocks, refresh, type Seen } from './area.ts';
import type { Run } from './database.ts';
import { comparable, indexKey, pidColumns } from './keys.ts';
import { KEY_ROW_COLUMNS, type RecordRow, ROW_COLUMNS, toRecord } from './rows.ts';

export async function get({ database, id }: DatabaseArea, iri: string): Promise<StoredRecord | undefined> {
  const [row] = await database.query<RecordRow>(
    `SELECT ${ROW_COLUMNS} FROM accession_record r WHERE area = $1 AND iri_key = $2`,
    [id, indexKey(iri)],
  );
  return row && toRecord(row);
}

/** The records of these IRIs that are there, in any order. */
export async function getMany(
  { database, id }: DatabaseArea,
  iris: readonly string[],
): Promise<StoredRecord[]> {
  if (iris.length === 0) return [];
  const rows = await database.query<RecordRow>(
    `SELECT ${ROW_COLUMNS} FROM accession_record r WHERE area = $1 AND iri_key = ANY ($2)`,
    [id, iris.map(indexKey)],
  );
  return rows.map(toRecord);
}

export async function keysOf({ database, id }: DatabaseArea, iris: readonly string[]): Promise<RecordKey[]> {
  if (iris.length === 0) return [];
  const rows = await database.query<RecordRow>(
    `SELECT ${KEY_ROW_COLUMNS} FROM accession_record r WHERE area = $1 AND iri_key = ANY ($2)`,
    [id, iris.map(indexKey)],
  );
  return rows.map(toRecord).map(({ pid, iri, className }) => ({ pid, iri, className }));
}

export async function revision({ database, id }: DatabaseArea): Promise<number> {
  const rows = await database.query<{ revision: number }>(
    'SELECT revision FROM accession_area WHERE area = $1',
    [id],
  );
  return rows[0]?.revision ?? 0;
}

/** Brings what is known of the order of the area up to date, before a walk that goes without its blocks. */
export async function requireOrder(area: DatabaseArea): Promise<void> {
  await area.database.snapshot((run) => refresh(run, area));
}

export function countRecords(area: DatabaseArea, classes: ClassSet): Promise<number> {
  return readWithBlocks(area, async (run, { id, blocks }) => {
    const result = blocks.total(classes);
    const rows = await run<{ revision: number }>('SELECT revision FROM accession_area WHERE area = $1', [id]);
    return { revision: rows[0]?.revision ?? 0, result };
  });
}

/** The number of records of the classes whose pid is before this one. */
export function rank(area: DatabaseArea, classes: ClassSet, pid: string): Promise<number> {
  const place = { pid: comparable(pid), iri: '' };
  return readWithBlocks(area, async (run, { id, blocks, hasLongKeys }) => {
    const { start, count } = blocks.before(classes, place);
    const from = placeColumns(start);
    const { start: pidStart, end: pidEnd } = pidColumns(place.pid);
    const before = hasLongKeys
      ? '(pid_start, pid_end) < ($5, $6) AND pid_start <= $5'
      : `pid_start < $5::text || $6::text`;
    const [row] = await run<{ revision: number; n: number }>(
      `SELECT a.revision, (
         SELECT count(*) FROM accession_record r
         WHERE area = $1 AND ${fromPlace(hasLongKeys)} AND ${before} ${classes ? 'AND class_name = ANY ($7)' : ''}
       ) AS n FROM accession_area a WHERE a.area = $1`,
      [id, ...from, pidStart, pidEnd, ...(classes ? [classes] : [])],
    );
    return { revision: row?.revision ?? 0, result: count + (row?.n ?? 0) };
  });
}

export async function listRecords(
  area: DatabaseArea,
  classes: ClassSet,
  { offset, limit }: Range,
): Promise<StoredRecord[]> {
  if (limit <= 0) return [];
  return readWithBlocks(area, async (run, current) => {
    const { blocks } = current;
    const total = blocks.total(classes);
    const page = Math.max(0, Math.min(limit, total - offset));
    const { start, skip } = blocks.locate(classes, offset);
    const populated = blocks.populated(classes);
    const steps = ((skip + page) * blocks.total(undefined)) / total;
    const merge = populated.length * (skip + page) < steps;
    const { sql, values } = !merge
      ? oneOrder(current, classes, start, page, skip)
      : populated.length === 1
        ? oneClass(current, populated[0] as string, start, page, skip)
        : classOrders(current, populated, start, page, skip);
    return records(await run<SeenRow>(sql, values));
  });
}

/** The records of the classes after a place, for walking through all of them. */
export async function after(
  area: DatabaseArea,
  classes: ClassSet,
  place: OrderKey,
  limit: number,
): Promise<StoredRecord[]> {
  const { database, id, blocks, hasLongKeys } = area;
  // The counts only decide which index is walked, so they may be those of a moment ago.
  const oneByOne = !classes || classes.length * blocks.total(classes) >= blocks.total(undefined);
  const later = `area = $1 AND ${fromPlace(hasLongKeys, '>')}`;
  const inOrder = `ORDER BY ${order(hasLongKeys)} LIMIT $5`;
  const sql = oneByOne
    ? `SELECT ${ROW_COLUMNS} FROM accession_record r
       WHERE ${later} ${classes ? 'AND class_name = ANY ($6)' : ''} ${inOrder}`
    : `SELECT r.* FROM unnest($6::text[]) AS c (name) CROSS JOIN LATERAL (
         SELECT ${ROW_COLUMNS} FROM accession_record r WHERE class_name = c.name AND ${later} ${inOrder}
       ) r ${inOrder}`;
  const rows = await database.query<RecordRow>(sql, [
    id,
    ...placeColumns(place),
    limit,
    ...(classes ? [classes] : []),
  ]);
  return rows.map(toRecord);
}

/** The condition on entries `e` that may be the last ones of their records: the texts of others were moved to them. */
export const NEWEST = 'e.area = $1 AND e.json IS NULL';

/** The record of an entry `e`, if that is its last one. Each is looked up by itself, whatever the planner expects. */
export const RECORD_OF_ENTRY = `LATERAL (
  SELECT ${ROW_COLUMNS} FROM accession_record r
  WHERE r.area = $1 AND NOT e.deleted AND r.iri_key = e.iri_key AND r.revision = e.revision LIMIT 1
) r`;

type ChangeRow = RecordRow & {
  readonly seen: number;
  readonly key: string;
  readonly long: string | null;
  readonly gone: string | null;
};

/**
 * Changes after a revision: of each IRI the last one. Entries lead to them: an index of records by revision would have to
 * be changed whenever a record is replaced.
 */
export async function changesSince(
  { database, id }: DatabaseArea,
  since: number,
  limit: number,
): Promise<StoredChange[]> {
  const found: StoredChange[] = [];
  for (let after = since; ; ) {
    const wanted = limit - found.length;
    const rows = await database.query<ChangeRow>(
      `SELECT e.revision AS seen, e.iri_key AS key, e.iri_long AS long, t.pid AS gone, r.*
       FROM (SELECT * FROM accession_entry e WHERE ${NEWEST} AND e.revision > $2 ORDER BY e.revision LIMIT $3) e
       LEFT JOIN ${RECORD_OF_ENTRY} ON true
       LEFT JOIN LATERAL (
         SELECT t.pid FROM accession_tombstone t
         WHERE t.area = $1 AND e.deleted AND t.iri_key = e.iri_key AND t.revision = e.revision LIMIT 1
       ) t ON true
       ORDER BY e.revision`,
      [id, after, wanted],
    );
    for (const row of rows) {
      if (row.gone !== null)
        found.push({ kind: 'delete', iri: row.long ?? row.key, pid: row.gone, revision: row.seen });
      else if (row.iri_key !== null) found.push({ kind: 'put', record: toRecord(row) });
    }
    // Entries of deletions whose records were stored again are passed over.
    if (rows.length < wanted || found.length === limit) return found;
    after = rows.at(-1)?.seen ?? after;
  }
}

/** The keys of all records from a place on, up to another one. */
export async function keysBetween(
  run: Run,
  { id, hasLongKeys }: DatabaseArea,
  start: OrderKey,
  end: OrderKey | undefined,
): Promise<RecordKey[]> {
  const before = hasLongKeys
    ? '(pid_start, pid_end, coalesce(iri_long, iri_key)) < ($5, $6, $7)'
    : '(pid_start, iri_key) < ($5::text || $6::text, $7)';
  const rows = await run<RecordRow>(
    `SELECT ${KEY_ROW_COLUMNS} FROM accession_record r
     WHERE area = $1 AND ${fromPlace(hasLongKeys)} ${end ? `AND ${before}` : ''} ORDER BY ${order(hasLongKeys)}`,
    [id, ...placeColumns(start), ...(end ? placeColumns(end) : [])],
  );
  return rows.map(toRecord);
}

type SeenRow = RecordRow & { readonly area_revision: number };
type Statement = { readonly sql: string; readonly values: readonly unknown[] };

/** Steps through the order of all records from a place on: right for classes that are much of it. */
function oneOrder(
  area: DatabaseArea,
  classes: ClassSet,
  start: OrderKey,
  limit: number,
  skip: number,
): Statement {
  const filter = classes ? 'class_name = ANY ($7)' : undefined;
  return alongOneIndex(area, filter, start, limit, skip, classes ? [classes] : []);
}

/** Steps through the order of one class. */
function oneClass(area: DatabaseArea, name: string, start: OrderKey, limit: number, skip: number): Statement {
  return alongOneIndex(area, 'class_name = $7', start, limit, skip, [name]);
}

/**
 * Steps along an index: what is skipped is passed in the index alone, and from the first record of the page on, the index
 * leads to the records.
 */
function alongOneIndex(
  { id, hasLongKeys }: DatabaseArea,
  filter: string | undefined,
  start: OrderKey,
  limit: number,
  skip: number,
  more: readonly unknown[],
): Statement {
  const those = `r.area = $1 ${filter ? `AND r.${filter}` : ''}`;
  const inOrder = `ORDER BY ${order(hasLongKeys)}`;
  const values = [id, ...placeColumns(start), limit, skip, ...more];
  const from = `FROM accession_record r WHERE ${those} AND ${fromPlace(hasLongKeys)} ${inOrder}`;
  // Of long keys the index has only the beginning, so the record at which a page begins is found by counting.
  if (hasLongKeys) {
    return { sql: withRevision(recordsOf(`SELECT r.iri_key ${from} LIMIT $5 OFFSET $6`)), values };
  }
  const sql = `
    SELECT r.* FROM (SELECT r.pid_start, r.iri_key ${from} LIMIT 1 OFFSET $6) first CROSS JOIN LATERAL (
      SELECT ${ROW_COLUMNS} FROM accession_record r
      WHERE ${those} AND (r.pid_start, r.iri_key) >= (first.pid_start, first.iri_key) ${inOrder} LIMIT $5
    ) r`;
  return { sql: withRevision(sql), values };
}

/** Merges the orders of single classes: right for classes that are few among many records. */
function classOrders(
  { id, hasLongKeys }: DatabaseArea,
  classes: readonly string[],
  start: OrderKey,
  limit: number,
  skip: number,
): Statement {
  return {
    sql: withRevision(
      recordsOf(`
        SELECT r.iri_key FROM unnest($8::text[]) AS c (name) CROSS JOIN LATERAL (
          SELECT r.iri_key, ${hasLongKeys ? 'r.pid_start, r.pid_end, r.iri_long' : 'r.pid_start'}
          FROM accession_record r WHERE area = $1 AND class_name = c.name AND ${fromPlace(hasLongKeys)}
          ORDER BY ${order(hasLongKeys)} LIMIT $7
        ) r ORDER BY ${order(hasLongKeys)} LIMIT $5 OFFSET $6`),
    ),
    values: [id, ...placeColumns(start), limit, skip, skip + limit, classes],
  };
}

/**
 * The records of keys. The keys are found in the index alone, so that records that are skipped are not read; each record
 * is then looked up by itself.
 */
const recordsOf = (keys: string) => `
  SELECT r.* FROM (${keys}) k CROSS JOIN LATERAL (
    SELECT ${ROW_COLUMNS} FROM accession_record r WHERE r.area = $1 AND r.iri_key = k.iri_key LIMIT 1
  ) r`;

/** The rows of a statement, or one row without a record, with the revision of the area that they are from. */
const withRevision = (sql: string) =>
  `SELECT a.revision AS area_revision, r.* FROM accession_area a LEFT JOIN LATERAL (${sql}) r ON true
   WHERE a.area = $1`;

function records(rows: readonly SeenRow[]): Seen<StoredRecord[]> {
  const found = rows.filter(({ iri_key }) => iri_key !== null).map(toRecord);
  return { revision: rows[0]?.area_revision ?? 0, result: found.sort(compareKeys) };
}

/**
 * The condition that a record is at or after a place; takes {@link placeColumns} as $2 to $4. The index of the order
 * has what fits into it. Where that is not all, the rest decides among records whose pids begin alike.
 */
function fromPlace(hasLongKeys: boolean, operator: '>=' | '>' = '>='): string {
  return hasLongKeys
    ? `pid_start >= $2 AND (pid_start, pid_end, coalesce(iri_long, iri_key)) ${operator} ($2, $3, $4)`
    : `(pid_start, iri_key) ${operator} ($2::text || $3::text, $4)`;
}

const PLAIN = 'pid_start, iri_key';
const order = (hasLongKeys: boolean) =>
  hasLongKeys ? 'pid_start, pid_end, coalesce(iri_long, iri_key)' : PLAIN;

function placeColumns({ pid, iri }: OrderKey): [string, string, string] {
  const { start, end } = pidColumns(pid);
  return [start, end, iri];
}
