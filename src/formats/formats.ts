/** The formats that records are exchanged in, as a table. */
import type { FormatName, RecordFormat } from './format.ts';
import { jsonFormat } from './json.ts';
import { turtleFormat } from './turtle/turtle.ts';

/** All formats, by their name in the query parameter `format`. */
export const FORMATS: Readonly<Record<FormatName, RecordFormat>> = {
  json: jsonFormat,
  ttl: turtleFormat,
};
