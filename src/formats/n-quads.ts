/** Records as N-Quads: the graph of their Turtle, named for the record. */
import { hash } from 'node:crypto';
import type { RecordFormat } from './format.ts';
import { parseGraph } from './turtle/read/graph.ts';
import { readGraph } from './turtle/read/read-turtle.ts';
import { quadsOf } from './turtle/streams.ts';
import { writeTurtle } from './turtle/write/write-turtle.ts';

/** Hexadecimal digits of the names of blank nodes. */
const DIGITS = 16;

export const nQuadsFormat: RecordFormat = {
  title: 'N-Quads',
  mediaType: 'application/n-quads',
  streamType: 'application/n-quads',
  isJson: false,
  mostListed: 60,
  parse: (body, className, schema) => readGraph(parseGraph(body, 'N-Quads'), className, schema),
  // A stream is one document, in which the blank nodes of two records must not have one name.
  serialize: (json, className, schema) =>
    quadsOf(writeTurtle(json, className, schema), hash('sha256', json, 'hex').slice(0, DIGITS)),
  note: (reason) => `# ${reason}\n`,
};
