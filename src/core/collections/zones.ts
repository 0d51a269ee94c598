/** The incoming zones of a collection: areas, known by label. */
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { compareCodePoints } from '#linkml/json.ts';
import type { TokenDirectory } from '../access/config-tokens.ts';
import {
  areaPath,
  confineZone,
  labelProblem,
  labelRefused,
  linkedZones,
  zonesOnDisk,
} from '../config/paths.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import { MEMORY } from '../memory-bounds.ts';
import { Overlay } from '../records/overlay.ts';
import type { RecordView } from '../records/record.ts';
import { Shadows } from '../records/shadows.ts';
import type { Database } from '../storage/database.ts';
import type { RecordStore } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';

type Zone = {
  readonly label: string;
  /** Labels with one path are one zone: they share a directory. */
  readonly path: string;
  readonly store: RecordStore;
  /** Whether the zone is the curated area itself: such configurations are in use. */
  readonly isCurated: boolean;
  /** The records of the zone over those of the curated area, as a caller sees both; all without a visibility. */
  overCurated(visibility?: Visibility): RecordView;
};

type ZonesOptions = {
  readonly database: Database;
  /** The store directory. */
  readonly root: string;
  /** The directory of the zones, located; undefined if the collection has no zones. */
  readonly incoming: string | undefined;
  readonly curated: RecordStore;
  readonly collection: string;
  readonly overlays: Overlays;
  /** The tokens that are configured now; they may name zones that have no records yet. */
  readonly tokens: TokenDirectory;
};

/** The memory of a zone that was opened, about. */
const ZONE_BYTES = 2000;

