/**
 * The overlay of a zone over the curated area: one list in pid order in which a record of the zone takes the place of
 * the curated one with the same IRI (specification 4.1, rule 4).
 *
 * Totals are kept, not counted, see `shadows.ts`. A page is found by its offset through ranks, so that its cost does not
 * grow with the offset.
 */
import { compareCodePoints } from '#linkml/json.ts';
import { batches } from '../batches.ts';
import {
  compareKeys,
  countBefore,
  type ListedRecord,
  type Range,
  type RecordKey,
  type RecordStore,
  type ScanSelection,
  type Selection,
  type StoredRecord,
} from '../storage/store.ts';
import type { RecordView } from './record.ts';
import type { ShadowState, Shadows } from './shadows.ts';

/** Positions in the order, and pids at them, that are remembered between two changes. */
const POSITIONS_KEPT = 10_000;
/** Estimates: a position with its key, and a shadowed record in two lists. */
const BYTES = { overlay: 2000, position: 300, shadowed: 600 };
/** How often a page is read again when an area changes while it is put together. */
const OVERLAY_ATTEMPTS = 3;
/** Curated records that a scan looks for in the zone at a time. */
const SCANNED_AT_ONCE = 50;

/** A selection as of a state of both areas. */
type OverlaySelection = {
  readonly inZone: Selection;
  readonly inCurated: Selection;
  readonly key: string;
  /** The curated records of the selection that are shadowed, in order. */
  readonly shadowed: readonly RecordKey[];
  /** How many records of the zone are selected. */
  readonly own: number;
  readonly total: number;
};

/** The zone over the curated area. */
export type Top = Pick<RecordStore, 'get' | 'list' | 'count' | 'scan' | 'having'>;

/** A view over both areas. Cheap to make. */
export class Overlay implements RecordView {
  readonly #zone: Top;
  readonly #curated: RecordStore;
  readonly #shadows: Pick<Shadows, 'follow' | 'has'>;
  /** Positions that were looked up in this state. */
  readonly #positions = new Map<string, Promise<number>>();
  /** Pids of the zone that were looked up since its last change, by their offset. */
  readonly #ownPids = new Map<string, Promise<string | undefined>>();
  #state: ShadowState | undefined;

  constructor(shadows: Pick<Shadows, 'follow' | 'has'>, zone: Top, curated: RecordStore) {
    this.#zone = zone;
    this.#curated = curated;
    this.#shadows = shadows;
  }

  /** What it remembers, in bytes, about. */
  get bytes(): number {
    const positions = this.#positions.size + this.#ownPids.size;
    return BYTES.overlay + positions * BYTES.position + (this.#state?.keys.length ?? 0) * BYTES.shadowed;
  }

  async get(iri: string): Promise<StoredRecord | undefined> {
    return (await this.#zone.get(iri)) ?? this.#curated.get(iri);
  }

  count(selection: Selection, most?: number): Promise<number> {
    return this.#steady(async (state) => {
      if (most !== undefined && selection.matching !== undefined) {
        const least = await this.#countAtLeast(selection, state.keys.length, most);
        if (least > most) return least;
      }
      return (await this.#select(selection, state)).total;
    });
  }

  async list(selection: Selection, range: Range): Promise<ListedRecord[]> {
    return (await this.page(selection, range)).records;
  }

  /** A range, and how many records are selected, as of the same moment. */
  page(selection: Selection, range: Range): Promise<{ total: number; records: ListedRecord[] }> {
    return this.#steady(async (state) => {
      const selected = await this.#select(selection, state);
      const { total, own } = selected;
      if (own === 0 && selected.shadowed.length === 0)
        return { total, records: await this.#curated.list(selected.inCurated, range) };
      const records =
        selection.matching === undefined
          ? await this.#listByRank(selected, range)
          : await this.#listByMerge(selected, range);
      return { total, records };
    });
  }

