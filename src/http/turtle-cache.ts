/** Records as Turtle, cached: clients ask for the same documents again and again, and making one is expensive. */
import { FORMATS } from '../formats/formats.ts';
import { type Cache, Memory } from '../memory/memory.ts';
import type { RecordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { resultWithSchema } from '../tasks/schemas.ts';
import type { Threads } from '../work/threads.ts';

/** Schema, class and JSON decide the document, so nothing in here can be out of date. */
export class TurtleCache {
  readonly #documents: Cache<string>;

  constructor(memory = new Memory()) {
    this.#documents = memory.cache('turtle', (value, key) => bytesOf(value) + bytesOf(key));
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

/** V8 keeps a string in one byte for each character, unless there are others than those of Latin-1. */
function bytesOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
}
