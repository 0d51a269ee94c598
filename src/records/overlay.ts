/**
 * The overlay of a zone over the curated area: one list in pid order in which a record of the zone takes the place of
 * the curated one with the same IRI (specification 4.1, rule 4).
 *
 * Totals are kept, not counted: the overlay remembers which curated records are *shadowed* by the zone, and follows the
 * changes of both areas. A page is found by its offset through ranks, so that its cost does not grow with the offset.
 */
import { compareCodePoints } from '../json.ts';
import type {
  Range,
  RecordKey,
  RecordStore,
  Selection,
  StoredChange,
  StoredRecord,
} from '../storage/store.ts';
import type { RecordView } from './record.ts';

/** Changes that are followed in one step. */
const CHANGES_AT_ONCE = 1000;
/** How often a page is read again when an area changes while it is put together. */
const ATTEMPTS = 3;

/** A view over both areas. Cheap to make; the first read follows all changes of the zone. */
export class Overlay implements RecordView {
  readonly #zone: RecordStore;
  readonly #curated: RecordStore;
  /** Curated records whose IRI is in the zone too, by IRI. */
  readonly #shadowed = new Map<string, RecordKey>();
  #zoneRevision = 0;
  #curatedRevision: number | undefined;
  /** The update that is under way; updates take turns. */
  #following: Promise<void> = Promise.resolve();

  constructor(zone: RecordStore, curated: RecordStore) {
    this.#zone = zone;
    this.#curated = curated;
  }

