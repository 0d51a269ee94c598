/** Reads of the references between records. */
import { ServiceError } from '../errors.ts';
import { compareCodePoints } from '../json.ts';
import type { Connection } from './connection.ts';
import {
  type AreaId,
  compareKeys,
  type DanglingPage,
  type Link,
  type LinkPlace,
  type Range,
  type Referrer,
} from './store.ts';
import type { Visibility } from './visibility.ts';

/** References that one page of dangling ones looks at. */
const LOOKED_AT = 2000;

type Reads = Pick<Connection, 'tuples'>;
type ReferrerRow = [pid: string, iri: string, className: string, slot: string, path: string];

const REFERRERS = `FROM accession_link l JOIN accession_record r ON r.area = l.area AND r.iri = l.iri
  WHERE l.area = $1 AND l.target = $2 AND l.iri <> $2`;

/** In any order that stays the same: to sort 100,000 by path keeps others waiting for 80 ms. */
export async function linksFrom(reads: Reads, { id }: AreaId, iri: string, most: number): Promise<Link[]> {
  const rows = await reads.tuples<[string, string, string]>(
    `SELECT target, slot, path FROM accession_link WHERE area = $1 AND iri = $2
     ORDER BY id LIMIT CAST($3 AS INTEGER)`,
    [id, iri, most],
  );
  return rows.map(([target, slot, path]) => ({ iri: target, slot, path }));
}

export async function linksTo(
  reads: Reads,
  { id }: AreaId,
  iri: string,
  { offset, limit }: Range,
  visibility: Visibility | undefined,
): Promise<Referrer[]> {
  if (visibility) return (await seenLinksTo(reads, id, iri, visibility)).slice(offset, offset + limit);
  const rows = await reads.tuples<ReferrerRow>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path FROM (
       SELECT area, iri, slot, path, id FROM accession_link
       WHERE area = $1 AND target = $2 AND iri <> $2 ORDER BY id LIMIT CAST($3 AS INTEGER) OFFSET CAST($4 AS INTEGER)
     ) l JOIN accession_record r ON r.area = l.area AND r.iri = l.iri ORDER BY l.id`,
    [id, iri, limit, offset],
  );
  return rows.map(toReferrer);
}

/** The references to an IRI from records that a caller sees: in an order that does not depend on their former versions. */
async function seenLinksTo(
  reads: Reads,
  area: number,
  iri: string,
  visibility: Visibility,
): Promise<Referrer[]> {
  const rows = await reads.tuples<[...ReferrerRow, policy: string]>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path, r.policy ${REFERRERS}`,
    [area, iri],
  );
  const seen = rows.filter((row) => visibility.sees(row[5])).map(toReferrer);
  return seen.sort((a, b) => compareKeys(a, b) || compareCodePoints(a.path, b.path));
}

/** How many records refer to an IRI; `most` if there are more references. */
export async function countLinksTo(
  reads: Reads,
  { id }: AreaId,
  iri: string,
  most = Number.MAX_SAFE_INTEGER,
  visibility: Visibility | undefined,
): Promise<number> {
  if (visibility) {
    const seen = await seenLinksTo(reads, id, iri, visibility);
    return seen.length > most ? most : new Set(seen.map((one) => one.iri)).size;
  }
  const [row] = await reads.tuples<[records: number, references: number]>(
    `SELECT count(DISTINCT iri), count(*) FROM (SELECT iri FROM accession_link
       WHERE area = $1 AND target = $2 AND iri <> $2 LIMIT CAST($3 AS BIGINT)) l`,
    [id, iri, Math.min(most + 1, Number.MAX_SAFE_INTEGER)],
  );
  const [records, references] = row!;
  return references > most ? most : records;
}

/** The first records that refer to an IRI, in the order of lists, and how many there are. */
export async function referrersOf(
  connection: Reads,
  area: number,
  iri: string,
  most: number,
): Promise<[Referrer[], number]> {
  const [count] = await connection.tuples<[number]>(`SELECT count(DISTINCT l.iri) ${REFERRERS}`, [area, iri]);
  if (count![0] === 0) return [[], 0];
  const rows = await connection.tuples<ReferrerRow>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path ${REFERRERS}
     ORDER BY r.pid, r.iri, l.path LIMIT CAST($3 AS INTEGER)`,
    [area, iri, most],
  );
  return [rows.map(toReferrer), count![0]];
}

/** The referrers that a refused delete names. */
export const MOST_REFERRERS = 10;

export function recordReferenced(pid: string, referrers: readonly Referrer[], count: number): ServiceError {
  const problems = referrers.map((one) => ({
    type: 'record_referenced',
    loc: [one.pid, one.path],
    msg: `The record '${one.pid}' (${one.className}) refers to '${pid}' at ${one.path}.`,
  }));
  const refer = count === 1 ? '1 record refers' : `${count} records refer`;
  return new ServiceError('record_referenced', `The record '${pid}' is kept: ${refer} to it.`, problems);
}

/** Looks at the next references for those without a record. */
export async function danglingLinks(
  reads: Reads,
  { id }: AreaId,
  after: LinkPlace | undefined,
): Promise<DanglingPage> {
  const { iri = '', link = 0 } = after ?? {};
  const rows = await reads.tuples<[...ReferrerRow, to: string, link: number, isThere: number]>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path, l.target, l.id,
       EXISTS (SELECT 1 FROM accession_record t WHERE t.area = l.area AND t.iri = l.target)
     FROM (SELECT id, area, iri, slot, path, target FROM accession_link
       WHERE area = $1 AND (iri, id) > ($2, $3) ORDER BY iri, id LIMIT ${LOOKED_AT}
     ) l JOIN accession_record r ON r.area = l.area AND r.iri = l.iri ORDER BY l.iri, l.id`,
    [id, iri, link],
  );
  const references = rows
    .filter((row) => !row[7])
    .map(([pid, iri, className, slot, path, to]) => ({ pid, iri, className, slot, path, to }));
  const last = rows.at(-1);
  return last && rows.length === LOOKED_AT
    ? { references, next: { iri: last[1], link: last[6] } }
    : { references };
}

function toReferrer([pid, iri, className, slot, path]: readonly [...ReferrerRow, ...unknown[]]): Referrer {
  return { pid, iri, className, slot, path };
}
