/** Records as Turtle, remembered: clients ask for the same documents again and again, and making one is expensive. */
import { LRUCache } from 'lru-cache';
import { FORMATS } from '../formats/formats.ts';
import type { RecordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';

/** For each schema, in UTF-16 units of the JSON and Turtle texts together. */
const MAX_SIZE = 32 * 1024 * 1024;

/** By class and text: what a record says decides its document, so that nothing here can be out of date. */
const caches = new WeakMap<Schema, LRUCache<string, string>>();

/** @throws ServiceError `conversion_failed` */
export function turtleOf(schema: Schema, { className, json }: RecordText): string {
  let cache = caches.get(schema);
  if (cache === undefined) {
    cache = new LRUCache({ maxSize: MAX_SIZE, sizeCalculation: (value, key) => value.length + key.length });
    caches.set(schema, cache);
  }
  const key = `${className}\n${json}`;
  let document = cache.get(key);
  if (document === undefined) {
    document = FORMATS.ttl.serialize(json, className, schema);
    cache.set(key, document);
  }
  return document;
}