  async shadowed(): Promise<readonly string[]> {
    return (await this.#shadows.follow()).keys.map(({ iri }) => iri);
  }

  /** Merges two scans. What changes meanwhile may or may not be in it, but no record is in it twice. */
  async *scan(selection: ScanSelection): AsyncIterable<StoredRecord> {
    const own = this.#zone.scan(selection)[Symbol.asyncIterator]();
    let next = await own.next();
    for await (const records of batches(this.#curated.scan(selection), { items: SCANNED_AT_ONCE })) {
      const shadowing = new Set(await this.#zone.having(records.map(({ iri }) => iri)));
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

  /** Reads until no area has changed during the read, a few times at most. */
  async #steady<T>(read: (state: ShadowState) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const state = await this.#shadows.follow();
      if (state !== this.#state) this.#positions.clear();
      if (state.revisions?.[0] !== this.#state?.revisions?.[0]) this.#ownPids.clear();
      this.#state = state;
      // The last attempt is not checked here: then each area checks its reads.
      if (attempt === OVERLAY_ATTEMPTS) return read({ keys: state.keys });
      const result = await read(state);
      if ((await this.#shadows.follow()) === state) return result;
    }
  }

  async #select(selection: Selection, { keys, revisions }: ShadowState): Promise<OverlaySelection> {
    const { classes, matching } = selection;
    const inZone = revisions ? { ...selection, asOf: revisions[0] } : selection;
    const inCurated = revisions ? { ...selection, asOf: revisions[1] } : selection;
    const ofClasses = classes ? keys.filter(({ className }) => classes.includes(className)) : keys;
    const iris = ofClasses.map(({ iri }) => iri);
    const shadowed =
      matching === undefined || iris.length === 0
        ? ofClasses
        : (await this.#curated.present(iris, inCurated)).sort(compareKeys);
    const own = await this.#zone.count(inZone);
    const total = own + (await this.#curated.count(inCurated)) - shadowed.length;
    return { inZone, inCurated, key: JSON.stringify(classes), shadowed, own, total };
  }

  /** A number of records up to that of those that are selected; if it is greater than `most`, these are not all looked for. */
  async #countAtLeast(selection: Selection, shadowed: number, most: number): Promise<number> {
    // The larger area is the one in which enough is found soon.
    const curated = (await this.#curated.count(selection, most + shadowed)) - shadowed;
    return curated > most ? curated : curated + (await this.#zone.count(selection, most));
  }

  /**
   * Finds the range by ranks. The zone's k-th record is in the merged list at k + (curated records before it that
   * are not shadowed), which rises with k: binary search finds the first one at or after the offset.
   */
  async #listByRank({ inZone, inCurated, key, shadowed, own }: OverlaySelection, { offset, limit }: Range) {
    const pidAt = (k: number) =>
      remembered(this.#ownPids, `${k} ${key}`, async () => {
        const [record] = await this.#zone.list(inZone, { offset: k, limit: 1 });
        return record?.pid;
      });
    const ownStart = await lowerBound(Math.min(own, offset), offset, (k) =>
      remembered(this.#positions, `own ${k} ${key}`, async () => {
        const pid = await pidAt(k);
        // A concurrent change may have removed it.
        if (pid === undefined) return Number.POSITIVE_INFINITY;
        return k + (await this.#curated.rank(inCurated, pid)) - countBefore(shadowed, pid);
      }),
    );
    // From the first shadowed record on behind which the curated record of the range is.
    const curatedStart = offset - ownStart;
    const hidden = await lowerBound(shadowed.length, curatedStart + 1, (n) =>
      remembered(
        this.#positions,
        `shadowed ${n} ${key}`,
        async () => (await this.#curated.rank(inCurated, shadowed[n]!.pid)) - n,
      ),
    );
    const curated = await this.#unshadowed(inCurated, curatedStart + hidden, limit);
    if (ownStart >= own) return curated;
    // Mostly, a page is of the curated area alone, and the next record of the zone is behind it.
    const last = curated.length < limit ? undefined : curated.at(-1);
    const next = last && (await pidAt(ownStart));
    if (next !== undefined && compareCodePoints(next, last!.pid) > 0) return curated;
    const ownRecords = await this.#zone.list(inZone, { offset: ownStart, limit });
    return mergeInOrder(ownRecords, curated).slice(0, limit);
  }

  /** Up to `limit` curated records that are not shadowed, from a curated offset on. */
  async #unshadowed(inCurated: Selection, offset: number, limit: number): Promise<ListedRecord[]> {
    const found: ListedRecord[] = [];
    for (let at = offset, missing = limit; missing > 0; missing = limit - found.length) {
      const records = await this.#curated.list(inCurated, { offset: at, limit: missing });
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
  async #listByMerge({ inZone, inCurated, shadowed }: OverlaySelection, { offset, limit }: Range) {
    const own = await this.#zone.list(inZone, { offset: 0, limit: offset + limit });
    const start = Math.max(0, offset - own.length);
    const window = await this.#curated.list(inCurated, {
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

/** Records that were looked up, or are looked up now. */
function remembered<T>(known: Map<string, Promise<T>>, name: string, look: () => Promise<T>): Promise<T> {
  let found = known.get(name);
  if (found) return found;
  if (known.size >= POSITIONS_KEPT) known.clear();
  found = look();
  found.catch(() => known.delete(name));
  known.set(name, found);
  return found;
}

/** Two sorted lists as one. */
function mergeInOrder(own: readonly ListedRecord[], curated: readonly ListedRecord[]): ListedRecord[] {
  const merged: ListedRecord[] = [];
  let i = 0;
  for (const record of curated) {
    while (i < own.length && compareKeys(own[i]!, record) <= 0) merged.push(own[i++]!);
    merged.push(record);
  }
  return [...merged, ...own.slice(i)];
}

/** The smallest number below `end` whose value is at least `least`, else `end`. Values must not fall. */
async function lowerBound(
  end: number,
  least: number,
  valueAt: (n: number) => Promise<number>,
): Promise<number> {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((await valueAt(middle)) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}
