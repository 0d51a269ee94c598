/** The incoming zones of a collection: known by label, each a directory below the incoming path. */
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { confineZone, labelProblem } from '../config/paths.ts';
import { ServiceError } from '../errors.ts';
import { compareCodePoints } from '../json.ts';
import { Overlay } from '../records/overlay.ts';
import type { RecordView } from '../records/record.ts';
import type { RecordStore, StoreFault } from '../storage/store.ts';
import { Emptying } from './emptying.ts';

export type Zone = {
  readonly label: string;
  readonly store: RecordStore;
  /** Whether the zone is the curated area itself: such configurations are in use. */
  readonly isCurated: boolean;
  /** The records of the zone over those of the curated area. */
  readonly overCurated: RecordView;
  readonly emptying: Emptying;
};

export type ZonesOptions = {
  readonly storeRoot: string;
  /** The directory of all zones; undefined where no token can write. */
  readonly incomingPath: string | undefined;
  readonly curatedPath: string;
  readonly curated: RecordStore;
  /** The store of a directory. */
  readonly openStore: (directory: string) => Promise<RecordStore>;
  /** The labels that configured tokens name now. */
  readonly tokenLabels: () => Iterable<string>;
};

/** So many zones of a collection stay open while nobody uses them. */
const MOST_OPEN = 128;

/** The zones of one collection; each is opened when it is first used. */
export class Zones {
  readonly #options: ZonesOptions;
  /** The one that was used last stands last. */
  readonly #opened = new Map<string, Promise<Zone>>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: ZonesOptions) {
    this.#options = options;
  }

  /** Whether the collection has a place for zones. */
  get exist(): boolean {
    return this.#options.incomingPath !== undefined;
  }

  /**
   * The zone of a label, opened when it is first used.
   *
   * @throws ServiceError `path_outside_store` for a label that can't be the name of a directory
   */
  open(label: string): Promise<Zone> {
    const known = this.#opened.get(label);
    if (known) {
      this.#opened.delete(label);
      this.#opened.set(label, known);
      return known;
    }
    const zone = this.#open(label);
    this.#opened.set(label, zone);
    zone.catch(() => this.#opened.delete(label));
    return zone;
  }

  /** All labels, sorted: those that tokens name, and those on disk. */
  async labels(): Promise<string[]> {
    const labels = new Set([...this.#options.tokenLabels(), ...(await this.#labelsOnDisk())]);
    return [...labels].sort(compareCodePoints);
  }

  async has(label: string): Promise<boolean> {
    if (labelProblem(label) !== undefined || this.#options.incomingPath === undefined) return false;
    return this.#opened.has(label) || (await this.labels()).includes(label);
  }

  /** What is wrong with the stored data of the zones that are in use, beyond that of the curated area. */
  async faults(): Promise<StoreFault[]> {
    const zones = (await this.#openZones()).filter(({ isCurated }) => !isCurated);
    return (await Promise.all(zones.map(({ store }) => store.faults()))).flat();
  }

  /**
   * Closes the zones that were used longest ago, where there are more than are kept open: each takes files and memory,
   * and there may be as many as users. To be called when nobody uses any.
   */
  closeUnused(): void {
    for (const [label, zone] of this.#opened) {
      if (this.#opened.size <= MOST_OPEN) return;
      this.#opened.delete(label);
      const closing = zone
        .then(({ store }) => store.close())
        .catch(() => {})
        .finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#closing);
    for (const { store } of await this.#openZones()) await store.close();
  }

  async #openZones(): Promise<Zone[]> {
    const zones = await Promise.allSettled(this.#opened.values());
    return zones.flatMap((zone) => (zone.status === 'fulfilled' ? [zone.value] : []));
  }

  async #open(label: string): Promise<Zone> {
    const { storeRoot, incomingPath, curatedPath, curated, openStore } = this.#options;
    if (incomingPath === undefined) {
      throw new ServiceError('incoming_missing', 'The collection has no incoming zones.');
    }
    const directory = confineZone(storeRoot, incomingPath, label);
    const store = await openStore(directory);
    const isCurated = directory === curatedPath;
    const overCurated = isCurated ? store : new Overlay(store, curated);
    // Writes to the curated area go through its store, whoever makes them.
    const written = isCurated ? { ...curated, close: () => store.close() } : store;
    return { label, store: written, isCurated, overCurated, emptying: new Emptying() };
  }

  /** The directories below the incoming path; links count where they stay in the store. */
  async #labelsOnDisk(): Promise<string[]> {
    const { storeRoot, incomingPath } = this.#options;
    if (incomingPath === undefined) return [];
    const entries = await readdir(incomingPath, { withFileTypes: true }).catch(nothingIfMissing);
    return entries
      .filter(
        (entry) =>
          entry.isDirectory() || (entry.isSymbolicLink() && isZone(storeRoot, incomingPath, entry.name)),
      )
      .map(({ name }) => name)
      .filter((name) => labelProblem(name) === undefined);
  }
}

/** No directory is no zones; one that can't be read holds nobody knows which. */
function nothingIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw new ServiceError('storage_failed', 'The directory of the incoming zones can not be read.', [], {
    cause: error,
  });
}

function isZone(storeRoot: string, incomingPath: string, label: string): boolean {
  try {
    const directory = confineZone(storeRoot, incomingPath, label);
    return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
