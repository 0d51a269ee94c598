/** Reads of the references between records. */

import { compareCodePoints } from '#linkml/json.ts';
import { batches } from '../../batches.ts';
import { ServiceError } from '../../errors.ts';
import { yielder } from '../../yield.ts';
import type { Connection } from '../connection.ts';
import type { Database } from '../database.ts';
import type { Value } from '../dialect.ts';
import type { Viewer } from '../history/entries.ts';
import { asOfOneMoment, firstOf, MOST_MERGED, valuesOf } from '../history/seen-entries.ts';
import type { AreaId, DanglingPage, Link, LinkPlace, Range, Referrer } from '../store.ts';
import { keysOf, type Reads as RecordReads } from './records.ts';

/** References on one page of dangling ones, and targets that it looks at. */
const LOOKED_AT = 2000;
const TARGETS_AT_ONCE = 1000;

/** Areas that are looked at in one statement. */
const AREAS_AT_ONCE = 500;

type Reads = Pick<Connection, 'tuples' | 'dialect'>;
type ReferrerRow = [pid: string, iri: string, className: string, slot: string, path: string];

/** In any order that stays the same: to sort 100,000 by path keeps others waiting for 80 ms. */
export async function linksFrom(reads: Reads, { id }: AreaId, iri: string, most: number): Promise<Link[]> {
  const rows = await reads.tuples<[string, string, string]>(
    `SELECT target, slot, path FROM accession_link WHERE area = $1 AND iri = $2
     ORDER BY id LIMIT CAST($3 AS BIGINT)`,
    [id, iri, most],
  );
  return rows.map(([target, slot, path]) => ({ iri: target, slot, path }));
}

/** The references of an area that concern a record. */
type LinksOfArea = {
  /** Whether the area has references of the record to others. */
  readonly hasOwn: boolean;
  /** The records that refer to it, and their references, up to {@link MOST_COUNTED}. */
  readonly records: number;
  readonly references: number;
};

/** Of some areas, those that have references of a record or to it, with all of their records: most zones have neither. */
export async function linksOfAreas(
  reads: Reads,
  areas: readonly number[],
  iri: string,
): Promise<ReadonlyMap<number, LinksOfArea>> {
  const of = (end: string) => `FROM accession_link l WHERE l.area = a.area AND l.${end} = $1`;
  const has = (end: string) => `EXISTS (SELECT 1 ${of(end)})`;
  const count = (counted: string) =>
    `(SELECT count(${counted}) FROM (SELECT l.iri ${of('target')} AND l.iri <> $1 LIMIT ${MOST_COUNTED + 1}) f)`;
  const sql = `SELECT a.area, CASE WHEN ${has('iri')} THEN 1 ELSE 0 END, ${count('DISTINCT f.iri')}, ${count('*')}
    FROM accession_area a
    WHERE ${reads.dialect.among('a.area', 2, 'bigint')} AND (${has('iri')} OR ${has('target')})`;
  const found = new Map<number, LinksOfArea>();
  const yieldIfDue = yielder();
  for await (const some of batches(areas, { items: AREAS_AT_ONCE })) {
    const rows = await reads.tuples<[area: number, hasOwn: 0 | 1, records: number, references: number]>(sql, [
      iri,
      some,
    ]);
    for (const [area, hasOwn, records, references] of rows)
      found.set(area, { hasOwn: hasOwn === 1, records: countedOf(records, references), references });
    await yieldIfDue();
  }
  return found;
}

export async function linksTo(
  database: LinkReads,
  area: AreaId,
  iri: string,
  range: Range,
  viewer: Viewer,
): Promise<Referrer[]> {
  const { offset, limit } = range;
  if (viewer.visibility)
    return seenLinks(database, area, iri, viewer, {
      byColumn: (reads, policies) => seenLinksTo(reads, area, iri, range, policies),
      oneByOne: (seen) => seen.slice(offset, offset + limit),
    });
  return firstLinksTo(database, area.id, iri, range);
}

