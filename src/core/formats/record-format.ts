/** The contract of the formats that records are exchanged in. */
import type { JsonObject } from '#linkml/json.ts';
import type { Schema } from '../schema/schema.ts';

/** A row of the table `FORMATS`: requests, lists, streams and the description of the API are made from it. */
export interface RecordFormat {
  /** The name for people. */
  readonly title: string;
  /** Of one record. */
  readonly mediaType: string;
  /** Of records that follow each other, each with a line break behind it. */
  readonly streamType: string;
  /** Whether a document is the stored JSON itself. Lists of other documents are arrays of strings. */
  readonly isJson: boolean;
  /** How many records a list without pages may have (specification 8). */
  readonly mostListed: number;
  /** Writes one stored record from its canonical JSON text, deterministically. @throws ServiceError `conversion_failed` */
  serialize(json: string, className: string, schema: Schema): string;
  /** A document without a record that says why it has none: it stands in a list for a record that cannot be written. */
  note(reason: string): string;
  /**
   * Reads one object of the class from a body. The result still has to be checked by the schema.
   *
   * @param contextUrl where the service has the JSON-LD context of the schema; only known in a thread
   * @throws ServiceError `body_malformed` if the body does not have the format (with line and column), or
   *   `conversion_failed` for one that cannot be an object of the class (and why).
   */
  parse(
    body: string,
    className: string,
    schema: Schema,
    contextUrl?: string,
  ): JsonObject | Promise<JsonObject>;
  /** Whether short bodies are read in a thread, too, because they may take long. */
  readonly isSlow?: boolean;
}
