/** Filters the rows of Browse, exports them, saves them as a view. */
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { ExportDialog } from './export-dialog.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { useFilterWords } from './filter-words.ts';
import { filterGroups, type Where, withFilters } from './filters.ts';
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

/** The filters that apply, alone or in groups, each with a link that removes it. */
export function ActiveFilters({
  collection,
  description,
  where,
}: Pick<Shown, 'collection' | 'description' | 'where'>) {
  const words = useFilterWords(collection, description, where);
  const groups = filterGroups(where);
  if (groups.length === 0) return null;
  return (
    <ul class="chips" aria-label={tb('filters')}>
      {groups.map((group) => (
        <li key={group[0]?.name} class="token">
          {group.map((filter, index) => {
            const { title, text } = words(filter);
            return (
              <span key={filter.name} class="part">
                {index > 0 && <span class="muted">{tb('or')}</span>}
                <bdi>{text}</bdi>
                <a
                  class="icon"
                  href={withFilters({ [filter.name]: [] })}
                  aria-label={tb('removeFilter', { name: title })}
                >
                  <Icon name="close" size={12} />
                </a>
              </span>
            );
          })}
        </li>
      ))}
    </ul>
  );
}
