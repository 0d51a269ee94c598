/** Reads of the records of an area: by IRI, by their place in the order, by revision. */
import { ServiceError } from '../../errors.ts';
import type { Dialect, Value } from '../dialect.ts';
import type { Reader } from '../reader.ts';
import {
  type AreaId,
  compareKeys,
  type ListedRecord,
  LONGEST_TOGETHER,
  type Range,
  type RecordKey,
  type RowFilter,
  type StoredRecord,
} from '../store.ts';
import { seenColumns, type Visibility, type VisibilityProbe } from '../visibility.ts';
import {
  type BlockOrder,
  EVERY_RECORD,
  type OrderKey,
  type RecordFilter,
  type ScanPlan,
} from './block-order.ts';

/** An expression for statements of modules: what the record with an IRI has; NULL if there is none. */
export function ofRecord(column: 'pid' | 'policy', area: string, iri: string): string {
  return `(SELECT r.${column} FROM accession_record r WHERE r.area = ${area} AND r.iri = ${iri})`;
}

export type Reads = Reader & { readonly dialect: Dialect };

type KeyRow = [pid: string, iri: string, className: string];

const KEYS = 'r.pid, r.iri, r.class_name';

/** The records of a list have this many characters at most. */
export const MOST_LISTED_CHARACTERS = 32 * 1024 * 1024;

/** The text of a record among others; null if it is long. */
export const TEXT = `CASE WHEN octet_length(r.json) <= ${LONGEST_TOGETHER} THEN r.json END`;

/** A row of several, with the id of its record. */
export type RowOfMany = Omit<StoredRecord, 'json'> & {
  readonly id: number;
  readonly json: string | null;
  readonly policy: string;
};
const KEYS_OF_MANY = `r.id, ${KEYS} AS "className", r.policy`;
const OF_MANY = `${KEYS_OF_MANY}, ${TEXT} AS json, r.revision`;

/**
 * The text of a row that has none since it is long; undefined if the record was deleted meanwhile or, with a revision, if it has
 * another one by now. Texts that are there wait for nothing: a page has thousands.
 */
export async function longText(
  reads: Reads,
  { id }: Pick<RowOfMany, 'id'>,
  revision?: number,
): Promise<string | undefined> {
  const [row] = await reads.tuples<[json: string, revision: number]>(
    'SELECT json, revision FROM accession_record WHERE id = $1',
    [id],
  );
  return revision === undefined || row?.[1] === revision ? row?.[0] : undefined;
}

/** @throws ServiceError `too_many_records` for texts that are too long together */
async function listOf(reads: Reads, rows: readonly RowOfMany[]): Promise<ListedRecord[]> {
  const found: ListedRecord[] = [];
  let characters = 0;
  for (const row of rows) {
    const { pid, iri, className } = row;
    const json = row.json ?? (await longText(reads, row));
    if (json === undefined) continue;
    characters += json.length;
    if (characters > MOST_LISTED_CHARACTERS) throw tooLongTogether(rows.length);
    found.push({ pid, iri, className, json });
  }
  return found;
}

/** The records of areas under an IRI, at one moment. */
type FirstRecord = {
  /** The record of the first area that has one. */
  readonly found?: { readonly area: AreaId; readonly record: StoredRecord };
  /** The revisions of the areas. */
  readonly revisions: readonly number[];
};

type SeenRow = [area: number, revision: number, ...VisibilityProbe];
type StoredRow = [
  area: number,
  revision: number,
  pid: string | null,
  iri: string,
  className: string,
  json: string,
  recordRevision: number,
  policy: string,
];

/** Looks an IRI up in areas, the first one first, and reads their revisions with it. */
export async function firstRecord(
  reads: Reads,
  areas: readonly AreaId[],
  iri: string,
  visibility: Visibility | undefined,
): Promise<FirstRecord> {
  if (!visibility) return firstStored(reads, areas, iri, () => true);
  const rows = await rowsOfAreas<SeenRow>(reads, areas, iri, { columns: seenColumns('a.area', '$1') });
  const area = areas[rows.findIndex(([, , ...seen]) => visibility.seesRecord(iri, ...seen))];
  // It may have been stored with another policy meanwhile.
  const isSeen = (policy: string) => visibility.sees(policy);
  const { found } = area ? await firstStored(reads, [area], iri, isSeen) : {};
  return { ...(found && { found }), revisions: rows.map(([, revision]) => revision) };
}

