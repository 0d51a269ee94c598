/** Which slots of a class are columns: required ones first, then in the order of the schema. */
import { go, place, withQuery } from '../shared/router.ts';
import { type ClassDescription, type Slot, titleSlot } from '../shared/schema.ts';
import { chooseSlots, chosenSlots } from './chosen-slots.ts';

const FITTING = 6;
/** The parameters of the address. */
export const COLUMNS = 'columns';
export const WIDTHS = 'widths';

/** Slots that can be columns: not the name, which is the first one anyway. */
export function candidates(description: ClassDescription): Slot[] {
  const title = titleSlot(description)?.name;
  return description.slots.filter(
    ({ name, identifier, designates_type }) => name !== title && !identifier && !designates_type,
  );
}

/** The columns of a class without a choice. */
export function columnsOf(description: ClassDescription): Slot[] {
  const isPlain = ({ range, name }: Slot) =>
    !(range.kind === 'class' && range.inlined) && range.kind !== 'any' && name !== 'description';
  const slots = candidates(description);
  const inOrder = [...slots.filter(({ required }) => required), ...slots.filter(({ required }) => !required)];
  return [...inOrder.filter(isPlain), ...inOrder.filter((slot) => !isPlain(slot))].slice(0, FITTING);
}

/** The columns that the address names, as a saved view does, else those that the user has chosen for a class. */
export function shownColumns(collection: string, description: ClassDescription): Slot[] | undefined {
  const named = place.value.query.get(COLUMNS)?.split(',');
  if (named) return named.flatMap((one) => candidates(description).find(({ name }) => name === one) ?? []);
  const names = chosenSlots('columns', collection, description);
  return names && candidates(description).filter(({ name }) => names.includes(name));
}

export function chooseColumns(
  collection: string,
  description: ClassDescription,
  names: readonly string[] | undefined,
): void {
  chooseSlots('columns', collection, description, names);
  if (place.peek().query.has(COLUMNS)) go(withQuery({ [COLUMNS]: null, [WIDTHS]: null }), { replace: true });
}
