/**
 * One open store per place, however many ask for it: an incoming zone may be the curated area, and collections may
 * share directories. The store is closed when the last handle is.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import type { RecordStore } from './store.ts';

/** How pids and classes are to be understood. Those of one schema are the same two functions every time. */
export type Naming = {
  /** The IRI of a pid; undefined where its prefix is unknown. */
  readonly expand: (pid: string) => string | undefined;
  /** What `schema_type` is for a class; undefined for what is no class of the schema. */
  readonly schemaTypeOf: (className: string) => string | undefined;
};

export type OpenedStore = {
  readonly store: RecordStore;
  /** Takes over the naming of a further handle: it is newer, since a schema that has changed is opened anew. */
  rename?(naming: Naming): Promise<void>;
};

type Shared = { readonly opened: Promise<OpenedStore>; handles: number };

const open = new Map<string, Shared>();
/** The ends of stores that are being closed: who wants the place again waits for it. */
const closing = new Map<string, Promise<void>>();

/** A handle on the store of a directory; `openStore` is called where no handle is open yet. */
export async function sharedHandle(
  kind: string,
  directory: string,
  naming: Naming,
  openStore: (directory: string) => Promise<OpenedStore>,
): Promise<RecordStore> {
  mkdirSync(directory, { recursive: true });
  const path = realpathSync(directory);
  const key = `${kind}:${path}`;
  await closing.get(key)?.catch(() => {});
  let shared = open.get(key);
  if (!shared) {
    shared = { opened: openStore(path), handles: 0 };
    open.set(key, shared);
    shared.opened.catch(() => open.delete(key));
  }
  shared.handles += 1;
  const mine = shared;
  const { store, rename } = await mine.opened;
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    mine.handles -= 1;
    if (mine.handles > 0) return;
    if (open.get(key) === mine) open.delete(key);
    const end = store.close().finally(() => closing.delete(key));
    closing.set(key, end);
    await end;
  };
  try {
    await rename?.(naming);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...store, close };
}
