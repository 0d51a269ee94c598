/** Filters the rows of Browse and exports them; modules add to it. */
import { useState } from 'preact/hooks';
import { lazily } from '../frame/lazily.tsx';
import type { BrowseBarProps, BrowseTool, BrowseToolProps } from '../module.ts';
import { BROWSE_TOOLS } from '../modules.ts';
import { useFetched } from '../shared/fetched.ts';
import { Icon } from '../shared/icons.tsx';
import { useKeys } from '../shared/keys.ts';
import { ErrorNote } from '../shared/notes.tsx';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { may } from '../shared/session.ts';
import { count } from '../shared/time.ts';
import { ExportDialog } from './export-dialog.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { useFilterWords } from './filter-words.ts';
import { type Filter, filterGroups, type Where, withFilters } from './filters.ts';
import { tb } from './texts.ts';

type ToolProps = {
  collection: string;
  description: ClassDescription;
  slots: readonly Slot[];
  /** The widths that the user has given to the columns. */
  shares: readonly number[] | undefined;
  text: string;
  sort: string;
  where: Where;
};

export function BrowseTools({ collection, description, slots, shares, text, sort, where }: ToolProps) {
  const [open, setOpen] = useState<string>();
  const tool = BROWSE_TOOLS.find(({ name }) => name === open);
  const filters = filterGroups(where).flat().length;
  const shared = { collection, description, onClose: () => setOpen(undefined) };
  useKeys({ f: () => setOpen('filter') });
  return (
    <>
      <button type="button" class="btn quiet" onClick={() => setOpen('filter')}>
        <Icon name="sliders" />
        {tb('filter')}
        {/* The list of the filters says the same to screen readers. */}
        {filters > 0 && (
          <span class="n" aria-hidden="true">
            {count(filters)}
          </span>
        )}
      </button>
      {BROWSE_TOOLS.filter(({ needs }) => !needs || may(collection, needs)).map(({ name, icon, label }) => (
        <button key={name} type="button" class="btn quiet" onClick={() => setOpen(name)}>
          <Icon name={icon} />
          {label()}
        </button>
      ))}
      <button type="button" class="btn quiet" onClick={() => setOpen('export')}>
        <Icon name="download" />
        {tb('export')}
      </button>
      {open === 'filter' && <FilterDialog {...shared} text={text} where={where} />}
      {open === 'export' && <ExportDialog {...shared} slots={slots} query={{ text, sort, where }} />}
      {tool && <OpenTool key={tool.name} tool={tool} {...shared} slots={slots} shares={shares} />}
    </>
  );
}

/** The dialog of a module, which is fetched when it is first opened. */
function OpenTool({ tool, ...props }: BrowseToolProps & { readonly tool: BrowseTool }) {
  const { part: View, error, reload } = useFetched(tool.name, tool.view);
  if (!View) return error ? <ErrorNote error={error} retry={reload} /> : null;
  return <View {...props} />;
}

const BARS = BROWSE_TOOLS.flatMap(({ name, bar }) => (bar ? [{ name, Bar: lazily(name, bar) }] : []));

/** What modules show of a class below the buttons. */
export function ToolBars(props: BrowseBarProps) {
  return BARS.map(({ name, Bar }) => <Bar key={name} {...props} />);
}

/** The filters that apply, alone or in groups; each leads to its dialog, and has a link that removes it. */
export function ActiveFilters({
  collection,
  description,
  text,
  where,
}: Pick<ToolProps, 'collection' | 'description' | 'text' | 'where'>) {
  const words = useFilterWords(collection, description, where);
  const [edited, setEdited] = useState<Filter>();
  const groups = filterGroups(where);
  if (groups.length === 0) return null;
  return (
    <>
      <ul class="chips filters" aria-label={tb('filters')}>
        {groups.map((group) => (
          <li key={group[0]?.name} class="token">
            {group.map((filter, index) => {
              const { title, text: sentence } = words(filter);
              return (
                <span key={filter.name} class="part">
                  {index > 0 && <span class="muted">{tb('or')}</span>}
                  <button type="button" class="linkish" onClick={() => setEdited(filter)}>
                    <bdi>{sentence}</bdi>
                  </button>
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
        {groups.length > 1 && (
          <li>
            <a
              class="btn small quiet"
              href={withFilters(Object.fromEntries(Object.keys(where).map((name) => [name, []])))}
            >
              {tb('clearAll')}
            </a>
          </li>
        )}
      </ul>
      {edited && (
        <FilterDialog
          {...{ collection, description, text, where, edited }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}
