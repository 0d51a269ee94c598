/** The contract of a format that records are exchanged in: text ⇄ record, driven by a schema. */
import type { JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';

/** The values of the query parameter `format`. */
export type FormatName = 'json' | 'ttl';

export interface RecordFormat {
  /**
   * Reads one object of the class from a body. The result still has to be checked by the schema.
   *
   * @throws ServiceError `body_malformed` if the body does not have the format (with line and column), or
   *   `conversion_failed` for one that cannot be an object of the class (and why).
   */
  parse(body: string, className: string, schema: Schema): JsonObject;
  /** Writes one stored record from its canonical JSON text, deterministically. */
  serialize(json: string, className: string, schema: Schema): string;
}
