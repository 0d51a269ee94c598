/** `accession schema diff`: what differs between two schemas, and what breaks. */
import { openSchema } from '../schema/schema.ts';
import type { Given } from './command.ts';
import { EFFECTS, schemaDifference } from './offline/schema-difference.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, printRows } from './print.ts';

/** Run by the table of commands. */
export async function schemaDiff(given: Given): Promise<number> {
  const [from = '', to = ''] = given.args;
  const changes = schemaDifference(await openSchema(from), await openSchema(to));
  const rows = changes.map(({ effect, element, of, name, message }) => ({
    effect: EFFECTS[effect],
    element,
    name: of === undefined ? name : `${of}.${name}`,
    change: message,
  }));
  await printRows(rows, ['effect', 'element', 'name', 'change'], given.is('json'));
  const breaking = changes.filter(({ effect }) => effect === 'tightened').length;
  process.stderr.write(`${counted(changes.length, 'change')}, ${breaking} may break records\n`);
  return breaking > 0 ? PROBLEMS_FOUND : 0;
}
