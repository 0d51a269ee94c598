/** Former states of areas, remembered for the next pages. */
import { LRUCache } from 'lru-cache';
import { MEMORY } from '../memory-bounds.ts';
import { AsOf, type StoreAt } from '../records/as-of.ts';
import type { Database } from '../storage/database.ts';

/** The memory of a record that has changed since a state, about. */
const RECORD_BYTES = 500;
/** Former states that are remembered, since their pages are asked for one after the other, and the changed records of all. */
const MOST_REMEMBERED = { states: 8, records: Math.floor(MEMORY.formerStates.bytes / RECORD_BYTES) };

export class FormerViews {
  readonly #database: Database;
  readonly #views: LRUCache<string, AsOf>;

  constructor(database: Database, { states, records } = MOST_REMEMBERED) {
    this.#database = database;
    this.#views = new LRUCache({
      max: states,
      maxSize: records * RECORD_BYTES,
      sizeCalculation: ({ remembered }) => Math.max(1, remembered) * RECORD_BYTES,
    });
  }

  /** @param most changes of a store since then that lists follow */
  of(stores: readonly StoreAt[], most?: number): AsOf {
    const parts = stores.map(
      ({ store, revision }) => `${store.area.id}.${revision}.${store.visibility?.key ?? ''}`,
    );
    const key = [...parts, most].join(' ');
    const view = this.#views.get(key) ?? new AsOf(this.#database, stores, most);
    this.#views.set(key, view);
    this.#measure();
    return view;
  }

  /** How much a view remembers is known after it was read: all are added again, the one that was asked for longest ago first. */
  #measure(): void {
    for (const [key, view] of [...this.#views.entries()].reverse()) {
      this.#views.delete(key);
      this.#views.set(key, view);
    }
  }
}
