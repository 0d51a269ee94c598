/** The slots that the columns of a table can go to. */

import { type ClassDescription, readClass, slotTitle } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { tables } from '../client.ts';
import { readCsv } from '../files/csv.ts';
import type { Choice } from './columns-step.tsx';
import type { Kind } from './sheet.ts';

/** The slots that columns can go to: those of the empty table of the class, by their titles. */
export async function choicesOf(collection: string, className: string): Promise<Choice[]> {
  const [description, template] = await Promise.all([
    readClass(collection, className),
    lab(collection).use(tables).template(className, 'csv'),
  ]);
  const [header = []] = readCsv(await template.text());
  const choices = header.map(async (text) => {
    const required = text.endsWith('*');
    const slot = required ? text.slice(0, -1) : text;
    const [first = '', ...rest] = slot.split('.');
    const known = description.slots.find(({ name }) => name === first);
    const words = rest.map((part) => part.replaceAll('_', ' '));
    const title = [known ? slotTitle(known) : first, ...words].join(', ');
    return { slot, required, title, kind: await kindAt(collection, description, [first, ...rest]) };
  });
  return Promise.all(choices);
}

/** The kind of the range at the end of a path of slots. */
async function kindAt(
  collection: string,
  { slots }: ClassDescription,
  [first = '', ...rest]: readonly string[],
): Promise<Kind> {
  const range = slots.find(({ name }) => name === first)?.range ?? { kind: 'any' };
  if (rest.length === 0) return range;
  return range.kind === 'class'
    ? kindAt(collection, await readClass(collection, range.class), rest)
    : { kind: 'any' };
}
