/** Keeps the counts of the blocks of an area, in the transaction that changes its records; see `layout.ts`. */

import { type Connection, first } from '../connection.ts';
import { countKeyOf } from '../read/block-order.ts';
import { compareKeys, type RecordKey } from '../store.ts';

/** Blocks are cut to this many records, and cut again when they have grown to twice as many. */
export const BLOCK_SIZE = 512;

/** A record that was added to the order of an area, or removed from it. */
export type OrderChange = RecordKey & { readonly policy: string; readonly difference: 1 | -1 };

/** A record in the order, as {@link blocksOf} counts it. */
export type BlockKey = readonly [pid: string, iri: string, className: string, policy: string];

type OrderKey = Pick<RecordKey, 'pid' | 'iri'>;
type Counts = Record<string, number>;
type BlockRow = [block: number, startPid: string, startIri: string, counts: string];
type OpenBlock = {
  readonly block: number;
  readonly start: OrderKey;
  readonly counts: Counts;
  /** The start of the next block, `null` for the last one; undefined until it is asked for. */
  end?: OrderKey | null;
};

const isWithin = (key: OrderKey, end: OrderKey | null) => end === null || compareKeys(key, end) < 0;

/** Applies changes of the order to the blocks of an area. To be called when the records are written. */
export async function writeBlocks(
  connection: Connection,
  area: number,
  changes: readonly OrderChange[],
  revision: number,
): Promise<void> {
  const inOrder = changes.length > 1 ? [...changes].sort(compareKeys) : changes;
  let open: OpenBlock | undefined;
  for (const change of inOrder) {
    if (open) {
      if (open.end === undefined) open.end = await endOf(connection, area, open.start);
      if (isWithin(change, open.end)) {
        count(open.counts, change);
        continue;
      }
      await close(connection, area, open, revision);
    }
    open = await openBlock(connection, area, change);
    count(open.counts, change);
  }
  if (open) await close(connection, area, open, revision);
}

function count(counts: Counts, { className, policy, difference }: OrderChange): void {
  const key = countKeyOf(className, policy);
  counts[key] = (counts[key] ?? 0) + difference;
  if (counts[key] === 0) delete counts[key];
}

async function openBlock(connection: Connection, area: number, { pid, iri }: OrderKey): Promise<OpenBlock> {
  const row = await first<BlockRow>(
    connection,
    `SELECT block, start_pid, start_iri, counts FROM accession_block
     WHERE area = $1 AND (start_pid, start_iri) <= ($2, $3) ORDER BY start_pid DESC, start_iri DESC LIMIT 1`,
    [area, pid, iri],
  );
  const [block, startPid, startIri, counts] = row ?? [0, '', '', '{}'];
  return { block, start: { pid: startPid, iri: startIri }, counts: JSON.parse(counts) };
}

/** The start of the block after the one with a start. */
async function endOf(connection: Connection, area: number, { pid, iri }: OrderKey): Promise<OrderKey | null> {
  const next = await first<[string, string]>(
    connection,
    `SELECT start_pid, start_iri FROM accession_block
     WHERE area = $1 AND (start_pid, start_iri) > ($2, $3) ORDER BY start_pid, start_iri LIMIT 1`,
    [area, pid, iri],
  );
  return next ? { pid: next[0], iri: next[1] } : null;
}

const PUT_BLOCK = `INSERT INTO accession_block (area, block, start_pid, start_iri, counts, revision)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (area, block) DO UPDATE SET counts = excluded.counts, revision = excluded.revision`;

async function close(connection: Connection, area: number, open: OpenBlock, revision: number): Promise<void> {
  const { block, start, counts } = open;
  const records = Object.values(counts).reduce((sum, number) => sum + number, 0);
  if (records > 2 * BLOCK_SIZE) return cut(connection, area, open, revision);
  await connection.run(PUT_BLOCK, [area, block, start.pid, start.iri, JSON.stringify(counts), revision]);
}

/** Cuts a block; the first piece keeps its number and its start. */
async function cut(
  connection: Connection,
  area: number,
  { block, start, end: known }: OpenBlock,
  revision: number,
): Promise<void> {
  const end = known ?? (await endOf(connection, area, start));
  const keys = await connection.tuples<BlockKey>(
    `SELECT pid, iri, class_name, policy FROM accession_record WHERE area = $1 AND (pid, iri) >= ($2, $3)
     ${end ? 'AND (pid, iri) < ($4, $5)' : ''} ORDER BY pid, iri`,
    [area, start.pid, start.iri, ...(end ? [end.pid, end.iri] : [])],
  );
  const last = await first<[number]>(
    connection,
    'SELECT coalesce(max(block), 0) FROM accession_block WHERE area = $1',
    [area],
  );
  let next = last![0];
  await connection.many(
    PUT_BLOCK,
    blocksOf(keys, start).map(({ start, counts }, at) => {
      const number = at === 0 ? block : ++next;
      return [area, number, start.pid, start.iri, JSON.stringify(counts), revision];
    }),
  );
}

/**
 * The blocks of keys in order, for a run of the order or for a whole area.
 *
 * @param start of the first block
 */
export function blocksOf(
  keys: readonly BlockKey[],
  start: OrderKey,
): { readonly start: OrderKey; readonly counts: Readonly<Counts> }[] {
  const blocks = [];
  for (let from = 0; from === 0 || from < keys.length; from += BLOCK_SIZE) {
    const counts: Counts = {};
    for (const [, , name, policy] of keys.slice(from, from + BLOCK_SIZE)) {
      const key = countKeyOf(name, policy);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    const [pid, iri] = keys[from] ?? ['', ''];
    blocks.push({ start: from === 0 ? start : { pid, iri }, counts });
  }
  return blocks;
}
