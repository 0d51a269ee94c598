/** Keeps the column `policy` of an area: when an area gets another tag, the records that it has are read once. */
import { ServiceError } from '../errors.ts';
import { type Block, kindOf } from './block-order.ts';
import type { Database } from './database.ts';
import { type AreaId, compareKeys } from './store.ts';
import { type PolicyTag, policyColumn } from './visibility.ts';

/** A tag of an area; until it is settled, some records do not have it in their column. */
type AreaTag = PolicyTag & { readonly settled: boolean };

/** Whether the column of each record of an area has what the record names by a tag. */
export async function hasPolicyTag(
  database: Pick<Database, 'tuples'>,
  area: AreaId,
  tag: PolicyTag,
): Promise<boolean> {
  return (await tagsOf(database, area)).some(({ id, settled }) => id === tag.id && settled);
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
  const blocks = await database.tuples<[block: number, pid: string, iri: string]>(
    'SELECT block, start_pid, start_iri FROM accession_block WHERE area = $1 ORDER BY start_pid, start_iri',
    [area.id],
  );
  const starts = blocks.map(([id, pid, iri]) => ({ id, pid, iri })).sort(compareKeys);
  // A block that is cut meanwhile is read to its former end.
  for (const [at, start] of starts.entries()) {
    if (isStopping())
      throw new ServiceError('stopping', 'The policies of records are read when the service starts again.');
    await settleBlock(database, area, start, starts[at + 1]);
  }
  await setTag(database, area, { ...tag, settled: true });
}

/** Records that are read at a time, to find out what they name. */
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
  return JSON.parse(row?.[0] ?? '[]') as AreaTag[];
}

function setTag(database: Database, area: AreaId, tag: AreaTag): Promise<void> {
  return database.transact(async (draft) => {
    const others = (await tagsOf(draft, area)).filter(({ id }) => id !== tag.id);
    const tags = JSON.stringify([...others, tag]);
    draft.run('UPDATE accession_area SET policy_tags = $2 WHERE area = $1', [area.id, tags]);
  });
}

type Start = Pick<Block, 'id' | 'pid' | 'iri'>;
type Row = readonly [
  id: number,
  pid: string,
  iri: string,
  className: string,
  policy: string,
  revision: number,
];

/** Brings the records from the start of a block to that of another one up to date, and the counts of the blocks that have them. */
async function settleBlock(
  database: Database,
  area: AreaId,
  start: Start,
  end: Start | undefined,
): Promise<void> {
  const within = `area = $1 AND (pid, iri) >= ($2, $3) ${end ? 'AND (pid, iri) < ($4, $5)' : ''}`;
  const bounds = [area.id, start.pid, start.iri, ...(end ? [end.pid, end.iri] : [])];
  await database.transact(async (draft) => {
    const tags = await tagsOf(draft, area);
    // The revision stands for the text.
    const rows = await draft.tuples<Row>(
      `SELECT id, pid, iri, class_name, policy, revision FROM accession_record WHERE ${within}
       ORDER BY pid, iri`,
      bounds,
    );
    const texts = new Map(
      await database.tuples<[id: number, json: string]>(
        `SELECT id, json FROM accession_record WHERE ${within}`,
        bounds,
      ),
    );
    const differences = new Map<string, number>();
    const count = (kind: string, by: number) => differences.set(kind, (differences.get(kind) ?? 0) + by);
    const settled = rows.map((row) => {
      const [id, , , className, former] = row;
      const policy = policyColumn(texts.get(id) ?? '{}', tags);
      if (policy !== former) {
        draft.run('UPDATE accession_record SET policy = $2 WHERE id = $1', [id, policy]);
        count(kindOf(className, former), -1);
        count(kindOf(className, policy), 1);
      }
      return { pid: row[1], iri: row[2], kind: kindOf(className, policy) };
    });
    if (differences.size === 0) return;
    const blocks = await draft.tuples<[block: number, pid: string, iri: string]>(
      `SELECT block, start_pid, start_iri FROM accession_block
       WHERE area = $1 AND (start_pid, start_iri) >= ($2, $3)
       ${end ? 'AND (start_pid, start_iri) < ($4, $5)' : ''} ORDER BY start_pid, start_iri`,
      bounds,
    );
    // The order of an area is kept in memory, too, as of a revision.
    draft.run('UPDATE accession_area SET revision = revision + 1 WHERE area = $1', [area.id]);
    let from = 0;
    for (const [at, [block]] of blocks.entries()) {
      const next = blocks[at + 1];
      const counts: Record<string, number> = {};
      for (; from < settled.length; from++) {
        const { pid, iri, kind } = settled[from]!;
        if (next && compareKeys({ pid, iri }, { pid: next[1], iri: next[2] }) >= 0) break;
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      draft.run(
        `UPDATE accession_block SET counts = $3,
           revision = (SELECT revision FROM accession_area WHERE area = $1)
         WHERE area = $1 AND block = $2`,
        [area.id, block, JSON.stringify(counts)],
      );
    }
  });
}
