/** Reads of several areas as one: their records by pid, and those under the same IRIs. */
import { type Effort, ROWS_AT_ONCE } from '../search/effort.ts';
import { type AreaId, compareKeys } from '../store.ts';
import type { Reads, RowOfMany } from './records.ts';

type KeyRow = Omit<RowOfMany, 'json' | 'revision'>;

export type PageOrder = {
  readonly descending: boolean;
  readonly range: { readonly offset: number; readonly limit: number };
  readonly effort: Effort;
  /** All that are in it, if they are few. */
  readonly ids?: readonly number[];
  /** Their classes, if they are few: others are not walked. */
  readonly classes?: readonly string[];
  /** @param area the number of its area among those that are read */
  isIn(row: KeyRow, area: number): boolean;
};

/** A range of the records of areas that are in an order, as ids. */
export async function inPidOrder(
  reads: Reads,
  areas: readonly AreaId[],
  order: PageOrder,
): Promise<number[]> {
  const { descending, range, effort, ids, classes = [undefined], isIn } = order;
  const direction = descending ? -1 : 1;
  const compare = (a: KeyRow, b: KeyRow) => direction * compareKeys(a, b);
  if (ids) {
    const rows = await reads.tuples<[number]>(
      `SELECT r.id FROM accession_record r WHERE ${reads.dialect.among('r.id', 1, 'bigint')}
       ORDER BY r.pid ${descending ? 'DESC' : 'ASC'}, r.iri ${descending ? 'DESC' : 'ASC'}
       LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)`,
      [ids, range.limit, range.offset],
    );
    await effort.spend(ids.length);
    return rows.map(([id]) => id);
  }
  const sources = areas.flatMap((area, number) =>
    classes.map((className) => ({
      area,
      number,
      className,
      rows: [] as KeyRow[],
      at: 0,
      read: effort.bounds.first,
      isEnd: false,
    })),
  );
  const page: KeyRow[] = [];
  for (let passed = 0; page.length < range.limit; ) {
    let next: { readonly row: KeyRow; readonly from: number } | undefined;
    for (const [from, source] of sources.entries()) {
      if (source.at === source.rows.length && !source.isEnd) {
        source.rows = await rowsBehind(reads, source, descending);
        await effort.spend(source.rows.length);
        source.isEnd = source.rows.length < source.read;
        source.read = Math.min(ROWS_AT_ONCE, 4 * source.read);
        source.at = 0;
      }
      const row = source.rows[source.at];
      if (row && (!next || compare(row, next.row) < 0)) next = { row, from };
    }
    if (!next) break;
    sources[next.from]!.at += 1;
    if (!isIn(next.row, sources[next.from]!.number)) continue;
    if (passed >= range.offset) page.push(next.row);
    passed += 1;
  }
  return idsOf(page);
}

/** No pid begins so. */
const BEHIND_ALL = '\u{10FFFF}'.repeat(9);
const idsOf = (rows: readonly KeyRow[]) => rows.map(({ id }) => id);

/** A walk through an area, or through a class of it. */
type Source = {
  readonly area: AreaId;
  readonly className: string | undefined;
  /** The rows that were read last. */
  readonly rows: readonly KeyRow[];
  /** How many are read next. */
  readonly read: number;
};

function rowsBehind(
  reads: Reads,
  { area: { id }, className, rows, read }: Source,
  descending: boolean,
): Promise<KeyRow[]> {
  const order = descending ? 'DESC' : 'ASC';
  const { pid, iri } = rows.at(-1) ?? { pid: descending ? BEHIND_ALL : '', iri: '' };
  const ofClass = className === undefined ? '' : 'AND k.class_name = $4';
  return reads.read<KeyRow>(
    `SELECT k.id, k.pid, k.iri, k.class_name AS "className", k.policy FROM accession_record k
     WHERE k.area = $1 ${ofClass} AND (k.pid, k.iri) ${descending ? '<' : '>'} ($2, $3) ORDER BY k.pid ${order}, k.iri ${order} LIMIT ${read}`,
    [id, pid, iri, ...(className === undefined ? [] : [className])],
  );
}

/** A record of an area, and the policy of that of another area under its IRI. */
type Pair = Pick<KeyRow, 'id' | 'className' | 'policy'> & { readonly iri: string; readonly own: string };
const PAIRS_AT_ONCE = 2000;

/** The records of an area under whose IRIs another one has records, too. */
export async function* pairsOf(reads: Reads, top: AreaId, below: AreaId): AsyncGenerator<Pair[]> {
  const [counts] = await reads.tuples<[top: number, below: number]>(
    `SELECT (SELECT records FROM accession_area WHERE area = $1), (SELECT records FROM accession_area WHERE area = $2)`,
    [top.id, below.id],
  );
  // The statement goes through the smaller area.
  const [walked, other] = counts![0] <= counts![1] ? ['z', 'c'] : ['c', 'z'];
  for (let last = ''; ; ) {
    const iris = await reads.tuples<[string]>(
      `SELECT iri FROM accession_record WHERE area = $1 AND iri > $2 ORDER BY iri LIMIT ${PAIRS_AT_ONCE}`,
      [(walked === 'z' ? top : below).id, last],
    );
    if (iris.length === 0) return;
    const values = [top.id, below.id, last, iris.at(-1)![0]];
    yield await reads.read<Pair>(
      `SELECT c.id, c.class_name AS "className", c.policy, z.policy AS own, c.iri
       FROM accession_record ${walked} JOIN accession_record ${other} ON ${other}.area = ${other === 'z' ? '$1' : '$2'}
         AND ${other}.iri = ${walked}.iri
       WHERE ${walked}.area = ${walked === 'z' ? '$1' : '$2'} AND ${walked}.iri > $3 AND ${walked}.iri <= $4`,
      values,
    );
    last = iris.at(-1)![0];
  }
}