async function firstStored(
  reads: Reads,
  areas: readonly AreaId[],
  iri: string,
  isSeen: (policy: string) => boolean,
): Promise<FirstRecord> {
  const rows = await rowsOfAreas<StoredRow>(reads, areas, iri, STORED);
  const revisions = rows.map(([, revision]) => revision);
  const at = rows.findIndex(([, , pid, , , , , policy]) => pid !== null && isSeen(policy));
  const [area, row] = [areas[at], rows[at]];
  if (!area || !row) return { revisions };
  const [, , pid, found, className, json, revision] = row;
  return { found: { area, record: { pid: pid!, iri: found, className, json, revision } }, revisions };
}

const STORED = {
  columns: 'r.pid, r.iri, r.class_name, r.json, r.revision, r.policy',
  join: 'LEFT JOIN accession_record r ON r.area = a.area AND r.iri = $1',
};

/** A row for each area, in the order of the areas. */
async function rowsOfAreas<Row extends readonly [number, ...unknown[]]>(
  reads: Reads,
  areas: readonly AreaId[],
  iri: string,
  { columns, join = '' }: { readonly columns: string; readonly join?: string },
): Promise<Row[]> {
  const ids = areas.map(({ id }) => id);
  const rows = await reads.tuples<Row>(
    `SELECT a.area, a.revision, ${columns} FROM accession_area a ${join}
     WHERE a.area IN (${ids.map((_, at) => `$${at + 2}`).join(', ')})`,
    [iri, ...ids],
  );
  return rows.sort((a, b) => ids.indexOf(a[0]) - ids.indexOf(b[0]));
}

/** The refusal of a list of records that are too long together. */
export function tooLongTogether(records: number): ServiceError {
  return new ServiceError(
    'too_many_records',
    `The ${records} records have more than ${MOST_LISTED_CHARACTERS} characters together. Read fewer at a time.`,
  );
}

/** The record of a row; undefined if it was deleted meanwhile. */
export async function recordOf(reads: Reads, row: RowOfMany): Promise<StoredRecord | undefined> {
  const { pid, iri, className, revision } = row;
  const json = row.json ?? (await longText(reads, row));
  return json === undefined ? undefined : { pid, iri, className, json, revision };
}

/** The records that there are of some IRIs, in any order: long ones one after the other. */
export async function* recordsOf(
  reads: Reads,
  { id }: AreaId,
  iris: readonly string[],
  visibility: Visibility | undefined,
): AsyncGenerator<StoredRecord> {
  const seen = visibility ? await seenOf(reads, id, iris, visibility) : iris;
  if (seen.length === 0) return;
  const rows = await reads.read<RowOfMany>(
    `SELECT ${OF_MANY} FROM accession_record r WHERE r.area = $1 AND ${reads.dialect.among('r.iri', 2)}`,
    [id, seen],
  );
  for (const row of rows) {
    // It may have been stored with another policy meanwhile.
    const record = (visibility?.sees(row.policy) ?? true) ? await recordOf(reads, row) : undefined;
    if (record) yield record;
  }
}

/** Of some IRIs, those whose records are seen. */
async function seenOf(
  reads: Reads,
  area: number,
  iris: readonly string[],
  visibility: Visibility,
): Promise<string[]> {
  if (iris.length === 0) return [];
  const rows = await reads.tuples<[iri: string, ...VisibilityProbe]>(
    `SELECT d.value, ${seenColumns('$1', 'd.value')} FROM ${reads.dialect.values(2)} d`,
    [area, iris],
  );
  return rows.flatMap((row) => (visibility.seesRecord(...row) ? row[0] : []));
}

/** The records of ids, in the order of the ids. @throws ServiceError `too_many_records` */
export async function listById(
  reads: Reads,
  ids: readonly number[],
  visibility: Visibility | undefined,
): Promise<ListedRecord[]> {
  const byId = new Map((await rowsById(reads, ids)).map((row) => [row.id, row]));
  const rows = ids.flatMap((id) => byId.get(id) ?? []);
  // They may have been stored with other policies since they were found.
  return listOf(reads, visibility ? rows.filter(({ policy }) => visibility.sees(policy)) : rows);
}

