/**
 * Keeps the columns of an area that have the policies of its records, entries and references: when it gets another tag, the records
 * that it has are read once, and then their former versions.
 */
import { ServiceError } from '../errors.ts';
import type { Database } from './database.ts';
import { recordPages } from './read/paging.ts';
import type { AreaId } from './store.ts';
import { type PolicyTag, policyColumn } from './visibility.ts';

/**
 * A tag of an area; until it is settled, some records do not have it in their column, and until it is indexed, some entries and
 * references.
 */
type AreaTag = PolicyTag & { readonly settled: boolean; readonly indexed?: boolean };

/** Whether the column of each record of an area has what the record names by a tag. */
export async function hasPolicyTag(
  database: Pick<Database, 'tuples'>,
  area: AreaId,
  tag: PolicyTag,
): Promise<boolean> {
  return (await tagsOf(database, area)).some(({ id, settled }) => id === tag.id && settled);
}

/** Whether the columns of each entry and reference have it, too. */
export async function isPolicyIndexed(
  database: Pick<Database, 'tuples'>,
  area: AreaId,
  tag: PolicyTag,
): Promise<boolean> {
  return isIndexedIn(await tagsOf(database, area), tag);
}

/**
 * Brings all columns of some areas up to date with a tag, before callers are judged by it.
 *
 * @returns whether one of the areas was behind
 * @throws ServiceError `stopping`
 */
export async function preparePolicyTag(
  database: Database,
  areas: readonly AreaId[],
  tag: PolicyTag,
  isStopping: () => boolean,
): Promise<boolean> {
  const rows = await database.tuples<[area: number, tags: string]>(
    `SELECT area, policy_tags FROM accession_area WHERE ${database.dialect.among('area', 1, 'bigint')}`,
    [areas.map(({ id }) => id)],
  );
  const ready = new Set(rows.filter(([, tags]) => isIndexedIn(parseTags(tags), tag)).map(([area]) => area));
  const behind = areas.filter(({ id }) => !ready.has(id));
  for (const area of behind) {
    await addPolicyTag(database, area, tag, isStopping);
    await indexPolicies(database, area, tag, isStopping);
  }
  return behind.length > 0;
}

/**
 * Adds a tag to an area, so that every write from then on computes it, and brings the column of the records that there are up to
 * date. What is interrupted begins again with the next call. Tags stay: another collection with the area may use them.
 *
 * @throws ServiceError `stopping`
 */
export async function addPolicyTag(
  database: Database,
  area: AreaId,
  tag: PolicyTag,
  isStopping = () => false,
): Promise<void> {
  if (await hasPolicyTag(database, area, tag)) return;
  await setTag(database, area, { ...tag, settled: false });
  const pages = recordPages(async (last) => {
    if (isStopping())
      throw new ServiceError('stopping', 'The policies of records are read when the service starts again.');
    const rows = await database.tuples<[pid: string, iri: string, bytes: number]>(
      `SELECT pid, iri, octet_length(json) FROM accession_record WHERE area = $1 AND (pid, iri) > ($2, $3)
       ORDER BY pid, iri LIMIT ${SETTLED_AT_ONCE}`,
      [area.id, ...last],
    );
    return withinBytes(rows, ([, , bytes]) => bytes);
  });
  for await (const rows of pages) {
    const iris = rows.map(([, iri]) => iri);
    await database.transact(async (draft) => draft.derive(area, { of: 'policies', iris }));
  }
  await setTag(database, area, { ...tag, settled: true });
}

/**
 * Brings the columns of the entries and references of an area up to date with a tag that it has. Until then, those whom the tag
 * concerns read them one by one. What is interrupted begins again with the next call.
 *
 * @throws ServiceError `stopping`
 */
export async function indexPolicies(
  database: Database,
  area: AreaId,
  tag: PolicyTag,
  isStopping = () => false,
): Promise<void> {
  if (await isPolicyIndexed(database, area, tag)) return;
  const goOn = () => {
    if (isStopping())
      throw new ServiceError('stopping', 'The policies of entries are read when the service starts again.');
  };
  for (let after = 0; ; ) {
    goOn();
    const revisions = await nextEntries(database, area, after);
    if (revisions.length === 0) break;
    await database.transact(async (draft) => draft.derive(area, { of: 'entries', revisions }));
    after = revisions.at(-1)!;
  }
  for (let last: LinkKey = ['', 0]; ; ) {
    goOn();
    const keys = await database.tuples<LinkKey>(
      `SELECT iri, id FROM accession_link WHERE area = $1 AND (iri, id) > ($2, $3) ORDER BY iri, id LIMIT ${LINKS_AT_ONCE}`,
      [area.id, ...last],
    );
    const end = keys.at(-1);
    if (!end) break;
    const between = [area.id, ...last, ...end];
    await database.transact(async (draft) => {
      draft.run(POLICY_OF_LINKS, between);
    });
    last = end;
  }
  await setTag(database, area, { ...tag, settled: true, indexed: true });
}

