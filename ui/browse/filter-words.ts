/** The labels of filters. */
import { shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, slotTitle } from '../shared/schema.ts';
import { useTitles } from '../shared/tile.tsx';
import { numberText } from '../shared/time.ts';
import { edgeOf } from './bounds.ts';
import { type Filter, filterGroups, hasValue, type Where } from './filters.ts';
import { tb } from './texts.ts';

/** @returns the title of the slot of a filter, and the filter in words: `Status: open or pending` */
export function useFilterWords(
  collection: string,
  description: ClassDescription,
  where: Where,
): (filter: Filter) => { readonly title: string; readonly text: string } {
  const slotOf = ({ slot }: Filter) => description.slots.find(({ name }) => name === slot);
  const pids = filterGroups(where)
    .flat()
    .flatMap((filter) => (slotOf(filter)?.range.kind === 'class' ? filter.values : []));
  const titles = useTitles(collection, pids);
  return (filter) => {
    const slot = slotOf(filter);
    const title = slot ? slotTitle(slot) : filter.slot;
    const [value = '', ...others] = filter.values;
    const edge = slot && filter.condition === 'to' && others.length === 0 && edgeOf(value, slot.range);
    if (edge) return { title, text: `${title} ${tb('below')} ${numberText(edge)}` };
    const values = filter.values.map((value) =>
      slot ? shortValue(value, slot.range, (pid) => titles?.get(pid)?.title ?? undefined) : value,
    );
    const condition = filter.condition === 'is' ? ':' : ` ${tb(filter.condition)}`;
    const shown = hasValue(filter.condition) ? ` ${values.join(` ${tb('or')} `)}` : '';
    return { title, text: `${title}${condition}${shown}` };
  };
}
