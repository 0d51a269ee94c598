/**
 * One open store per place, however many ask for it: an incoming zone may be the curated area, and collections may
 * share directories. The store is closed when the last handle is.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import type { RecordStore } from './store.ts';

type Shared = { readonly store: Promise<RecordStore>; handles: number };

const open = new Map<string, Shared>();

/** A handle on the store of a directory; `openStore` is called where no handle is open yet. */
export async function sharedHandle(
  kind: string,
  directory: string,
  openStore: (directory: string) => Promise<RecordStore>,
): Promise<RecordStore> {
  mkdirSync(directory, { recursive: true });
  const path = realpathSync(directory);
  const key = `${kind}:${path}`;
  let shared = open.get(key);
  if (!shared) {
    shared = { store: openStore(path), handles: 0 };
    open.set(key, shared);
    shared.store.catch(() => open.delete(key));
  }
  shared.handles += 1;
  const mine = shared;
  const store = await mine.store;
  let closed = false;
  return {
    ...store,
    close: async () => {
      if (closed) return;
      closed = true;
      mine.handles -= 1;
      if (mine.handles > 0) return;
      if (open.get(key) === mine) open.delete(key);
      await store.close();
    },
  };
}