/** A range of the references to an IRI, in the order in which they were stored. */
async function firstLinksTo(
  reads: Pick<Reads, 'tuples'>,
  area: number,
  iri: string,
  { offset, limit }: Range,
): Promise<Referrer[]> {
  const rows = await reads.tuples<ReferrerRow>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path FROM (
       SELECT area, iri, slot, path, id FROM accession_link
       WHERE area = $1 AND target = $2 AND iri <> $2 ORDER BY id LIMIT CAST($3 AS BIGINT) OFFSET CAST($4 AS BIGINT)
     ) l JOIN accession_record r ON r.area = l.area AND r.iri = l.iri ORDER BY l.id`,
    [area, iri, limit, offset],
  );
  return rows.map(toReferrer);
}

type LinkReads = Pick<Database, 'tuples' | 'dialect' | 'snapshot'>;

/** Reads the references to an IRI from records that a caller sees: by the policies of references or, until these are known, all. */
async function seenLinks<T>(
  database: LinkReads,
  { id }: AreaId,
  iri: string,
  { visibility, isIndexed }: Viewer,
  read: {
    readonly byColumn: (reads: Reads, policies: readonly string[]) => Promise<T>;
    readonly oneByOne: (seen: readonly Referrer[]) => T;
  },
): Promise<T> {
  const { tag } = visibility!;
  if (tag && (await isIndexed(tag)))
    return asOfOneMoment(database, async (reads) => {
      const ofTarget = 't.area = $1 AND t.target = $2';
      const policies = await valuesOf(reads, ['accession_link', 'policy'], ofTarget, [id, iri]);
      return read.byColumn(
        reads,
        policies.filter((policy) => visibility!.sees(policy)),
      );
    });
  const rows = await database.tuples<[...ReferrerRow, policy: string]>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path, r.policy
     FROM accession_link l JOIN accession_record r ON r.area = l.area AND r.iri = l.iri
     WHERE l.area = $1 AND l.target = $2 AND l.iri <> $2`,
    [id, iri],
  );
  const seen = rows.filter((row) => visibility!.sees(row[5])).map(toReferrer);
  return read.oneByOne(seen.sort(inOrder));
}

const inOrder = (a: Referrer, b: Referrer) =>
  compareCodePoints(a.iri, b.iri) || compareCodePoints(a.path, b.path);

/** The references from records with some policies, in an order that does not depend on former versions of the records. */
async function seenLinksTo(
  reads: Reads,
  { id }: AreaId,
  iri: string,
  { offset, limit }: Range,
  policies: readonly string[],
): Promise<Referrer[]> {
  if (policies.length === 0) return [];
  const values: Value[] = [id, iri, limit, offset];
  const orders = ordersOf(reads, policies, values);
  const rows = await reads.tuples<ReferrerRow>(
    `SELECT r.pid, r.iri, r.class_name, l.slot, l.path FROM (
       SELECT * FROM (${firstOf(orders, 'iri, path', offset + limit)}) t
       ORDER BY iri, path LIMIT CAST($3 AS BIGINT) OFFSET CAST($4 AS BIGINT)
     ) s JOIN accession_link l ON l.id = s.id JOIN accession_record r ON r.area = $1 AND r.iri = l.iri`,
    values,
  );
  return rows.map(toReferrer).sort(inOrder);
}

/** The references to the IRI `$2` in the order of the index of each policy. */
function ordersOf({ dialect }: Reads, policies: readonly string[], values: Value[]): string[] {
  const each =
    policies.length > MOST_MERGED
      ? [dialect.among('k.policy', values.push(policies))]
      : policies.map((policy) => `k.policy = $${values.push(policy)}`);
  return each.map(
    (condition) => `SELECT k.id, k.iri, k.path FROM accession_link k
      WHERE k.area = $1 AND k.target = $2 AND ${condition} AND k.iri <> $2`,
  );
}

/** References that are counted: a popular record has as many as the area has records. */
export const MOST_COUNTED = 1000;

