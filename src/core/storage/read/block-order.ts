/**
 * The order of an area, cut into blocks: how many records each count key has, and where the record at an offset is,
 * without walking there. Some thousand blocks stand for a million records: an offset is found by adding up blocks, then
 * by stepping through one. With OFFSET alone, SQLite takes 130 ms to the middle of a million records, and 0.1 ms with
 * blocks (bench/README.md, "Pages by number").
 */
import { compareKeys } from '../store.ts';
import type { Visibility } from '../visibility.ts';

/** A position in the order: the pid and IRI of the first record at or after it. */
export type OrderKey = { readonly pid: string; readonly iri: string };

/** A block starts at its key. */
export type Block = OrderKey & {
  readonly id: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly records: number;
};

/** The classes of a selection, each once; undefined for all. */
export type ClassSet = readonly string[] | undefined;

/** Returns the count key of records: their class and, behind a NUL, the policy that they name. */
export function countKeyOf(className: string, policy: string): string {
  return policy === '' ? className : `${className}\0${policy}`;
}

/** The selected records of an order. */
export type RecordFilter = {
  /** Their count keys; undefined for all. */
  readonly countKeys: readonly string[] | undefined;
  readonly classes: ClassSet;
  /** The values of the column `policy` that the caller sees; undefined for all. */
  readonly policies: readonly string[] | undefined;
  /** The count keys of these policies, whatever their class; undefined for all. */
  readonly visibleKeys: readonly string[] | undefined;
};

/** Every record. */
export const EVERY_RECORD: RecordFilter = {
  countKeys: undefined,
  classes: undefined,
  policies: undefined,
  visibleKeys: undefined,
};

/**
 * How selected records are walked in order: along the order of all records, passing the others, or by merging the orders of
 * their classes or of their policies.
 */
export type ScanPlan = Pick<RecordFilter, 'classes' | 'policies'> & {
  readonly merged?: 'classes' | 'policies';
};

/** More orders than this are not merged: each is a part of one statement, and SQLite accepts 500. */
const MOST_MERGED = 100;

/** Sets of count keys whose sums are kept until a record is added or removed. */
const SETS_KEPT = 50;
/** Visibilities whose count keys are kept until there are others. */
const VISIBILITIES_KEPT = 50;

/** The count keys that a caller sees. */
type VisibleKeys = {
  readonly isAll: boolean;
  readonly keys: readonly string[];
  readonly policies: readonly string[];
  readonly ofClass: ReadonlyMap<string, readonly string[]>;
};

/** The blocks in order; the first one starts before all records. */
export class BlockOrder {
  #blocks: Block[];
  readonly #totals = new Map<string, number>();
  #all = 0;
  /** How many records name a policy. */
  #named = 0;
  /** For a set of count keys, how many selected records are before each block. */
  readonly #sums = new Map<string, Float64Array>();
  /** By the key of the visibility; empty for callers who see every record. */
  readonly #visible = new Map<string, VisibleKeys>();

