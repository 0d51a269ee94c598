/**
 * Where in the order a record stands, without walking there.
 *
 * The order of an area is cut into blocks of about a thousand records. For each block the database keeps where it
 * begins and how many records of each class it holds (see `table-layout.ts`), and this is the same in memory: some
 * thousand entries for a million records. An offset is found by adding up blocks, then by stepping through one.
 */
import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './database.ts';
import { Marks } from './marks.ts';
import { compareKeys } from './store.ts';

/** A place in the order: pid and IRI of the first record at or behind it. */
export type Place = { readonly pid: string; readonly iri: string };

type Block = Place & {
  readonly id: number;
  readonly classes: Map<string, number>;
  records: number;
  marks: Marks | undefined;
};

/** Blocks are cut to this many records, and cut again when they have grown to twice as many. */
const BLOCK_SIZE = 1024;

/** Sets of classes whose sums are kept until a record is added or removed. */
const SETS_KEPT = 50;

/** The classes of a selection, each once; undefined for all. */
export type ClassSet = readonly string[] | undefined;

export class Blocks {
  readonly #database: DatabaseSync;
  #blocks: Block[] = [];
  #totals = new Map<string, number>();
  #all = 0;
  /** For a set of classes, how many selected records are before each block, and at the end, in all. */
  readonly #before = new Map<string, Float64Array>();

  /** Reads the blocks, and cuts those that the peer has let grow. */
  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#load();
    const grown = this.#blocks.filter((block) => block.records > 2 * BLOCK_SIZE);
    if (grown.length === 0) return;
    const cutAll = () => grown.forEach((block) => void this.#cut(block));
    if (database.isTransaction) cutAll();
    else transaction(database, cutAll);
    this.#load();
  }

  /** How many records of these classes there are. */
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

  /** A place at or before the record at an offset, and how many selected records lie between. */
  locate(classes: ClassSet, offset: number): { start: Place; skip: number } {
    const index = this.#blockAt(classes, offset);
    const block = this.#blocks[index]!;
    const skip = offset - this.#sums(classes)[index]!;
    return block.marks?.nearest(classes, skip) ?? { start: block, skip };
  }

  /** Notes the place of the record at an offset, so that it need not be walked to again. */
  mark(classes: ClassSet, offset: number, { pid, iri }: Place): void {
    const index = this.#blockAt(classes, offset);
    const block = this.#blocks[index]!;
    block.marks ??= new Marks();
    block.marks.add(classes, offset - this.#sums(classes)[index]!, { pid, iri });
  }

  /** The block of a place: its beginning, and how many selected records stand before it. */
  before(classes: ClassSet, place: Place): { start: Place; count: number } {
    const index = this.#indexOf(place);
    return { start: this.#blocks[index]!, count: this.#sums(classes)[index]! };
  }

  /** Follows a change that the triggers have made in the database; cuts the block if it has grown too large. */
  add(place: Place, className: string, difference: 1 | -1): void {
    const block = this.#blocks[this.#indexOf(place)]!;
    this.#before.clear();
    block.marks = undefined;
    block.records += difference;
    addTo(block.classes, className, difference);
    addTo(this.#totals, className, difference);
    this.#all += difference;
    if (block.records > 2 * BLOCK_SIZE) {
      this.#cut(block);
      this.#load();
    }
  }

  #load(): void {
    const blocks = this.#database
      .prepare('SELECT id, sort_key AS pid, iri FROM accession_block ORDER BY sort_key, iri')
      .all() as { id: number; pid: string; iri: string }[];
    this.#blocks = blocks.map((block) => ({ ...block, classes: new Map(), records: 0, marks: undefined }));
    this.#totals = new Map();
    this.#before.clear();
    this.#all = 0;
    const byId = new Map(this.#blocks.map((block) => [block.id, block]));
    const counts = this.#database
      .prepare('SELECT block, class_name, records FROM accession_block_count')
      .all();
    for (const { block: id, class_name, records } of counts as CountRow[]) {
      const block = byId.get(id);
      if (!block) continue;
      block.classes.set(class_name, records);
      block.records += records;
      addTo(this.#totals, class_name, records);
      this.#all += records;
    }
  }

  /** Cuts a block into pieces of {@link BLOCK_SIZE}, in the database only. */
  #cut(block: Block): void {
    const next = this.#blocks[this.#blocks.indexOf(block) + 1];
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
      .all(bounds) as Place[];
    this.#database.prepare('DELETE FROM accession_block_count WHERE block = ?').run(block.id);
    const ids = [block.id];
    const insert = this.#database.prepare('INSERT INTO accession_block (sort_key, iri) VALUES (?, ?)');
    for (const start of starts.slice(1)) ids.push(Number(insert.run(start.pid, start.iri).lastInsertRowid));
    const count = this.#database.prepare('INSERT INTO accession_block_count VALUES (?, ?, ?)');
    for (const { piece, class_name, records } of pieces) count.run(ids[piece]!, class_name, records);
  }

  #sums(classes: ClassSet): Float64Array {
    const key = classes?.join('\n') ?? '';
    let sums = this.#before.get(key);
    if (sums === undefined) {
      if (this.#before.size >= SETS_KEPT) this.#before.clear();
      sums = new Float64Array(this.#blocks.length + 1);
      for (const [index, block] of this.#blocks.entries())
        sums[index + 1] = sums[index]! + selected(block, classes);
      this.#before.set(key, sums);
    }
    return sums;
  }

  /** The index of the block with the selected record at an offset; the last one if there are not so many. */
  #blockAt(classes: ClassSet, offset: number): number {
    const sums = this.#sums(classes);
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle + 1]! > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The index of the block that holds a place: the last one that begins at or before it. */
  #indexOf(place: Place): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareKeys(this.#blocks[middle]!, place) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

type CountRow = { block: number; class_name: string; records: number };

function selected(block: Block, classes: ClassSet): number {
  if (!classes) return block.records;
  let sum = 0;
  for (const name of classes) sum += block.classes.get(name) ?? 0;
  return sum;
}

function addTo(counts: Map<string, number>, name: string, difference: number): void {
  counts.set(name, (counts.get(name) ?? 0) + difference);
}