/** How many records refer to an IRI, up to {@link MOST_COUNTED}: that many if there are more references. */
export async function countLinksTo(
  database: LinkReads,
  area: AreaId,
  iri: string,
  viewer: Viewer,
): Promise<number> {
  if (viewer.visibility)
    return seenLinks(database, area, iri, viewer, {
      byColumn: async (reads, policies) => {
        if (policies.length === 0) return 0;
        const values: Value[] = [area.id, iri];
        const found = firstOf(ordersOf(reads, policies, values), 'iri, path', MOST_COUNTED + 1);
        return countLinks(reads, found, values);
      },
      oneByOne: (seen) => countedOf(new Set(seen.map((one) => one.iri)).size, seen.length),
    });
  return countLinks(database, LINKS_TO, [area.id, iri]);
}

const LINKS_TO = 'SELECT iri FROM accession_link WHERE area = $1 AND target = $2 AND iri <> $2';

async function countLinks(reads: Reads, found: string, values: readonly Value[]): Promise<number> {
  // One more shows that there are more.
  const [row] = await reads.tuples<[records: number, references: number]>(
    `SELECT count(DISTINCT iri), count(*) FROM (SELECT iri FROM (${found}) f LIMIT ${MOST_COUNTED + 1}) l`,
    values,
  );
  return countedOf(...row!);
}

const countedOf = (records: number, references: number) =>
  references > MOST_COUNTED ? MOST_COUNTED : records;

/** How many references {@link linksTo} has, up to a number. */
export async function countReferencesTo(
  database: LinkReads,
  area: AreaId,
  iri: string,
  most: number,
  viewer: Viewer,
): Promise<number> {
  const values: Value[] = [area.id, iri];
  const count = async (reads: Reads, found: string) => {
    const [row] = await reads.tuples<[references: number]>(
      `SELECT count(*) FROM (SELECT iri FROM (${found}) f LIMIT CAST($${values.push(most)} AS BIGINT)) l`,
      values,
    );
    return row![0];
  };
  if (viewer.visibility)
    return seenLinks(database, area, iri, viewer, {
      byColumn: async (reads, policies) =>
        policies.length === 0
          ? 0
          : count(reads, firstOf(ordersOf(reads, policies, values), 'iri, path', most)),
      oneByOne: (seen) => Math.min(most, seen.length),
    });
  return count(database, LINKS_TO);
}

/** The first references to an IRI, and how many records refer to it, up to {@link MOST_COUNTED}. */
export async function referrersOf(
  connection: Reads,
  area: number,
  iri: string,
  most: number,
): Promise<[Referrer[], number]> {
  const count = await countLinks(connection, LINKS_TO, [area, iri]);
  return count === 0
    ? [[], 0]
    : [await firstLinksTo(connection, area, iri, { offset: 0, limit: most }), count];
}

const REFERRERS_AT_ONCE = 200;

/** The IRIs of the records that refer to an IRI, in pages; of a record with several references, perhaps repeatedly. */
export async function* referrerPages(
  reads: Pick<Connection, 'tuples'>,
  { id }: AreaId,
  iri: string,
): AsyncGenerator<readonly string[]> {
  for (let after = 0; ; ) {
    const links = await reads.tuples<[id: number, from: string]>(
      `SELECT id, iri FROM accession_link
       WHERE area = $1 AND target = $2 AND iri <> $2 AND id > $3 ORDER BY id LIMIT ${REFERRERS_AT_ONCE}`,
      [id, iri, after],
    );
    yield [...new Set(links.map(([, from]) => from))];
    if (links.length < REFERRERS_AT_ONCE) return;
    after = links.at(-1)![0];
  }
}

/** The referrers that a refused delete names. */
export const MOST_REFERRERS = 10;

export function recordReferenced(pid: string, referrers: readonly Referrer[], count: number): ServiceError {
  const problems = referrers.map((one) => ({
    type: 'record_referenced',
    loc: [one.pid, one.path],
    msg: `The record '${one.pid}' (${one.className}) refers to '${pid}' at ${one.path}.`,
  }));
  const some = count === 1 ? '1 record refers' : `${count} records refer`;
  const reason = count < MOST_COUNTED ? `${some} to it` : `it has ${MOST_COUNTED} or more references`;
  return new ServiceError('record_referenced', `The record '${pid}' is kept: ${reason}.`, problems);
}