/** Records of ids that are read at a time. */
export const READ_AT_ONCE = 200;

/** The records of ids that a caller sees; of an area, those that a filter selects. Those that are read together are in order. */
export async function* recordsById(
  reads: Reads,
  ids: ArrayLike<number>,
  visibility: Visibility | undefined,
  area?: AreaId,
  filter?: RowFilter,
): AsyncGenerator<StoredRecord & { readonly id: number }> {
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = Array.from(
      { length: Math.min(READ_AT_ONCE, ids.length - from) },
      (_, at) => ids[from + at]!,
    );
    for (const row of await rowsById(reads, some, area, filter)) {
      // It may have been stored with another policy meanwhile.
      const record = (visibility?.sees(row.policy) ?? true) ? await recordOf(reads, row) : undefined;
      if (record) yield { ...record, id: row.id };
    }
  }
}

/** The rows of ids, in order; of an area, those that a filter selects. */
export async function rowsById(
  reads: Reads,
  ids: readonly number[],
  area?: AreaId,
  filter?: RowFilter,
): Promise<RowOfMany[]> {
  return (await selectById<RowOfMany>(reads, OF_MANY, ids, area, filter)).sort(compareKeys);
}

/** The keys of records by their ids, in any order. */
export function keysById(
  reads: Reads,
  ids: readonly number[],
  area: AreaId,
  filter: RowFilter,
): Promise<Omit<RowOfMany, 'json' | 'revision'>[]> {
  return selectById(reads, KEYS_OF_MANY, ids, area, filter);
}

/** The records under IRIs with their ids, in any order. */
export async function idsUnder(
  reads: Reads,
  { id }: AreaId,
  iris: readonly string[],
): Promise<(RecordKey & Pick<RowOfMany, 'id' | 'policy'>)[]> {
  return reads.read(
    `SELECT ${KEYS_OF_MANY} FROM accession_record r
     WHERE r.area = $1 AND ${reads.dialect.among('r.iri', 2)}`,
    [id, iris],
  );
}

function selectById<Row extends object>(
  reads: Reads,
  columns: string,
  ids: readonly number[],
  area?: AreaId,
  filter: RowFilter = EVERY_RECORD,
): Promise<Row[]> {
  const values: Value[] = [ids];
  // The sign keeps databases from walking the area.
  const within = area ? `AND +r.area = $${values.push(area.id)}` : '';
  return reads.read<Row>(
    `SELECT ${columns} FROM accession_record r WHERE ${reads.dialect.among('r.id', 1, 'bigint')}
     ${within} ${whereFilter(reads, filter, 'r', values)}`,
    values,
  );
}

/** Of these IRIs, the keys of the records that there are. */
export async function keysOf(
  reads: Reads,
  { id }: AreaId,
  iris: readonly string[],
  visibility: Visibility | undefined,
): Promise<RecordKey[]> {
  const seen = visibility ? await seenOf(reads, id, iris, visibility) : iris;
  if (seen.length === 0) return [];
  const rows = await reads.tuples<[...KeyRow, policy: string]>(
    `SELECT ${KEYS}, r.policy FROM accession_record r WHERE r.area = $1 AND ${reads.dialect.among('r.iri', 2)}`,
    [id, seen],
  );
  // They may have been stored with another policy meanwhile.
  return rows.filter((row) => visibility?.sees(row[3]) ?? true).map(toKey);
}

/** Of these IRIs, the ones that have a record; indexes alone are read. */
export async function existingIris(
  reads: Reads,
  { id }: AreaId,
  iris: readonly string[],
  visibility: Visibility | undefined,
): Promise<string[]> {
  if (visibility) return seenOf(reads, id, iris, visibility);
  if (iris.length === 0) return [];
  const rows = await reads.tuples<[string]>(
    `SELECT iri FROM accession_record WHERE area = $1 AND ${reads.dialect.among('iri', 2)}`,
    [id, iris],
  );
  return rows.map(([iri]) => iri);
}

