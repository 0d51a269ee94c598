/** What Browse does with the rows on the screen: filter them, export them, save them as a view. */
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import { shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, type Slot, slotTitle } from '../shared/schema.ts';
import { useTitles } from '../shared/tile.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { conditionOf, hasValue, type Where, withFilter } from './filters.ts';
import { tb } from './texts.ts';
import { ViewsDialog } from './views-dialog.tsx';

type Shown = {
  collection: string;
  description: ClassDescription;
  slots: readonly Slot[];
  /** The widths that the user has given to the columns. */
  shares: readonly number[] | undefined;
  text: string;
  sort: string;
  where: Where;
};

export function BrowseTools({ collection, description, slots, shares, text, sort, where }: Shown) {
  const [open, setOpen] = useState<'filter' | 'export' | 'views'>();
  const shared = { collection, description, onClose: () => setOpen(undefined) };
  return (
    <>
      <button type="button" class="btn quiet" onClick={() => setOpen('filter')}>
        <Icon name="sliders" />
        {tb('filter')}
      </button>
      <button type="button" class="btn quiet" onClick={() => setOpen('views')}>
        <Icon name="file" />
        {tb('views')}
      </button>
      <button type="button" class="btn quiet" onClick={() => setOpen('export')}>
        <Icon name="download" />
        {tb('export')}
      </button>
      {open === 'filter' && <FilterDialog {...shared} text={text} where={where} />}
      {open === 'export' && <ExportDialog {...shared} slots={slots} query={{ text, sort, where }} />}
      {open === 'views' && <ViewsDialog {...shared} slots={slots} shares={shares} />}
    </>
  );
}

/** The filters that apply, each with a link that removes it. */
export function ActiveFilters({
  collection,
  description,
  where,
}: Pick<Shown, 'collection' | 'description' | 'where'>) {
  const filters = Object.entries(where).map(([name, values]) => {
    const { slot, condition } = conditionOf(name, values);
    return { name, values, condition, slot: description.slots.find((one) => one.name === slot) };
  });
  const pids = filters.flatMap(({ slot, values }) => (slot?.range.kind === 'class' ? values : []));
  const titles = useTitles(collection, pids);
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label={tb('filters')}>
      {filters.map(({ name, slot, condition, values }) => {
        const title = slot ? slotTitle(slot) : name;
        const shown = values.map((value) =>
          slot ? shortValue(value, slot.range, (pid) => titles?.get(pid)?.title ?? undefined) : value,
        );
        return (
          <li key={name} class="token">
            <bdi>
              {title}
              {condition === 'is' ? ':' : ` ${tb(condition)}`}{' '}
              {hasValue(condition) && shown.join(` ${tb('or')} `)}
            </bdi>
            <a class="icon" href={withFilter(name, [])} aria-label={tb('removeFilter', { name: title })}>
              <Icon name="close" size={12} />
            </a>
          </li>
        );
      })}
    </ul>
  );
}
