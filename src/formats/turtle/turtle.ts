/** Turtle and N-Quads, which is the graph of the Turtle named for the record, as formats. */

import { hash } from 'node:crypto';
import type { RecordFormat } from '../format.ts';
import { parseGraph } from './read/graph.ts';
import { readGraph, readTurtle } from './read/read-turtle.ts';
import { quadsOf } from './streams.ts';
import { writeTurtle } from './write/write-turtle.ts';

export const turtleFormat = {
  title: 'Turtle',
  mediaType: 'text/turtle',
  streamType: 'text/turtle',
  isJson: false,
  mostListed: 60,
  parse: readTurtle,
  serialize: writeTurtle,
  note: (reason) => `# ${reason}\n`,
} satisfies RecordFormat;

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
