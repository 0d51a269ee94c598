/** Records as Turtle. Both directions follow the schema; `docs/turtle.md` has the rules. */
import type { RecordFormat } from '../format.ts';
import { readTurtle } from './read/read-turtle.ts';
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
