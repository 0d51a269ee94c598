/** The overlays of zones that are kept, since they remember what they have read. */
import { LRUCache } from 'lru-cache';
import { MEMORY } from '../memory-bounds.ts';
import { Overlay } from '../records/overlay.ts';
import { Shadows } from '../records/shadows.ts';
import type { Database } from '../storage/database.ts';
import type { RecordStore } from '../storage/store.ts';

export class Overlays {
  /** By the areas and the visibility of readers. */
  readonly #kept: LRUCache<string, Overlay>;

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
    const overlay = this.#kept.get(key) ?? new Overlay(new Shadows(database, zone, curated), zone, curated);
    // It may have grown since: the size of a value that is already there is not computed again.
    this.#kept.delete(key);
    this.#kept.set(key, overlay);
    return overlay;
  }
}