export class Zones {
  /** Whether the collection has zones. */
  readonly exist: boolean;
  readonly #options: ZonesOptions;
  /** The path that those of the zones begin with; empty if there are none. */
  readonly path: string;
  /** The directory of the zones. */
  readonly directory: string | undefined;
  /** The paths of labels that were links to other directories when the collection was opened. */
  readonly #links: ReadonlyMap<string, string>;
  readonly #zones = new LRUCache<string, Zone>({
    maxSize: MEMORY.zones.bytes,
    sizeCalculation: () => ZONE_BYTES,
  });

  constructor(options: ZonesOptions) {
    const { root, incoming } = options;
    this.#options = options;
    this.exist = incoming !== undefined;
    this.directory = incoming;
    this.path = incoming === undefined ? '' : areaPath(root, incoming);
    const linked = incoming === undefined ? [] : linkedZones(root, incoming);
    this.#links = new Map(linked.map(([label, located]) => [label, areaPath(root, located)]));
  }

  /**
   * The zone of a label, which is made if it is missing.
   *
   * @throws ServiceError `label_unknown` for a label that cannot be the name of a directory, `path_outside_store`,
   *   `incoming_missing`
   */
  async open(label: string): Promise<Zone> {
    const known = this.#zones.get(label);
    if (known) return known;
    const path = this.pathOf(label);
    return this.#zone(label, path, await this.#options.database.area(path));
  }

  /** The zone of a label, if it was ever written to. @throws as {@link open} */
  async existing(label: string): Promise<Zone | undefined> {
    const known = this.#zones.get(label);
    if (known) return known;
    // Only a zone that is made may have become a link since; a plain name needs no look at the disk.
    const isPlain = this.exist && labelProblem(label) === undefined;
    const path = isPlain ? (this.#links.get(label) ?? `${this.path}/${label}`) : this.pathOf(label);
    const store = await this.#options.database.existingArea(path);
    return store && this.#zone(label, path, store);
  }

  /** All labels, sorted: those that tokens name, those of zones that exist, and of their directories. */
  async labels(): Promise<string[]> {
    const { collection, tokens, root, incoming } = this.#options;
    if (incoming === undefined) return [];
    const areas = await this.areas();
    const labels = new Set([
      ...tokens.labelsOf(collection),
      ...areas.filter(({ revision }) => revision > 0).map(({ path }) => path.slice(this.path.length + 1)),
      ...zonesOnDisk(root, incoming),
    ]);
    return [...labels].sort(compareCodePoints);
  }

  /** The directory of the zones, and those that some lead to. */
  get places(): readonly string[] {
    return this.exist ? [`${this.path}/`, ...this.#links.values()] : [];
  }

  /** The areas of the zones that were ever written to, but those of links. */
  async areas(): ReturnType<Database['areasBelow']> {
    return this.exist ? this.#options.database.areasBelow(this.path) : [];
  }

  /** The areas of all zones that were ever written to, each under the first of its labels: one statement for any number. */
  async written(): Promise<{ readonly label: string; readonly area: number }[]> {
    if (!this.exist) return [];
    const { database, curated } = this.#options;
    const linked = new Set(this.#links.values());
    const elsewhere = await Promise.all([...linked].map((path) => database.existingArea(path)));
    const areas = new Map((await this.areas()).map(({ id, path }) => [path, id]));
    for (const store of elsewhere) if (store) areas.set(store.area.path, store.area.id);
    areas.delete(curated.area.path);
    return [...areas].flatMap(([path, area]) => {
      const [label] = [...this.labelsAt(path)].sort(compareCodePoints);
      return label === undefined ? [] : [{ label, area }];
    });
  }

  /** Refuses labels that no zone can have. @throws ServiceError `label_unknown` */
  check(label: string): void {
    if (this.#zones.has(label)) return;
    if (!this.exist) throw labelRefused(label, 'leads nowhere: the collection has no incoming zones.');
    try {
      this.pathOf(label);
    } catch (error) {
      if (!isOutside(error)) throw error;
      throw labelRefused(label, 'is a link out of the store.');
    }
  }

  /** Whether a label is listed. */
  async has(label: string): Promise<boolean> {
    const { collection, tokens, root, incoming } = this.#options;
    if (incoming === undefined || labelProblem(label) !== undefined) return false;
    if ([...tokens.labelsOf(collection)].includes(label)) return true;
    return (await this.#wasWritten(label)) || zonesOnDisk(root, incoming).includes(label);
  }

  async #wasWritten(label: string): Promise<boolean> {
    try {
      const zone = await this.existing(label);
      return zone !== undefined && (await zone.store.revision()) > 0;
    } catch (error) {
      if (isOutside(error)) return false;
      throw error;
    }
  }

  /** Of the labels that are one zone with a label the first one by code point. */
  first(label: string): string {
    const path = this.pathOf(label);
    let first = label;
    for (const one of this.labelsAt(path)) if (compareCodePoints(one, first) < 0) first = one;
    return first;
  }

  /** The labels of the zone with a path; none if the path is of no zone. */
  *labelsAt(path: string): Iterable<string> {
    if (!this.exist) return;
    for (const [label, linked] of this.#links) if (linked === path) yield label;
    const label = path.slice(this.path.length + 1);
    if (path === `${this.path}/${label}` && labelProblem(label) === undefined) yield label;
  }

  /** The path of the area of a zone. @throws as {@link open} */
  pathOf(label: string): string {
    const { root, incoming } = this.#options;
    if (incoming === undefined)
      throw new ServiceError('incoming_missing', 'The collection has no incoming zones.');
    const directory = confineZone(root, incoming, label);
    return directory === join(incoming, label) ? `${this.path}/${label}` : areaPath(root, directory);
  }

  #zone(label: string, path: string, store: RecordStore): Zone {
    const { curated } = this.#options;
    const isCurated = path === curated.area.path;
    const overCurated = (visibility?: Visibility): RecordView => {
      const own = store.as(visibility);
      return isCurated ? own : this.#options.overlays.of(this.#options.database, own, curated.as(visibility));
    };
    const zone = { label, path, store, isCurated, overCurated };
    this.#zones.set(label, zone);
    return zone;
  }
}

/** The overlays of zones that are kept, since they remember what they have read. */
export class Overlays {
  /** By the areas and the visibility of readers. */
  readonly #kept: LRUCache<string, Overlay>;
  #last: string | undefined;

  /** @param limit in bytes */
  constructor(limit: number = MEMORY.overlays.bytes) {
    this.#kept = new LRUCache({ maxSize: limit, sizeCalculation: ({ bytes }) => bytes });
  }

  /** In bytes. */
  get used(): number {
    return this.#kept.calculatedSize;
  }

  /** The overlay of a zone over a curated area, both as one caller sees them. */
  of(database: Database, zone: RecordStore, curated: RecordStore): Overlay {
    const key = `${zone.area.id} ${curated.area.id} ${zone.visibility?.key ?? ''}`;
    if (this.#last !== key) this.#measure();
    this.#last = key;
    const known = this.#kept.get(key);
    if (known) return known;
    const overlay = new Overlay(new Shadows(database, zone, curated), zone, curated);
    this.#kept.set(key, overlay);
    return overlay;
  }

  /** Notes the size of the overlay that was used last, which may have grown: that of a value that is already there is not set again. */
  #measure(): void {
    const overlay = this.#last === undefined ? undefined : this.#kept.get(this.#last);
    if (this.#last === undefined || !overlay) return;
    this.#kept.delete(this.#last);
    this.#kept.set(this.#last, overlay);
  }
}

function isOutside(error: unknown): boolean {
  return isServiceError(error) && error.code === 'path_outside_store';
}
