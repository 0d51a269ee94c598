/**
 * The order of an area in PostgreSQL, cut into blocks: a copy of the counts in the database as of one revision of the area.
 * Who uses it has to compare that revision with the one in the database: another instance may have written since.
 */
import { type Block, BlockOrder, type OrderKey } from '../block-order.ts';
import type { Run } from './database.ts';

/** Blocks are cut to this many records, and cut again when they have grown to twice as many. */
export const BLOCK_SIZE = 512;

/** The first block of every area starts before all records; it needs no row until it has one. */
const FIRST: Block = { id: 0, pid: '', iri: '', counts: new Map(), records: 0 };

export class Blocks extends BlockOrder {
  /** The revision of the area whose state this is; -1 before anything is loaded. */
  revision = -1;

  constructor() {
    super([FIRST]);
  }

  /** The largest id in use. */
  get lastId(): number {
    return this.blocks.reduce((last, { id }) => Math.max(last, id), 0);
  }

  /** Replaces blocks by their new states, adds new ones, and is then the state of a revision. */
  apply(changed: readonly Block[], revision: number): void {
    this.revision = revision;
    this.put(changed);
  }
}

/** Cuts keys, which are all of a block in order, into blocks; the first keeps id and start, `newId` names the others. */
export function cut(
  block: Block,
  keys: readonly (OrderKey & { readonly className: string })[],
  newId: () => number,
): Block[] {
  const pieces: Block[] = [];
  for (let from = 0; from === 0 || from < keys.length; from += BLOCK_SIZE) {
    const piece = keys.slice(from, from + BLOCK_SIZE);
    const counts = new Map<string, number>();
    for (const { className } of piece) counts.set(className, (counts.get(className) ?? 0) + 1);
    const { pid, iri } = from === 0 ? block : (piece[0] as OrderKey);
    pieces.push({ id: from === 0 ? block.id : newId(), pid, iri, counts, records: piece.length });
  }
  return pieces;
}

/** The blocks that the database has changed since a revision. */
export async function readBlocks(run: Run, area: number, since: number): Promise<Block[]> {
  const rows = await run<{
    block: number;
    start_pid: string;
    start_iri: string;
    counts: Record<string, number>;
  }>('SELECT block, start_pid, start_iri, counts FROM accession_block WHERE area = $1 AND changed > $2', [
    area,
    since,
  ]);
  return rows.map(({ block, start_pid, start_iri, counts: pairs }) => {
    const counts = new Map(Object.entries(pairs));
    let records = 0;
    for (const number of counts.values()) records += number;
    return { id: block, pid: start_pid, iri: start_iri, counts, records };
  });
}

/** Writes the states of blocks. */
export async function writeBlocks(
  run: Run,
  area: number,
  blocks: readonly Block[],
  revision: number,
): Promise<void> {
  if (blocks.length === 0) return;
  await run(
    `INSERT INTO accession_block (area, block, start_pid, start_iri, counts, changed)
     SELECT $1, block, start_pid, start_iri, counts, $2
     FROM unnest($3::bigint[], $4::text[], $5::text[], $6::jsonb[]) AS b (block, start_pid, start_iri, counts)
     ON CONFLICT (area, block) DO UPDATE SET counts = excluded.counts, changed = excluded.changed`,
    [
      area,
      revision,
      blocks.map(({ id }) => id),
      blocks.map(({ pid }) => pid),
      blocks.map(({ iri }) => iri),
      blocks.map(({ counts }) => JSON.stringify(Object.fromEntries(counts))),
    ],
  );
}