/** A condition for a filter; the values of the statement grow by what it compares with. */
function whereFilter(
  { dialect }: Reads,
  { classes, policies }: RowFilter,
  alias: string,
  values: Value[],
): string {
  const conditions = (
    [
      ['class_name', classes],
      ['policy', policies],
    ] as const
  ).map(([column, wanted]) =>
    wanted ? `AND ${dialect.among(`${alias}.${column}`, values.push(wanted))}` : '',
  );
  return conditions.join(' ');
}

/** The number of selected records whose pid is before this one. */
export async function rankOf(
  reads: Reads,
  blocks: BlockOrder,
  { id }: AreaId,
  filter: RecordFilter,
  pid: string,
): Promise<number> {
  const { start, count } = blocks.before(filter, { pid, iri: '' });
  const values: Value[] = [id, start.pid, start.iri, pid];
  const [row] = await reads.tuples<[number]>(
    `SELECT count(*) FROM accession_record k WHERE k.area = $1 AND (k.pid, k.iri) >= ($2, $3) AND k.pid < $4
     ${whereFilter(reads, filter, 'k', values)}`,
    values,
  );
  return count + row![0];
}

/**
 * A range of the order.
 *
 * @throws ServiceError `too_many_records`
 */
export async function listRecords(
  reads: Reads,
  blocks: BlockOrder,
  { id }: AreaId,
  filter: RecordFilter,
  { offset, limit }: Range,
): Promise<ListedRecord[]> {
  const total = blocks.total(filter);
  const wanted = Math.min(limit, total - offset);
  if (wanted <= 0) return [];
  const { start, skip } = blocks.locate(filter, offset);
  const everything = blocks.total(EVERY_RECORD);
  const plan = total === everything ? EVERY_RECORD : blocks.planOf(filter);
  const stretch = { from: start, isBehind: false, offset: skip, limit: wanted };
  return listOf(reads, await rowsAlong(reads, id, plan, stretch));
}

/** Every selected row behind a key, in order, with memory that does not grow with the area. */
export async function* rowsInOrder(
  reads: Reads,
  { id }: AreaId,
  plan: ScanPlan,
  after: OrderKey = { pid: '', iri: '' },
): AsyncGenerator<RowOfMany> {
  if (plan.classes?.length === 0 || plan.policies?.length === 0) return;
  const step = { isBehind: true, offset: 0, limit: ROWS_AT_ONCE };
  for (let from: OrderKey | undefined = after; from; ) {
    const rows: RowOfMany[] = await rowsAlong(reads, id, plan, { ...step, from });
    yield* rows;
    from = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
  }
}

/** Selected rows from a key on, or behind it. */
function rowsAlong(
  reads: Reads,
  area: number,
  plan: ScanPlan,
  { from, isBehind, offset, limit }: Stretch,
): Promise<RowOfMany[]> {
  const values: Value[] = [area, from.pid, from.iri, limit, offset];
  // Skipped and hidden records are passed in the index alone.
  const keys = `SELECT k.id, k.pid, k.iri FROM accession_record k
    WHERE k.area = $1 AND (k.pid, k.iri) ${isBehind ? '>' : '>='} ($2, $3)
    ${whereFilter(reads, { ...plan, ...(plan.merged && { [plan.merged]: undefined }) }, 'k', values)}`;
  const merged = plan.merged && plan[plan.merged];
  // The index of policies is of the records that name one.
  const column = plan.merged === 'policies' ? `k.policy <> '' AND k.policy` : 'k.class_name';
  // Orders are merged while they are walked, as far as the page needs.
  const source = merged?.map((value) => `${keys} AND ${column} = $${values.push(value)}`) ?? [keys];
  return reads.read<RowOfMany>(
    `SELECT ${OF_MANY} FROM (
       ${source.join(' UNION ALL ')}
       ORDER BY pid, iri LIMIT CAST($4 AS BIGINT) OFFSET CAST($5 AS BIGINT)
     ) k JOIN accession_record r ON r.id = k.id ORDER BY k.pid, k.iri`,
    values,
  );
}

type Stretch = Range & { readonly from: OrderKey; readonly isBehind: boolean };

/** Rows that are read at a time. */
const ROWS_AT_ONCE = 200;

function toKey([pid, iri, className]: readonly [...KeyRow, ...unknown[]]): RecordKey {
  return { pid, iri, className };
}
