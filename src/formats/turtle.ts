/** Records as Turtle. Both directions follow the schema; `docs/turtle.md` has the rules. */
import type { RecordFormat } from './format.ts';
import { readTurtle } from './turtle-read.ts';
import { writeTurtle } from './turtle-write.ts';

export const turtleFormat: RecordFormat = {
  parse: readTurtle,
  serialize: writeTurtle,
};