  constructor(blocks: readonly Block[]) {
    this.#blocks = [...blocks].sort(compareKeys);
    for (const block of blocks) this.#count(block, 1);
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** Resolves a selection among the records that there are. @param visibility undefined if every record is seen */
  filterOf(classes: ClassSet, visibility: Visibility | undefined): RecordFilter {
    if (!visibility && !classes) return EVERY_RECORD;
    if (!visibility && this.#named === 0) return { ...EVERY_RECORD, countKeys: classes, classes };
    const { isAll, keys, policies, ofClass } = this.#visibleTo(visibility);
    if (!classes && isAll) return EVERY_RECORD;
    return {
      countKeys: classes ? classes.flatMap((name) => ofClass.get(name) ?? []) : keys,
      classes,
      ...(isAll ? { policies: undefined, visibleKeys: undefined } : { policies, visibleKeys: keys }),
    };
  }

  #visibleTo(visibility: Visibility | undefined): VisibleKeys {
    const viewer = visibility?.key ?? '';
    const known = this.#visible.get(viewer);
    if (known) return known;
    const keys: string[] = [];
    const policies = new Set<string>();
    const ofClass = new Map<string, string[]>();
    let isAll = true;
    for (const [key, number] of this.#totals) {
      if (number === 0) continue;
      const { className, policy } = partsOf(key);
      if (visibility && !visibility.sees(policy)) {
        isAll = false;
        continue;
      }
      keys.push(key);
      policies.add(policy);
      const same = ofClass.get(className);
      if (same) same.push(key);
      else ofClass.set(className, [key]);
    }
    const visible = { isAll, keys, policies: [...policies], ofClass };
    if (this.#visible.size >= VISIBILITIES_KEPT) this.#visible.clear();
    this.#visible.set(viewer, visible);
    return visible;
  }

  /** Returns the plan that passes the fewest other records, as if policies were spread evenly over the classes. */
  planOf(filter: RecordFilter): ScanPlan {
    const { policies } = filter;
    const total = this.total(filter);
    const classes = filter.classes && this.populated(filter);
    const visible = filter.visibleKeys ? sumOf(this.#totals, filter.visibleKeys) : this.#all;
    let [passed, plan]: [number, ScanPlan] = [this.#all / total, { classes, policies }];
    // The index of policies does not have the records that name none.
    const orders = [
      ['classes', classes, this.#all / visible],
      ['policies', policies?.includes('') ? undefined : policies, visible / total],
    ] as const;
    for (const [merged, values, passedByEach] of orders) {
      if (!values || values.length > MOST_MERGED || values.length * passedByEach >= passed) continue;
      passed = values.length * passedByEach;
      plan = { classes, policies, merged };
    }
    return plan;
  }

  /** The number of selected records. */
  total({ countKeys }: RecordFilter): number {
    return countKeys ? sumOf(this.#totals, countKeys) : this.#all;
  }

  /** The classes that have selected records. */
  populated({ countKeys }: RecordFilter): string[] {
    const found = [...(countKeys ?? this.#totals.keys())].filter((name) => (this.#totals.get(name) ?? 0) > 0);
    return this.#named === 0 ? found : [...new Set(found.map((key) => partsOf(key).className))];
  }

  /** A position at or before the selected record at an offset, and how many selected records are between. */
  locate(filter: RecordFilter, offset: number): { start: OrderKey; skip: number } {
    const { block, skip } = this.#blockAt(filter, offset);
    return { start: block, skip };
  }

  /** The start of the block of a key, and how many selected records are before that block. */
  before(filter: RecordFilter, key: OrderKey): { start: OrderKey; count: number } {
    const index = this.#indexOf(key);
    const block = this.#blocks[index]!;
    return { start: block, count: this.#sumsOf(filter)[index]! };
  }

  /** Replaces blocks by their new states, and adds new ones. */
  put(changed: readonly Block[]): void {
    const added: Block[] = [];
    for (const block of changed) {
      const index = this.#indexOf(block);
      if (this.#blocks[index]?.id === block.id) this.#replace(index, block);
      else added.push(block);
    }
    if (added.length === 0) return;
    this.#sums.clear();
    for (const block of added) this.#count(block, 1);
    this.#blocks = [...this.#blocks, ...added].sort(compareKeys);
  }

  /** The block of the selected record at an offset, or the last one, and its position there. */
  #blockAt(filter: RecordFilter, offset: number): { block: Block; skip: number } {
    const sums = this.#sumsOf(filter);
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (sums[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { block: this.#blocks[low]!, skip: offset - sums[low]! };
  }

  #sumsOf({ countKeys }: RecordFilter): Float64Array {
    const key = countKeys?.join('\0\0') ?? '';
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      if (this.#sums.size >= SETS_KEPT) this.#sums.clear();
      sums = new Float64Array(this.#blocks.length);
      for (let i = 1; i < sums.length; i++)
        sums[i] = sums[i - 1]! + selected(this.#blocks[i - 1]!, countKeys);
      this.#sums.set(key, sums);
    }
    return sums;
  }

  #replace(index: number, block: Block): void {
    this.#sums.clear();
    this.#count(this.#blocks[index]!, -1);
    this.#blocks[index] = block;
    this.#count(block, 1);
  }

  #count({ counts, records }: Block, sign: 1 | -1): void {
    for (const [name, number] of counts) {
      const before = this.#totals.get(name) ?? 0;
      const after = before + sign * number;
      this.#totals.set(name, after);
      if (before === 0 || after === 0) this.#visible.clear();
      if (name.includes('\0')) this.#named += sign * number;
    }
    this.#all += sign * records;
  }

  /** The index of the block of a key: the last one that starts at or before it. */
  #indexOf(key: OrderKey): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareKeys(this.#blocks[middle]!, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function selected({ counts, records }: Block, keys: RecordFilter['countKeys']): number {
  return keys ? sumOf(counts, keys) : records;
}

function partsOf(key: string): { readonly className: string; readonly policy: string } {
  const end = key.indexOf('\0');
  if (end < 0) return { className: key, policy: '' };
  return { className: key.slice(0, end), policy: key.slice(end + 1) };
}

function sumOf(counts: ReadonlyMap<string, number>, keys: readonly string[]): number {
  let sum = 0;
  for (const key of keys) sum += counts.get(key) ?? 0;
  return sum;
}
