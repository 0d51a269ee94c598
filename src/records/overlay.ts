/**
 * The overlay of a zone over the curated area: one list in pid order in which a record of the zone takes the place of
 * the curated one with the same IRI (specification 4.1, rule 4).
 *
 * Totals are kept, not counted, see `shadows.ts`. A page is found by its offset through ranks, so that its cost does not
 * grow with the offset.
 */
import {
  compareKeys,
  type ListedRecord,
  type Range,
  type RecordKey,
  type RecordStore,
  type ScanSelection,
  type Selection,
  type StoredRecord,
  type Within,
} from '../storage/store.ts';
import { type KnownShadows, newPositions, type Positions } from './known-shadows.ts';
import { ANY_NUMBER, countBefore, lowerBound, mergeInOrder } from './order.ts';
import type { RecordView } from './record.ts';
import { Shadows } from './shadows.ts';

/** Positions in the order that are remembered between two changes. */
const POSITIONS_KEPT = 10_000;
const SELECTIONS_WITH_PIDS = 8;
/** How often a page is read again when an area changes while it is put together. */
const OVERLAY_ATTEMPTS = 3;
/** Curated records that a scan looks for in the zone at a time. */
const SCANNED_AT_ONCE = 50;

/** A view over both areas. Cheap to make; the first read follows all changes of the zone. */
export class Overlay implements RecordView {
  readonly #zone: RecordStore;
  readonly #curated: RecordStore;
  readonly #shadows: Shadows;
  /** What was looked up since the last change, by selection. */
  readonly #known = new Map<string, KnownShadows>();
  /** The pids of the zone's k-th records, by selection, until the zone changes. */
  readonly #ownPids = new Map<string, Map<number, string>>();
  #positions = 0;

