/**
 * The blocks of an area in memory: where in the order a record is, without walking there.
 *
 * The order is cut into blocks. For each one the database has its start and how many records of each class are in it,
 * and this is a copy of that as of one revision of the area. Who uses it has to compare that revision with the one in
 * the database: another instance may have written since.
 */
import { compareKeys } from '../store.ts';
import type { Run } from './database.ts';

/** A position in the order: the pid and IRI of the first record at or after it. */
export type Place = { readonly pid: string; readonly iri: string };

export type Block = Place & {
  readonly id: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly records: number;
};

/** The classes of a selection, each once; undefined for all. */
export type ClassSet = readonly string[] | undefined;

/** Blocks are cut to this many records, and cut again when they have grown to twice as many. */
export const BLOCK_SIZE = 512;

/** Sums are kept for so many selections of classes at most. */
const MOST_SUMS = 16;

/** The first block of every area starts before all records; it needs no row until it has one. */
const FIRST: Block = { id: 0, pid: '', iri: '', counts: new Map(), records: 0 };

export class Blocks {
  /** The revision of the area whose state this is; -1 before anything is loaded. */
  revision = -1;
  #blocks: Block[] = [FIRST];
  /** Where each block is, by its id. */
  #places = new Map<number, number>([[FIRST.id, 0]]);
  readonly #totals = new Map<string, number>();
  #all = 0;
  /** For classes that were asked for since a block was added last: how many selected records are before each block. */
  readonly #sums = new Map<string, { readonly classes: ClassSet; readonly sums: Float64Array }>();

  /** The number of selected records. */
  total(classes: ClassSet): number {
    if (!classes) return this.#all;
    let sum = 0;
    for (const name of classes) sum += this.#totals.get(name) ?? 0;
    return sum;
  }

  /** The classes of the set that have records. */
  populated(classes: ClassSet): string[] {
    return [...(classes ?? this.#totals.keys())].filter((name) => (this.#totals.get(name) ?? 0) > 0);
  }

  /** The start of the block of the selected record at an offset, and how many selected records are between. */
  locate(classes: ClassSet, offset: number): { start: Place; skip: number } {
    const sums = this.#sumsOf(classes);
    // The last block with at most so many records before it; empty blocks have as many before them as the next one.
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((sums[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { start: this.#blocks[low] as Block, skip: offset - (sums[low] as number) };
  }

  /** The start of the block of a place, and how many selected records are before that block. */
  before(classes: ClassSet, place: Place): { start: Place; count: number } {
    const index = this.#indexOf(place);
    return { start: this.#blocks[index] as Block, count: this.#sumsOf(classes)[index] as number };
  }

  /** The block of a place, and the start of the next one. */
  at(place: Place): { block: Block; next: Place | undefined } {
    const index = this.#indexOf(place);
    return { block: this.#blocks[index] as Block, next: this.#blocks[index + 1] };
  }

  /** The largest id in use. */
  get lastId(): number {
    return this.#blocks.reduce((last, { id }) => Math.max(last, id), 0);
  }

  /** Replaces blocks by their new states, adds new ones, and is then the state of a revision. */
  apply(changed: readonly Block[], revision: number): void {
    this.revision = revision;
    const added: Block[] = [];
    for (const block of changed) {
      const index = this.#places.get(block.id);
      if (index === undefined) added.push(block);
      else this.#replace(index, block);
      this.#count(block, 1);
    }
    if (added.length === 0) return;
    this.#blocks = [...this.#blocks, ...added].sort(compareKeys);
    this.#places = new Map(this.#blocks.map(({ id }, index) => [id, index]));
    this.#sums.clear();
  }

  #replace(index: number, block: Block): void {
    const former = this.#blocks[index] as Block;
    this.#blocks[index] = block;
    this.#count(former, -1);
    for (const { classes, sums } of this.#sums.values()) {
      const difference = selected(block, classes) - selected(former, classes);
      if (difference === 0) continue;
      for (let later = index + 1; later < sums.length; later++)
        sums[later] = (sums[later] as number) + difference;
    }
  }

  #sumsOf(classes: ClassSet): Float64Array {
    const key = classes ? JSON.stringify(classes) : '';
    const known = this.#sums.get(key);
    if (known) return known.sums;
    const sums = new Float64Array(this.#blocks.length);
    let before = 0;
    for (const [index, block] of this.#blocks.entries()) {
      sums[index] = before;
      before += selected(block, classes);
    }
    if (this.#sums.size >= MOST_SUMS) this.#sums.clear();
    this.#sums.set(key, { classes, sums });
    return sums;
  }

  #count({ counts, records }: Block, sign: 1 | -1): void {
    for (const [name, number] of counts)
      this.#totals.set(name, (this.#totals.get(name) ?? 0) + sign * number);
    this.#all += sign * records;
  }

  /** The index of the block of a place: the last one that starts at or before it. */
  #indexOf(place: Place): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareKeys(this.#blocks[middle] as Block, place) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function selected(block: Block, classes: ClassSet): number {
  if (!classes) return block.records;
  let sum = 0;
  for (const name of classes) sum += block.counts.get(name) ?? 0;
  return sum;
}

/** A block with its counts changed by differences per class. */
export function withDifferences(block: Block, differences: ReadonlyMap<string, number>): Block {
  const counts = new Map(block.counts);
  let { records } = block;
  for (const [name, difference] of differences) {
    const count = (counts.get(name) ?? 0) + difference;
    records += difference;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  }
  return { ...block, counts, records };
}

/** Cuts keys, which are all of a block in order, into blocks; the first keeps id and start, `newId` names the others. */
export function cut(
  block: Block,
  keys: readonly (Place & { readonly className: string })[],
  newId: () => number,
): Block[] {
  const pieces: Block[] = [];
  for (let from = 0; from === 0 || from < keys.length; from += BLOCK_SIZE) {
    const piece = keys.slice(from, from + BLOCK_SIZE);
    const counts = new Map<string, number>();
    for (const { className } of piece) counts.set(className, (counts.get(className) ?? 0) + 1);
    const { pid, iri } = from === 0 ? block : (piece[0] as Place);
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
