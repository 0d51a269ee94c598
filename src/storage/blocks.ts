/**
 * The order of an area in SQLite, cut into blocks of about a thousand records. Triggers count the records of each block
 * (see `table-layout.ts`); this reads the counts and cuts the blocks that have grown too large.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Block, BlockOrder, type OrderKey } from './block-order.ts';
import { transaction } from './database.ts';

/** Blocks are cut to this many records, and cut again when they have grown to twice as many. */
const BLOCK_SIZE = 1024;

/** Whether blocks that have grown may be cut, or are read as they are. */
export type BlockAccess = 'read' | 'write';

export class Blocks extends BlockOrder {
  readonly #database: DatabaseSync;

  /** Reads the blocks, and cuts those that the peer has let grow. */
  constructor(database: DatabaseSync, access: BlockAccess = 'write') {
    super(readBlocks(database));
    this.#database = database;
    if (access === 'read') return;
    const grown = this.blocks.filter(isLarge);
    if (grown.length === 0) return;
    const cutAll = () => grown.forEach((block) => void this.#cut(block));
    if (database.isTransaction) cutAll();
    else transaction(database, cutAll);
  }

  /** Follows a change that the triggers have made in the database; cuts the block if it has grown too large. */
  override add(key: OrderKey, className: string, difference: 1 | -1): Block {
    const block = super.add(key, className, difference);
    if (isLarge(block)) this.#cut(block);
    return block;
  }

  /** Cuts a block into pieces of {@link BLOCK_SIZE}. */
  #cut(block: Block): void {
    const { next } = this.at(block);
    const within = next
      ? '(sort_key, iri) >= ($pid, $iri) AND (sort_key, iri) < ($nextPid, $nextIri)'
      : '(sort_key, iri) >= ($pid, $iri)';
    const bounds = { pid: block.pid, iri: block.iri, ...(next && { nextPid: next.pid, nextIri: next.iri }) };
    const pieces = this.#database
      .prepare(
        `SELECT piece, class_name, count(*) AS records, min(n) AS first FROM (
           SELECT class_name, n, n / ${BLOCK_SIZE} AS piece FROM (
             SELECT class_name, row_number() OVER (ORDER BY sort_key, iri) - 1 AS n
             FROM thing INDEXED BY accession_order WHERE ${within})
         ) GROUP BY piece, class_name ORDER BY piece`,
      )
      .all(bounds) as { piece: number; class_name: string; records: number }[];
    const starts = this.#database
      .prepare(
        `SELECT sort_key AS pid, iri FROM (
           SELECT sort_key, iri, row_number() OVER (ORDER BY sort_key, iri) - 1 AS n
           FROM thing INDEXED BY accession_order WHERE ${within}
         ) WHERE n % ${BLOCK_SIZE} = 0 ORDER BY n`,
      )
      .all(bounds) as OrderKey[];
    this.#database.prepare('DELETE FROM accession_block_count WHERE block = ?').run(block.id);
    const insert = this.#database.prepare('INSERT INTO accession_block (sort_key, iri) VALUES (?, ?)');
    const count = this.#database.prepare('INSERT INTO accession_block_count VALUES (?, ?, ?)');
    const cut = starts.map((start, piece): Block => {
      const { pid, iri } = piece === 0 ? block : start;
      const id = piece === 0 ? block.id : Number(insert.run(pid, iri).lastInsertRowid);
      const rows = pieces.filter((row) => row.piece === piece);
      for (const { class_name, records } of rows) count.run(id, class_name, records);
      return blockOf({ id, pid, iri }, rows);
    });
    this.put(cut);
  }
}

function isLarge({ records }: Block): boolean {
  return records > 2 * BLOCK_SIZE;
}

type Counted = { readonly class_name: string; readonly records: number };

function blockOf(start: OrderKey & { readonly id: number }, rows: readonly Counted[]): Block {
  const counts = new Map(rows.map(({ class_name, records }) => [class_name, records]));
  return { ...start, counts, records: rows.reduce((sum, { records }) => sum + records, 0) };
}

/** A process that follows another one reads them after each of its commits, so rows are arrays. */
function readBlocks(database: DatabaseSync): Block[] {
  const starts = database.prepare('SELECT id, sort_key, iri FROM accession_block');
  const counts = database.prepare('SELECT block, class_name, records FROM accession_block_count');
  starts.setReturnArrays(true);
  counts.setReturnArrays(true);
  const byBlock = new Map<number, { counts: Map<string, number>; records: number }>();
  for (const [block, name, records] of counts.all() as unknown as [number, string, number][]) {
    let counted = byBlock.get(block);
    if (!counted) {
      counted = { counts: new Map(), records: 0 };
      byBlock.set(block, counted);
    }
    counted.counts.set(name, records);
    counted.records += records;
  }
  return (starts.all() as unknown as [number, string, string][]).map(([id, pid, iri]) => {
    const { counts = new Map<string, number>(), records = 0 } = byBlock.get(id) ?? {};
    return { id, pid, iri, counts, records };
  });
}
