/** Records as Turtle. Both directions follow the schema; `docs/turtle.md` has the rules. */
import { ServiceError } from '../errors.ts';
import type { RecordFormat } from './format.ts';

export const turtleFormat: RecordFormat = {
  name: 'ttl',
  mediaType: 'text/turtle',
  parse: notYet,
  serialize: notYet,
};

function notYet(): never {
  throw new ServiceError('conversion_failed', 'Turtle is not available yet.');
}
