/**
 * One open store per place, however many ask for it: an incoming zone may be the curated area, and collections may
 * share directories. The store is closed when the last handle is.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { Memory } from '../memory/memory.ts';
import { Crowd } from './area-files.ts';
import { missingArea } from './followed-store.ts';
import type { RecordStore } from './store.ts';

/** How pids and classes are to be understood. Those of one schema are the same two functions every time. */
export type Naming = {
  /** The IRI of a pid; undefined if its prefix is unknown. */
  readonly expand: (pid: string) => string | undefined;
  /** The `schema_type` of a class; undefined if the schema has no such class. */
  readonly schemaTypeOf: (className: string) => string | undefined;
};

/** The naming of a schema. Each schema has its own two functions, by which stores recognize a changed one. */
export function namingOf({ expand, schemaTypeOf }: Naming): Naming {
  return { expand, schemaTypeOf };
}

export type OpenedStore = {
  readonly store: RecordStore;
  /** Uses the naming of a further handle from now on: it belongs to a newer version of the schema. */
  useNaming?(naming: Naming): Promise<void>;
};

type SharedStore = { readonly opened: Promise<OpenedStore>; handles: number };

/** The stores that are open in a service; there is one in a service. */
export class StoreHandles {
  readonly crowd = new Crowd();
  /** What their caches may use. */
  readonly memory: Memory;
  readonly #open = new Map<string, SharedStore>();
  #missing: RecordStore | undefined;
  /** The ends of stores that are being closed: an opening of the same one waits for it. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(memory = new Memory()) {
    this.memory = memory;
  }

  /** The store of areas that do not exist, and are not made here. */
  missing(): RecordStore {
    this.#missing ??= missingArea();
    return this.#missing;
  }

  /** A handle on the store of a directory; `openStore` is called if no handle is open yet. */
  async share(
    kind: string,
    directory: string,
    naming: Naming,
    openStore: (directory: string) => Promise<OpenedStore>,
  ): Promise<RecordStore> {
    mkdirSync(directory, { recursive: true });
    const path = realpathSync(directory);
    const key = `${kind}:${path}`;
    await this.#closing.get(key)?.catch(() => {});
    const shared = this.#open.get(key) ?? { opened: openStore(path), handles: 0 };
    this.#open.set(key, shared);
    shared.opened.catch(() => this.#open.delete(key));
    shared.handles += 1;
    const { store, useNaming } = await shared.opened;
    let closed = false;
    const close = async () => {
      if (closed) return;
      closed = true;
      shared.handles -= 1;
      if (shared.handles > 0) return;
      if (this.#open.get(key) === shared) this.#open.delete(key);
      const end = store.close().finally(() => this.#closing.delete(key));
      this.#closing.set(key, end);
      await end;
    };
    try {
      await useNaming?.(naming);
    } catch (error) {
      await close();
      throw error;
    }
    return { ...store, close };
  }
}
