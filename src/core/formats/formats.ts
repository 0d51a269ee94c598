/** The formats that records are exchanged in, as a table. */

import { hash } from 'node:crypto';
import { parseGraph } from '#linkml/turtle/read/graph.ts';
import { readGraph, readTurtle } from '#linkml/turtle/read/read-turtle.ts';
import { isServiceError } from '../errors.ts';
import type { CheckOptions, Schema } from '../schema/schema.ts';
import { jsonFormat } from './json.ts';
import { jsonLdFormat } from './json-ld.ts';
import type { RecordFormat } from './record-format.ts';
import { quadsOf, recordTurtle } from './turtle-records.ts';

const turtleFormat = {
  title: 'Turtle',
  mediaType: 'text/turtle',
  streamType: 'text/turtle',
  isJson: false,
  mostListed: 60,
  parse: readTurtle,
  serialize: recordTurtle,
  note: (reason) => `# ${reason}\n`,
} satisfies RecordFormat;

/** Hexadecimal digits of the names of blank nodes. */
const DIGITS = 16;

const nQuadsFormat: RecordFormat = {
  title: 'N-Quads',
  mediaType: 'application/n-quads',
  streamType: 'application/n-quads',
  isJson: false,
  mostListed: 60,
  parse: (body, className, schema) => readGraph(parseGraph(body, 'N-Quads'), className, schema),
  // A stream is one document, in which the blank nodes of two records must not have one name.
  serialize: (json, className, schema) =>
    quadsOf(recordTurtle(json, className, schema), hash('sha256', json, 'hex').slice(0, DIGITS)),
  note: (reason) => `# ${reason}\n`,
};

/** All formats, by their name in the query parameter `format`. */
export const FORMATS = {
  json: jsonFormat,
  ttl: turtleFormat,
  jsonld: jsonLdFormat,
  nq: nQuadsFormat,
} satisfies Record<string, RecordFormat>;

export type FormatName = keyof typeof FORMATS;

/** How what was read from a format is checked. Only JSON is read as the peer reads it, with numbers as seconds since 1970. */
export function checkOptionsOf(format: FormatName): CheckOptions {
  return { timestamps: FORMATS[format].isJson ? 'accept' : 'refuse' };
}

type SerializedRecord = { readonly pid: string; readonly className: string; readonly json: string };

/** The document of a record in a list. One that does not fit the schema is reported in a note, and stops no other. */
export function documentOrNote(
  name: FormatName,
  schema: Schema,
  { pid, className, json }: SerializedRecord,
): string {
  const format: RecordFormat = FORMATS[name];
  try {
    return format.serialize(json, className, schema);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const reason = `The record ${pid} of class ${className} cannot be written as ${format.title}. ${error.message}`;
    return format.note(reason.replace(/\s+/g, ' '));
  }
}
