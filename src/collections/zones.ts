/** The incoming zones of a collection: known by label. */
import type { TokenDirectory } from '../access/config-tokens.ts';
import { labelProblem } from '../config/paths.ts';
import { ServiceError } from '../errors.ts';
import { compareCodePoints } from '../json.ts';
import { Overlay } from '../records/overlay.ts';
import type { RecordView } from '../records/record.ts';
import type { CollectionStorage } from '../storage/collection-storage.ts';
import type { RecordStore, StoreFault } from '../storage/store.ts';
import { RecentDeletes } from './recent-deletes.ts';

export type Zone = {
  readonly label: string;
  readonly store: RecordStore;
  /** Labels with one key are one zone: they share a directory. */
  readonly key: string;
  /** Whether the zone is the curated area itself: such configurations are in use. */
  readonly isCurated: boolean;
  /** The records of the zone over those of the curated area. */
  readonly overCurated: RecordView;
  readonly emptying: RecentDeletes;
};

export type ZonesOptions = {
  readonly storage: CollectionStorage;
  /** Whether the collection has zones. */
  readonly exist: boolean;
  readonly curated: RecordStore;
  readonly collection: string;
  /** The tokens that are configured now; they may name zones that have no records yet. */
  readonly tokens: TokenDirectory;
};

/** The most unused zones of a collection that stay open. */
const MOST_OPEN = 128;
/** How long a zone that was opened for reading alone stays open after it could be opened again, in milliseconds. */
const THAW_MS = 60_000;

/** The zones of one collection; each is opened when it is first used. */
export class Zones {
  readonly #options: ZonesOptions;
  /** In the order of their last use. */
  readonly #opened = new Map<string, Promise<Zone>>();
  /** Those of them that are open; to open one may take until another process releases a lock. */
  readonly #ready = new WeakMap<Promise<Zone>, Zone>();
  readonly #frozen = new Map<string, Zone>();
  /** Zones that requests may still have, and that no request finds any more. */
  readonly #taken = new Set<Promise<Zone>>();
  readonly #closing = new Set<Promise<void>>();
  /** Labels that requests have asked for since {@link takeUsed}, and those that were asked for before. */
  #used = new Set<string>();
  #usedBefore = new Set<string>();

  constructor(options: ZonesOptions) {
    this.#options = options;
  }

  /** Whether the collection has a place for zones. */
  get exist(): boolean {
    return this.#options.exist;
  }

  /**
   * The zone of a label, opened when it is first used.
   *
   * @throws ServiceError `path_outside_store` for a label that cannot be the name of a directory
   */
  open(label: string): Promise<Zone> {
    this.#used.add(label);
    const known = this.#opened.get(label);
    if (known) {
      this.#opened.delete(label);
      this.#opened.set(label, known);
    }
    return this.follow(label);
  }

