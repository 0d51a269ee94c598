/** Pages, remembered: many clients ask for the same ones again and again, and most of the time nothing has changed. */
import { LRUCache } from 'lru-cache';
import type { Source } from '../collections/area.ts';
import type { Collection } from '../collections/collection.ts';

/** For each collection, in bytes. */
const MAX_SIZE = 8 * 1024 * 1024;

type Remembered = { readonly revision: number; readonly body: Buffer };

const caches = new WeakMap<Collection, LRUCache<string, Remembered>>();

/**
 * The body of a page: the one that was made before, while its source is at the same revision.
 *
 * The revision is taken before the body is made. A change in between makes the body newer than the revision says, and so
 * is never answered in place of one that is newer still.
 *
 * @param parameters everything that the body depends on besides the records of the source
 */
export async function rememberedPage(
  collection: Collection,
  source: Source,
  parameters: readonly unknown[],
  make: () => Promise<string>,
): Promise<Buffer> {
  const cache = cacheOf(collection);
  const key = JSON.stringify([source.name, ...parameters]);
  const revision = await source.view.revision();
  const known = cache.get(key);
  if (known?.revision === revision) return known.body;
  const body = Buffer.from(await make());
  cache.set(key, { revision, body });
  return body;
}

function cacheOf(collection: Collection): LRUCache<string, Remembered> {
  let cache = caches.get(collection);
  if (cache === undefined) {
    cache = new LRUCache({ maxSize: MAX_SIZE, sizeCalculation: ({ body }, key) => body.length + key.length });
    caches.set(collection, cache);
  }
  return cache;
}
