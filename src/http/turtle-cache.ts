/** Records as Turtle, cached: clients ask for the same documents again and again, and making one is expensive. */
import { LRUCache } from 'lru-cache';
import { FORMATS } from '../formats/formats.ts';
import type { Threads } from '../jobs/threads.ts';
import type { RecordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';

/** In UTF-16 units of the JSON and Turtle strings together. */
const MAX_SIZE = 32 * 1024 * 1024;

/** Schema, class and JSON decide the document, so nothing in here can be out of date. */
export class TurtleCache {
  readonly #documents = new LRUCache<string, string>({
    maxSize: MAX_SIZE,
    sizeCalculation: (value, key) => value.length + key.length,
  });

  /** In UTF-16 units. */
  get size(): number {
    return this.#documents.calculatedSize;
  }

  /** Of a long record in a thread. @throws ServiceError `conversion_failed` */
  async documentOf(threads: Threads, schema: Schema, record: RecordText): Promise<string> {
    const { className, json } = record;
    if (json.length < LONG_RECORD) return this.document(schema, record);
    return resultWithSchema<string>(threads, schema, 'write Turtle', { className, json });
  }

  /** @throws ServiceError `conversion_failed` */
  document(schema: Schema, { className, json }: RecordText): string {
    const key = `${schema.digest}\n${className}\n${json}`;
    let document = this.#documents.get(key);
    if (document === undefined) {
      document = FORMATS.ttl.serialize(json, className, schema);
      this.#documents.set(key, document);
    }
    return document;
  }
}