  /** The same for what only follows the changes of the zone, which is not used by that. */
  follow(label: string): Promise<Zone> {
    const known = this.#opened.get(label);
    if (known) return known;
    const zone = this.#open(label);
    this.#opened.set(label, zone);
    zone.then((opened) => this.#ready.set(zone, opened)).catch(() => {});
    const forget = () => this.#opened.delete(label);
    // Another process may make a missing zone at any time.
    zone.then(({ store }) => store.followed === 'missing' && forget(), forget);
    return zone;
  }

  /** The zone of a label for reading: undefined if it does not exist, since only a write makes it. */
  async existing(label: string): Promise<Zone | undefined> {
    if (!this.#opened.has(label) && !(await this.#exists(label))) return undefined;
    try {
      const zone = await this.open(label);
      this.#thaw();
      return zone;
    } catch (error) {
      const frozen = error instanceof ServiceError && error.code === 'storage_full' && this.#freeze(label);
      if (frozen) return frozen;
      throw error;
    }
  }

  /** A zone that is only read, until the disk has room again. */
  #freeze(label: string): Zone | undefined {
    const { storage, curated } = this.#options;
    const known = this.#frozen.get(label);
    if (known) return known;
    const store = storage.openFrozen?.(label);
    if (!store) return undefined;
    if (this.#frozen.size >= MOST_OPEN) this.#thaw();
    const zone = zoneOf(label, store, storage, curated);
    this.#frozen.set(label, zone);
    return zone;
  }

  /** Requests may still read what is given up. */
  #thaw(): void {
    for (const { store } of this.#frozen.values()) setTimeout(() => store.close(), THAW_MS).unref();
    this.#frozen.clear();
  }

  /** All labels, sorted: those that tokens name, and those of zones that exist. */
  async labels(): Promise<string[]> {
    const { collection, tokens, storage } = this.#options;
    const labels = [...tokens.labelsOf(collection), ...(await storage.labels())];
    return [...new Set(labels)].sort(compareCodePoints);
  }

  async has(label: string): Promise<boolean> {
    if (labelProblem(label) !== undefined || !this.exist) return false;
    return this.#opened.has(label) || (await this.labels()).includes(label);
  }

  /**
   * The labels whose zones may have changed since the last call: those that are open, and those that requests have asked
   * for. With thousands of zones, these are few.
   *
   * @returns also the labels whose requests may still write; {@link useAgain} has to be called when they have left
   */
  takeUsed(): { readonly labels: ReadonlySet<string>; readonly asked: ReadonlySet<string> } {
    const asked = this.#used;
    const labels = new Set([...asked, ...this.#usedBefore, ...this.#opened.keys()]);
    this.#used = new Set();
    this.#usedBefore = new Set();
    return { labels, asked };
  }

  /** Has the next {@link takeUsed} return labels once more. */
  useAgain(labels: Iterable<string>): void {
    for (const label of labels) this.#usedBefore.add(label);
  }

  /** The revisions of the zones that exist, if other instances change them and one question finds all of them. */
  revisions(): Promise<ReadonlyMap<string, number>> | undefined {
    return this.#options.storage.revisions?.();
  }

  /** What is wrong with the stored data of the zones that are in use, beyond that of the curated area. */
  async faults(): Promise<StoreFault[]> {
    const zones = this.opened().filter(({ isCurated }) => !isCurated);
    return (await Promise.all(zones.map(({ store }) => store.faults()))).flat();
  }

  /**
   * Takes out the zones that were used longest ago, if there are more than are kept open: each takes files and memory, and
   * there may be as many as users. A request that wants one of them opens it again.
   *
   * @returns the zones, to be closed by {@link closeTaken} when no request has them any more
   */
  takeUnused(): Promise<Zone>[] {
    const taken: Promise<Zone>[] = [];
    for (const [label, zone] of this.#opened) {
      if (this.#opened.size <= MOST_OPEN) break;
      this.#opened.delete(label);
      this.#taken.add(zone);
      taken.push(zone);
    }
    return taken;
  }

  closeTaken(zone: Promise<Zone>): void {
    this.#taken.delete(zone);
    const closing = zone
      .then(({ store }) => store.close())
      .catch(() => {})
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async close(): Promise<void> {
    for (const { store } of this.#frozen.values()) await store.close();
    for (const zone of this.#taken) this.closeTaken(zone);
    await Promise.all(this.#closing);
    const zones = await Promise.allSettled(this.#opened.values());
    for (const zone of zones) if (zone.status === 'fulfilled') await zone.value.store.close();
  }

  /** The zones that are open now, without those that are being opened. */
  opened(): Zone[] {
    return [...this.#opened.values()].flatMap((zone) => this.#ready.get(zone) ?? []);
  }

  async #exists(label: string): Promise<boolean> {
    const { storage, exist } = this.#options;
    return !exist || ((await storage.exists?.(label)) ?? true);
  }

  async #open(label: string): Promise<Zone> {
    const { storage, exist, curated } = this.#options;
    if (!exist) throw new ServiceError('incoming_missing', 'The collection has no incoming zones.');
    return zoneOf(label, await storage.open(label), storage, curated);
  }
}

function zoneOf(label: string, store: RecordStore, storage: CollectionStorage, curated: RecordStore): Zone {
  const isCurated = storage.isCurated(label);
  const overCurated = isCurated ? store : new Overlay(store, curated);
  const key = storage.keyOf?.(label) ?? label;
  return { label, store, key, isCurated, overCurated, emptying: new RecentDeletes() };
}