  constructor(zone: RecordStore, curated: RecordStore) {
    this.#zone = zone;
    this.#curated = curated;
    this.#shadows = new Shadows(zone, curated, (area) => {
      if (area === 'zone') this.#ownPids.clear();
      this.#forget();
    });
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
      async () => (await this.#totals(selection, this.#knownOf(selection))).total,
    );
  }

  async list(selection: Selection, range: Range): Promise<ListedRecord[]> {
    return (await this.page(selection, range)).records;
  }

  /** A range, and how many records are selected, as of the same moment. */
  async page(selection: Selection, range: Range): Promise<{ total: number; records: ListedRecord[] }> {
    return this.#steady(
      async () => {
        const total = await this.#curated.count(selection);
        return { total, records: await this.#curated.list(selection, range) };
      },
      async () => {
        const known = this.#knownOf(selection);
        const { total, own, shadowed } = await this.#totals(selection, known);
        const records =
          selection.matching === undefined
            ? await this.#listByRank(selection, known, own, shadowed, range)
            : await this.#listByMerge(selection, shadowed, range);
        return { total, records };
      },
    );
  }

  async #totals(selection: Selection, known: KnownShadows) {
    const shadowed = await this.#shadowedBy(selection, known);
    const own = await this.#zone.count(selection);
    return { shadowed, own, total: own + (await this.#curated.count(selection)) - shadowed.length };
  }

  /** Merges two scans. What changes meanwhile may or may not be in it, but no record is in it twice. */
  async *scan(selection: ScanSelection): AsyncIterable<StoredRecord> {
    const own = this.#zone.scan(selection)[Symbol.asyncIterator]();
    let next = await own.next();
    for await (const records of inGroups(this.#curated.scan(selection), SCANNED_AT_ONCE)) {
      const ownRecords = await this.#zone.present(records.map(({ iri }) => iri));
      const shadowing = new Set(ownRecords.map(({ iri }) => iri));
      for (const record of records) {
        while (!next.done && compareKeys(next.value, record) <= 0) {
          // It may be new.
          shadowing.add(next.value.iri);
          yield next.value;
          next = await own.next();
        }
        if (!shadowing.has(record.iri)) yield record;
      }
    }
    for (; !next.done; next = await own.next()) yield next.value;
  }

  /**
   * Reads until no area has changed during the read, a few times at most.
   *
   * @param curatedAlone the same read if the zone is empty
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

  /** What is known of a selection. */
  #knownOf({ classes, matching }: Selection): KnownShadows {
    const key = JSON.stringify([classes, matching]);
    let known = this.#known.get(key);
    if (known === undefined) {
      if (this.#known.size + this.#positions >= POSITIONS_KEPT) this.#forget();
      known = {
        shadowed: undefined,
        own: newPositions(),
        hidden: newPositions(),
        ownPids: this.#pidsOf(key),
      };
      this.#known.set(key, known);
    }
    return known;
  }

  #pidsOf(key: string): Map<number, string> {
    if (this.#ownPids.size >= SELECTIONS_WITH_PIDS) this.#ownPids.clear();
    let pids = this.#ownPids.get(key);
    if (pids === undefined || pids.size >= POSITIONS_KEPT) {
      pids = new Map();
      this.#ownPids.set(key, pids);
    }
    return pids;
  }

  /** Requests in progress go on with what they have. */
  #forget(): void {
    this.#known.clear();
    this.#positions = 0;
  }

  /** The shadowed curated records of a selection, in order. */
  #shadowedBy(selection: Selection, known: KnownShadows): Promise<readonly RecordKey[]> {
    if (known.shadowed) return known.shadowed;
    const { classes, matching } = selection;
    const keys =
      matching === undefined
        ? Promise.resolve(this.#shadows.keys(classes))
        : this.#curated.present(this.#shadows.iris, { classes, matching });
    const found = keys.then((some) => some.sort(compareKeys));
    known.shadowed = found;
    found.catch(() => {
      known.shadowed = undefined;
    });
    return found;
  }

  /** What was looked up, or is looked up now; what is not there because of a concurrent change is not kept. */
  #position<T>(
    positions: Map<number, T>,
    n: number,
    look: () => Promise<T | undefined>,
    none: T,
  ): T | Promise<T> {
    const known = positions.get(n);
    if (known !== undefined) return known;
    return look().then((found) => {
      if (found === undefined) return none;
      if (this.#positions >= POSITIONS_KEPT) this.#forget();
      this.#positions += 1;
      positions.set(n, found);
      return found;
    });
  }

  /** Finds by bounds of positions first, since a position costs a walk through some hundred keys. */
  #find(
    end: number,
    least: number,
    { exact, within }: Positions,
    look: (n: number) => Promise<number | undefined>,
    lookWithin: (n: number) => Promise<Within | undefined>,
  ): Promise<number> {
    return lowerBound(
      end,
      least,
      (n) => this.#position(exact, n, () => look(n), Number.POSITIVE_INFINITY),
      this.#curated.rankWithin && ((n) => this.#position(within, n, () => lookWithin(n), ANY_NUMBER)),
    );
  }

  /** What a position may be whose distance from the rank of a curated pid is known. */
  async #within(selection: Selection, pid: string, distance: number): Promise<Within | undefined> {
    const within = await this.#curated.rankWithin?.(selection, pid);
    return within && [within[0] + distance, within[1] + distance];
  }

  /** The pid of the zone's k-th record, which a concurrent change may have removed. */
  async #ownPid(selection: Selection, { ownPids }: KnownShadows, k: number): Promise<string | undefined> {
    const known = ownPids.get(k);
    if (known !== undefined) return known;
    const [record] = await this.#zone.list(selection, { offset: k, limit: 1 });
    if (record) ownPids.set(k, record.pid);
    return record?.pid;
  }

  /**
   * Finds the range by ranks. The zone's k-th record is in the merged list at k + (curated records before it that
   * are not shadowed), which rises with k: binary search finds the first one at or after the offset.
   */
  async #listByRank(
    selection: Selection,
    known: KnownShadows,
    ownTotal: number,
    shadowed: readonly RecordKey[],
    { offset, limit }: Range,
  ) {
    const positionOfOwn = async (k: number) => {
      const pid = await this.#ownPid(selection, known, k);
      if (pid === undefined) return undefined;
      return k + (await this.#curated.rank(selection, pid)) - countBefore(shadowed, pid);
    };
    const ownWithin = async (k: number) => {
      const pid = await this.#ownPid(selection, known, k);
      return pid === undefined ? undefined : this.#within(selection, pid, k - countBefore(shadowed, pid));
    };
    /** How many curated records before the n-th shadowed one are not shadowed. */
    const shownBefore = async (n: number) => (await this.#curated.rank(selection, shadowed[n]!.pid)) - n;
    const shownWithin = (n: number) => this.#within(selection, shadowed[n]!.pid, -n);
    const ownBefore = (place: number) =>
      this.#find(Math.min(ownTotal, place), place, known.own, positionOfOwn, ownWithin);
    const ownStart = await ownBefore(offset);
    const ownLength = (await ownBefore(offset + limit)) - ownStart;
    const curatedStart = offset - ownStart;
    const hidden = await this.#find(
      shadowed.length,
      curatedStart + 1,
      known.hidden,
      shownBefore,
      shownWithin,
    );
    const curated = await this.#unshadowed(selection, curatedStart + hidden, limit - ownLength);
    if (ownLength === 0) return curated;
    return mergeInOrder(await this.#zone.list(selection, { offset: ownStart, limit: ownLength }), curated);
  }

  /** Up to `limit` curated records that are not shadowed, from a curated offset on. */
  async #unshadowed(selection: Selection, offset: number, limit: number): Promise<ListedRecord[]> {
    const found: ListedRecord[] = [];
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
   * of the zone can be before it, so the curated window starts that much earlier.
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

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
