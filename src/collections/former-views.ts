/** Former states of areas, remembered for the next pages. */
import { LRUCache } from 'lru-cache';
import { AsOf, type StoreAt } from '../records/as-of.ts';
import type { Database } from '../storage/database.ts';

/** Former states that are remembered, since their pages are asked for one after the other, and the changed records of all. */
const MOST_REMEMBERED = { states: 8, records: 200_000 };

export class FormerViews {
  readonly #database: Database;
  readonly #views: LRUCache<string, AsOf>;
  readonly #mostRecords: number;

  constructor(database: Database, { states, records } = MOST_REMEMBERED) {
    this.#database = database;
    this.#views = new LRUCache({ max: states });
    this.#mostRecords = records;
  }

  of(stores: readonly StoreAt[]): AsOf {
    const key = stores
      .map(({ store, revision }) => `${store.area.id}.${revision}.${store.visibility?.key ?? ''}`)
      .join(' ');
    const view = this.#views.get(key) ?? new AsOf(this.#database, stores);
    this.#views.set(key, view);
    this.#forget(view);
    return view;
  }

  /** Forgets what was asked for longest ago. How much a view remembers is known after it was read. */
  #forget(asked: AsOf): void {
    let records = 0;
    for (const [key, view] of [...this.#views.entries()]) {
      records += view.remembered;
      if (records > this.#mostRecords && view !== asked) this.#views.delete(key);
    }
  }
}