/**
 * Selects the targets in the area `$1` from the IRI `$2` on, in order, with their records. Each is looked up behind the one before, in a
 * recursion, whose rows both databases return as they are found: `DISTINCT` reads all references on PostgreSQL, and `NOT EXISTS` all
 * records.
 */
const nextTargets = (from: '>' | '>=') => {
  const first = (condition: string) =>
    `(SELECT min(l.target) FROM accession_link l WHERE l.area = $1 AND l.target ${condition})`;
  return `WITH RECURSIVE t (target) AS (
      SELECT ${first(`${from} $2`)} UNION ALL SELECT ${first('> t.target')} FROM t WHERE t.target IS NOT NULL
    )
    SELECT t.target, (SELECT r.id FROM accession_record r WHERE r.area = $1 AND r.iri = t.target)
    FROM t WHERE t.target IS NOT NULL LIMIT ${TARGETS_AT_ONCE}`;
};

/** The references to the next targets that have no record, by target. Its cost is that of the targets, not of the references. */
export async function danglingLinks(
  reads: RecordReads,
  area: AreaId,
  after: LinkPlace | undefined,
): Promise<DanglingPage> {
  const { target = '', link = 0 } = after ?? {};
  // The next page of a target with many references begins with it.
  const next = await reads.tuples<[target: string, record: number | null]>(
    nextTargets(link === 0 ? '>' : '>='),
    [area.id, target],
  );
  const missing = next.flatMap(([one, record]) => (record === null ? one : []));
  const isContinued = link !== 0 && missing[0] === target;
  const { targets, links } = await linksToFirst(reads, area, missing, isContinued ? link : undefined);
  const iris = [...new Set(links.map(([, , iri]) => iri))];
  const keys = new Map((await keysOf(reads, area, iris, undefined)).map((key) => [key.iri, key]));
  const references = links.flatMap(([to, , iri, slot, path]) => {
    const key = keys.get(iri);
    return key ? { ...key, slot, path, to } : [];
  });
  const last = links.at(-1);
  if (targets === 1 && last && links.length === LOOKED_AT)
    return { references, next: { target: last[0], link: last[1] } };
  if (targets < missing.length) return { references, next: { target: missing[targets - 1]!, link: 0 } };
  return next.length === TARGETS_AT_ONCE
    ? { references, next: { target: next.at(-1)![0], link: 0 } }
    : { references };
}

type TargetLink = [target: string, id: number, iri: string, slot: string, path: string];

/**
 * The references to the first of some targets: to as many as have {@link LOOKED_AT} together, or so many to one alone. Of several, they
 * are read in any order: in theirs, PostgreSQL would read those to all targets.
 *
 * @param behind a reference to the first target, behind which its others are read alone
 */
async function linksToFirst(
  reads: Reads,
  { id }: AreaId,
  targets: readonly string[],
  behind: string | number | undefined,
): Promise<{ targets: number; links: readonly TargetLink[] }> {
  const selected = 'SELECT target, id, iri, slot, path FROM accession_link WHERE area = $1 AND';
  if (behind === undefined)
    for (let some = targets; some.length > 1; some = some.slice(0, some.length >>> 1)) {
      const sql = `${selected} ${reads.dialect.among('target', 2)} LIMIT ${LOOKED_AT + 1}`;
      const links = await reads.tuples<TargetLink>(sql, [id, some]);
      if (links.length > LOOKED_AT) continue;
      links.sort((a, b) => compareCodePoints(a[0], b[0]) || a[1] - b[1]);
      return { targets: some.length, links };
    }
  const [first] = targets;
  if (first === undefined) return { targets: 0, links: [] };
  const sql = `${selected} target = $2 AND id > $3 ORDER BY id LIMIT ${LOOKED_AT}`;
  return { targets: 1, links: await reads.tuples<TargetLink>(sql, [id, first, behind ?? 0]) };
}

function toReferrer([pid, iri, className, slot, path]: readonly [...ReferrerRow, ...unknown[]]): Referrer {
  return { pid, iri, className, slot, path };
}
