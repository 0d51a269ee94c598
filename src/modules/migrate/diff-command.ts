import { PROBLEMS_FOUND } from '../../cli/outcome.ts';
import { countText, printRows } from '../../cli/print.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { EFFECTS, schemaDifference } from './schema-difference.ts';

/** `schema diff`: what differs between two schemas, and what breaks. */
export async function schemaDiff(
  from: string,
  to: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const changes = schemaDifference(await openSchema(from), await openSchema(to));
  const rows = changes.map(({ effect, element, of, name, message }) => ({
    effect: EFFECTS[effect],
    element,
    name: of === undefined ? name : `${of}.${name}`,
    change: message,
  }));
  await printRows(rows, ['effect', 'element', 'name', 'change'], json);
  const breaking = changes.filter(({ effect }) => effect === 'tightened').length;
  process.stderr.write(`${countText(changes.length, 'change')}, ${breaking} may break records\n`);
  return breaking > 0 ? PROBLEMS_FOUND : 0;
}