  async get(iri: string): Promise<StoredRecord | undefined> {
    return (await this.#zone.get(iri)) ?? this.#curated.get(iri);
  }

  async count(selection: Selection): Promise<number> {
    return this.#steady(async () => {
      const shadowed = await this.#shadowedBy(selection);
      const [own, curated] = await Promise.all([this.#zone.count(selection), this.#curated.count(selection)]);
      return own + curated - shadowed.length;
    });
  }

  async list(selection: Selection, range: Range): Promise<StoredRecord[]> {
    return this.#steady(async () => {
      const shadowed = await this.#shadowedBy(selection);
      if (selection.matching === undefined) return this.#listByRank(selection, shadowed, range);
      return this.#listByMerge(selection, shadowed, range);
    });
  }

  /** Merges two scans. What changes meanwhile may or may not be in it, but no record is in it twice. */
  async *scan(selection: Selection): AsyncIterable<StoredRecord> {
    const own = this.#zone.scan(selection)[Symbol.asyncIterator]();
    let next = await own.next();
    for await (const record of this.#curated.scan(selection)) {
      while (!next.done && compareKeys(next.value, record) <= 0) {
        yield next.value;
        next = await own.next();
      }
      if ((await this.#zone.present([record.iri])).length === 0) yield record;
    }
    for (; !next.done; next = await own.next()) yield next.value;
  }

  /** Reads until no area has changed during the read, a few times at most. */
  async #steady<T>(read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#follow();
      const before = [this.#zoneRevision, this.#curatedRevision];
      const result = await read();
      const after = [await this.#zone.revision(), await this.#curated.revision()];
      if (attempt === ATTEMPTS || (before[0] === after[0] && before[1] === after[1])) return result;
    }
  }

  /** The shadowed curated records of a selection, in order. */
  async #shadowedBy({ classes, matching }: Selection): Promise<RecordKey[]> {
    if (this.#shadowed.size === 0) return [];
    const keys =
      matching === undefined
        ? [...this.#shadowed.values()].filter(
            (key) => classes === undefined || classes.includes(key.className),
          )
        : await this.#curated.present([...this.#shadowed.keys()], { classes, matching });
    return keys.sort(compareKeys);
  }

  /**
   * Finds the range by ranks. The zone's k-th record stands in the merged list at k + (curated records before it that
   * are not shadowed), which rises with k: binary search gives the first one at or behind the offset.
   */
  async #listByRank(selection: Selection, shadowed: readonly RecordKey[], { offset, limit }: Range) {
    const ownTotal = await this.#zone.count(selection);
    const ownStart = await lowerBound(Math.min(ownTotal, offset), async (k) => {
      const [record] = await this.#zone.list(selection, { offset: k, limit: 1 });
      if (record === undefined) return true;
      const rank = await this.#curated.rank(selection, record.pid);
      return k + rank - countBefore(shadowed, record.pid) >= offset;
    });
    const curatedStart = offset - ownStart;
    const hidden = await lowerBound(shadowed.length, async (n) => {
      const rank = await this.#curated.rank(selection, shadowed[n]!.pid);
      return rank - n > curatedStart;
    });
    const own = await this.#zone.list(selection, { offset: ownStart, limit });
    const curated = await this.#unshadowed(selection, curatedStart + hidden, limit);
    return merge(own, curated).slice(0, limit);
  }

  /** Up to `limit` curated records that are not shadowed, from a curated offset on. */
  async #unshadowed(selection: Selection, offset: number, limit: number): Promise<StoredRecord[]> {
    const found: StoredRecord[] = [];
    for (let at = offset; found.length < limit; at += limit) {
      const records = await this.#curated.list(selection, { offset: at, limit });
      for (const record of records) if (!this.#shadowed.has(record.iri)) found.push(record);
      if (records.length < limit) break;
    }
    return found;
  }

  /**
   * Finds the range by one read of each area, for selections whose ranks are expensive. No more than `offset` records
   * of the zone can stand before it, so the curated window starts that much earlier.
   */
  async #listByMerge(selection: Selection, shadowed: readonly RecordKey[], { offset, limit }: Range) {
    const own = await this.#zone.list(selection, { offset: 0, limit: offset + limit });
    const start = Math.max(0, offset - own.length);
    const window = await this.#curated.list(selection, {
      offset: start,
      limit: offset - start + limit + shadowed.length,
    });
    const first = window[0];
    // A window that starts behind all curated records means that the offset is behind all records.
    if (first === undefined && start > 0) return [];
    const before = start === 0 || first === undefined ? undefined : first;
    const ownBefore = before ? own.filter((record) => compareKeys(record, before) < 0).length : 0;
    const hiddenBefore = before ? countBefore(shadowed, before.pid) : 0;
    const curated = window.filter((record) => !this.#shadowed.has(record.iri));
    const skip = offset - (start - hiddenBefore) - ownBefore;
    return merge(own.slice(ownBefore), curated).slice(skip, skip + limit);
  }

  /** Brings the shadowed records up to the last change of both areas. */
  #follow(): Promise<void> {
    const step = this.#following.then(
      () => this.#catchUp(),
      () => this.#catchUp(),
    );
    this.#following = step.catch(() => undefined);
    return step;
  }

  async #catchUp(): Promise<void> {
    this.#curatedRevision ??= await this.#curated.revision();
    for await (const changes of changesOf(this.#zone, this.#zoneRevision)) {
      const stored = changes.filter((change) => change.kind === 'put').map(({ record }) => record.iri);
      const shadowed = new Map((await this.#curated.present(stored)).map((key) => [key.iri, key]));
      for (const change of changes) this.#note(change, shadowed.get(iriOf(change)));
      this.#zoneRevision = Math.max(this.#zoneRevision, revisionOf(changes.at(-1)!));
    }
    for await (const changes of changesOf(this.#curated, this.#curatedRevision)) {
      const own = new Set((await this.#zone.present(changes.map(iriOf))).map((key) => key.iri));
      for (const change of changes) {
        this.#note(
          change,
          change.kind === 'put' && own.has(change.record.iri) ? keyOf(change.record) : undefined,
        );
      }
      this.#curatedRevision = Math.max(this.#curatedRevision, revisionOf(changes.at(-1)!));
    }
  }

  #note(change: StoredChange, shadowed: RecordKey | undefined): void {
    if (shadowed) this.#shadowed.set(shadowed.iri, shadowed);
    else this.#shadowed.delete(iriOf(change));
  }
}

/** All changes after a revision, in steps. Costs one look at the counter where there are none. */
async function* changesOf(store: RecordStore, revision: number): AsyncIterable<StoredChange[]> {
  let seen = revision;
  while ((await store.revision()) > seen) {
    const changes = await store.changesSince(seen, CHANGES_AT_ONCE);
    if (changes.length === 0) return;
    yield changes;
    seen = revisionOf(changes.at(-1)!);
  }
}

const iriOf = (change: StoredChange) => (change.kind === 'put' ? change.record.iri : change.iri);
const revisionOf = (change: StoredChange) =>
  change.kind === 'put' ? change.record.revision : change.revision;
const keyOf = ({ pid, iri, className }: RecordKey): RecordKey => ({ pid, iri, className });

/** The order of every list: by pid, then by IRI. */
export function compareKeys(a: RecordKey, b: RecordKey): number {
  return compareCodePoints(a.pid, b.pid) || compareCodePoints(a.iri, b.iri);
}

function merge(own: readonly StoredRecord[], curated: readonly StoredRecord[]): StoredRecord[] {
  const merged: StoredRecord[] = [];
  let i = 0;
  for (const record of curated) {
    while (i < own.length && compareKeys(own[i]!, record) <= 0) merged.push(own[i++]!);
    merged.push(record);
  }
  return [...merged, ...own.slice(i)];
}

/** How many of the sorted keys have a pid before this one. */
function countBefore(keys: readonly RecordKey[], pid: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(keys[middle]!.pid, pid) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The smallest number below `end` for which a rising condition holds, else `end`. */
async function lowerBound(end: number, holds: (n: number) => Promise<boolean>): Promise<number> {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
