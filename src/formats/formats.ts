/** The formats that records are exchanged in, as a table. */
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { RecordFormat } from './format.ts';
import { jsonFormat } from './json.ts';
import { jsonLdFormat } from './json-ld.ts';
import { nQuadsFormat, turtleFormat } from './turtle/turtle.ts';

/** All formats, by their name in the query parameter `format`. */
export const FORMATS = {
  json: jsonFormat,
  ttl: turtleFormat,
  jsonld: jsonLdFormat,
  nq: nQuadsFormat,
} satisfies Record<string, RecordFormat>;

export type FormatName = keyof typeof FORMATS;

type Written = { readonly pid: string; readonly className: string; readonly json: string };

/** The document of a record in a list. One that does not fit the schema is reported in a note, and stops no other. */
export function documentOrNote(name: FormatName, schema: Schema, { pid, className, json }: Written): string {
  const format: RecordFormat = FORMATS[name];
  try {
    return format.serialize(json, className, schema);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reason = `The record ${pid} of class ${className} cannot be written as ${format.title}. ${error.message}`;
    return format.note(reason.replace(/\s+/g, ' '));
  }
}