type LinkKey = [iri: string, id: number];
const LINKS_AT_ONCE = 1000;
const POLICY_OF_LINKS = `UPDATE accession_link SET policy = (SELECT r.policy FROM accession_record r
    WHERE r.area = accession_link.area AND r.iri = accession_link.iri)
  WHERE area = $1 AND (iri, id) > ($2, $3) AND (iri, id) <= ($4, $5)`;

/** Entries of one transaction, and bytes of the texts of one. */
const ENTRIES_AT_ONCE = 200;
const BYTES_AT_ONCE = 4_000_000;

async function nextEntries(database: Database, { id }: AreaId, after: number): Promise<number[]> {
  const rows = await database.tuples<[revision: number, bytes: number]>(
    `SELECT revision, COALESCE(octet_length(former), 0) FROM accession_entry WHERE area = $1 AND revision > $2
     ORDER BY revision LIMIT ${ENTRIES_AT_ONCE}`,
    [id, after],
  );
  return withinBytes(rows, ([, bytes]) => bytes).map(([revision]) => revision);
}

/** The first rows, at least one, up to that with which they have too many bytes for one transaction. */
function withinBytes<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): readonly Row[] {
  let bytes = 0;
  const isLong = rows.findIndex((row) => {
    bytes += bytesOf(row);
    return bytes > BYTES_AT_ONCE;
  });
  return isLong < 0 ? rows : rows.slice(0, isLong + 1);
}

/**
 * Records of one transaction: it takes a tenth of a second, and a fifth of them takes three times as long together. And those that are
 * read at a time to find out what they name.
 */
const SETTLED_AT_ONCE = 1000;
const READ_AT_ONCE = 500;

/**
 * How many records of an area there are by what they name, as the column has it for these tags; it may have more tags. If the
 * area does not have one of the tags yet, the records are read.
 */
export async function countPolicies(
  database: Database,
  area: AreaId,
  tags: readonly PolicyTag[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const count = (policy: string, by: number) => counts.set(policy, (counts.get(policy) ?? 0) + by);
  const settled = await Promise.all(tags.map((tag) => hasPolicyTag(database, area, tag)));
  if (settled.every((one) => one)) {
    const rows = await database.tuples<[policy: string, number: number]>(
      'SELECT policy, count(*) FROM accession_record WHERE area = $1 GROUP BY policy',
      [area.id],
    );
    for (const [policy, number] of rows) count(policy, number);
    return counts;
  }
  for (let after = 0; ; ) {
    const rows = await database.tuples<[id: number, json: string]>(
      'SELECT id, json FROM accession_record WHERE area = $1 AND id > $2 ORDER BY id LIMIT $3',
      [area.id, after, READ_AT_ONCE],
    );
    for (const [, json] of rows) count(policyColumn(json, tags), 1);
    if (rows.length < READ_AT_ONCE) return counts;
    after = rows.at(-1)![0];
  }
}

async function tagsOf(reads: Pick<Database, 'tuples'>, { id }: AreaId): Promise<AreaTag[]> {
  const [row] = await reads.tuples<[string]>('SELECT policy_tags FROM accession_area WHERE area = $1', [id]);
  return parseTags(row?.[0] ?? '[]');
}

const parseTags = (tags: string) => JSON.parse(tags) as AreaTag[];

const isIndexedIn = (tags: readonly AreaTag[], tag: PolicyTag) =>
  tags.some(({ id, indexed }) => id === tag.id && indexed === true);

function setTag(database: Database, area: AreaId, tag: AreaTag): Promise<void> {
  return database.transact(async (draft) => {
    const others = (await tagsOf(draft, area)).filter(({ id }) => id !== tag.id);
    const tags = JSON.stringify([...others, tag]);
    draft.run('UPDATE accession_area SET policy_tags = $2 WHERE area = $1', [area.id, tags]);
  });
}
