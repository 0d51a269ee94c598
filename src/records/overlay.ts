/**
 * The overlay of a zone over the curated area: one list in pid order in which a record of the zone takes the place of
 * the curated one with the same IRI (specification 4.1, rule 4).
 *
 * Totals are kept, not counted, see `shadows.ts`. A page is found by its offset through ranks, so that its cost does not
 * grow with the offset.
 */
import {
  compareKeys,
  type Range,
  type RecordKey,
  type RecordStore,
  type Selection,
  type StoredRecord,
} from '../storage/store.ts';
import { countBefore, lowerBound, mergeInOrder } from './order.ts';
import type { RecordView } from './record.ts';
import { Shadows } from './shadows.ts';

/** Results of probes that are remembered between two changes. */
const PROBES_KEPT = 10_000;
/** How often a page is read again when an area changes while it is put together. */
const OVERLAY_ATTEMPTS = 3;

/** A view over both areas. Cheap to make; the first read follows all changes of the zone. */
export class Overlay implements RecordView {
  readonly #zone: RecordStore;
  readonly #curated: RecordStore;
  readonly #shadows: Shadows;
  /** Places in the order that have been looked up since the last change. */
  readonly #probes = new Map<string, Promise<unknown>>();

  constructor(zone: RecordStore, curated: RecordStore) {
    this.#zone = zone;
    this.#curated = curated;
    this.#shadows = new Shadows(zone, curated, () => this.#probes.clear());
  }

  async get(iri: string): Promise<StoredRecord | undefined> {
    return (await this.#zone.get(iri)) ?? this.#curated.get(iri);
  }

  /** Both areas only ever count up: their sum rises with every change of either. */
  async revision(): Promise<number> {
    return (await this.#zone.revision()) + (await this.#curated.revision());
  }

  async count(selection: Selection): Promise<number> {
    return this.#steady(
      () => this.#curated.count(selection),
      async () => {
        const shadowed = await this.#shadowedBy(selection);
        const [own, curated] = await Promise.all([
          this.#zone.count(selection),
          this.#curated.count(selection),
        ]);
        return own + curated - shadowed.length;
      },
    );
  }

  async list(selection: Selection, range: Range): Promise<StoredRecord[]> {
    return this.#steady(
      () => this.#curated.list(selection, range),
      async () => {
        const shadowed = await this.#shadowedBy(selection);
        if (selection.matching === undefined) return this.#listByRank(selection, shadowed, range);
        return this.#listByMerge(selection, shadowed, range);
      },
    );
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

  /**
   * Reads until no area has changed during the read, a few times at most.
   *
   * @param curatedAlone the same read where the zone is empty
   */
  async #steady<T>(curatedAlone: () => Promise<T>, read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#shadows.follow();
      if (this.#shadows.zoneIsEmpty) return curatedAlone();
      const [zone, curated] = this.#shadows.revisions;
      const result = await read();
      const same = (await this.#zone.revision()) === zone && (await this.#curated.revision()) === curated;
      if (same || attempt === OVERLAY_ATTEMPTS) return result;
    }
  }

  /** The shadowed curated records of a selection, in order. */
  #shadowedBy(selection: Selection): Promise<readonly RecordKey[]> {
    return this.#probe(`shadowed ${keyOfSelection(selection)}`, async () => {
      const { classes, matching } = selection;
      const keys =
        matching === undefined
          ? this.#shadows.keys(classes)
          : await this.#curated.present(this.#shadows.iris, { classes, matching });
      return keys.sort(compareKeys);
    });
  }

  /** The curated records of a selection that have a pid before this one. */
  #rank(selection: Selection, pid: string): Promise<number> {
    return this.#probe(`rank ${keyOfSelection(selection)} ${pid}`, () => this.#curated.rank(selection, pid));
  }

  /** The pid of the zone's k-th record of a selection. */
  #ownPid(selection: Selection, k: number): Promise<string | undefined> {
    return this.#probe(`own ${keyOfSelection(selection)} ${k}`, async () => {
      const [record] = await this.#zone.list(selection, { offset: k, limit: 1 });
      return record?.pid;
    });
  }

  #probe<T>(key: string, look: () => Promise<T>): Promise<T> {
    const known = this.#probes.get(key);
    if (known) return known as Promise<T>;
    if (this.#probes.size >= PROBES_KEPT) this.#probes.clear();
    const found = look();
    this.#probes.set(key, found);
    found.catch(() => this.#probes.delete(key));
    return found;
  }

  /**
   * Finds the range by ranks. The zone's k-th record stands in the merged list at k + (curated records before it that
   * are not shadowed), which rises with k: binary search finds the first one at or after the offset.
   */
  async #listByRank(selection: Selection, shadowed: readonly RecordKey[], { offset, limit }: Range) {
    const ownTotal = await this.#zone.count(selection);
    const ownBefore = (place: number) =>
      lowerBound(Math.min(ownTotal, place), async (k) => {
        const pid = await this.#ownPid(selection, k);
        if (pid === undefined) return true;
        return k + (await this.#rank(selection, pid)) - countBefore(shadowed, pid) >= place;
      });
    const ownStart = await ownBefore(offset);
    const ownLength = (await ownBefore(offset + limit)) - ownStart;
    const curatedStart = offset - ownStart;
    const hidden = await lowerBound(shadowed.length, async (n) => {
      return (await this.#rank(selection, shadowed[n]!.pid)) - n > curatedStart;
    });
    const own = await this.#zone.list(selection, { offset: ownStart, limit: ownLength });
    const curated = await this.#unshadowed(selection, curatedStart + hidden, limit - ownLength);
    return mergeInOrder(own, curated);
  }

  /** Up to `limit` curated records that are not shadowed, from a curated offset on. */
  async #unshadowed(selection: Selection, offset: number, limit: number): Promise<StoredRecord[]> {
    const found: StoredRecord[] = [];
    for (let at = offset, missing = limit; missing > 0; missing = limit - found.length) {
      const records = await this.#curated.list(selection, { offset: at, limit: missing });
      for (const record of records) if (!this.#shadows.has(record.iri)) found.push(record);
      if (records.length < missing) break;
      at += missing;
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
    // If the window starts after all curated records, the offset is after all records.
    if (first === undefined && start > 0) return [];
    const before = start === 0 || first === undefined ? undefined : first;
    const ownBefore = before ? own.filter((record) => compareKeys(record, before) < 0).length : 0;
    const hiddenBefore = before ? countBefore(shadowed, before.pid) : 0;
    const curated = window.filter((record) => !this.#shadows.has(record.iri));
    const skip = offset - (start - hiddenBefore) - ownBefore;
    return mergeInOrder(own.slice(ownBefore), curated).slice(skip, skip + limit);
  }
}

const keyOfSelection = ({ classes, matching }: Selection) => JSON.stringify([classes, matching]);
