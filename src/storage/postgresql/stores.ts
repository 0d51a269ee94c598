/** The stores of the areas of one database. */
import { relative, resolve, sep } from 'node:path';
import type { RecordStore } from '../store.ts';
import type { Naming, OpenedStore } from '../store-handles.ts';
import type { Database } from './database.ts';
import { type AreaOptions, openPostgresqlStore } from './store.ts';

export type PostgresqlStores = {
  readonly database: Database;
  /**
   * A handle on the store of an area. All handles of an area share what is behind them, which is closed with the last.
   *
   * @param path where the area would be on disk: absolute, or relative to the root
   * @param naming how pids are resolved from now on: of several handles, that of the newest one
   */
  open(path: string, naming: Naming): Promise<RecordStore>;
  /** The name of the area that a path stands for: the path relative to the root. */
  areaOf(path: string): string;
};

type SharedArea = { readonly opened: Promise<OpenedStore>; handles: number };

/** @param root the store directory, whose relative paths name the areas */
export function postgresqlStores(database: Database, root: string, options?: AreaOptions): PostgresqlStores {
  const shared = new Map<string, SharedArea>();
  const areaOf = (path: string) => relative(root, resolve(root, path)).split(sep).join('/');
  return {
    database,
    areaOf,
    async open(path, naming) {
      const area = areaOf(path);
      let mine = shared.get(area);
      if (!mine) {
        mine = { opened: openPostgresqlStore(database, area, options), handles: 0 };
        shared.set(area, mine);
        mine.opened.catch(() => shared.delete(area));
      }
      mine.handles += 1;
      const ours = mine;
      const { store, useNaming } = await ours.opened;
      let closed = false;
      const close = async () => {
        if (closed) return;
        closed = true;
        ours.handles -= 1;
        if (ours.handles > 0) return;
        if (shared.get(area) === ours) shared.delete(area);
        await store.close();
      };
      try {
        await useNaming?.(naming);
      } catch (error) {
        await close();
        throw error;
      }
      return { ...store, close };
    },
  };
}
