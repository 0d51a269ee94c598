/**
 * The values of some slots beside the table of a class, with the numbers of records that have them, and ranges of numbers and dates;
 * where there is no room, in a dialog. Each value is a filter as soon as it is chosen: several of a slot are alternatives, and all slots
 * have to match.
 */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import type { Slot } from '../shared/schema.ts';
import { isWide } from '../shared/width.ts';
import { chooseSlots } from './chosen-slots.ts';
import { FacetList, type ListedIn, moreOf, useCounts } from './facet-list.tsx';
import { MOST_FACETS } from './facet-slots.ts';
import { FilterDialog } from './filter-dialog.tsx';
import { filterAlone, filterSlots } from './filters.ts';
import { SlotsDialog } from './slots-dialog.tsx';
import { tb } from './texts.ts';

const FOLDED = 'accession.facets-folded';
const isFolded = signal(localStorage.getItem(FOLDED) === 'true');
const TOGGLE = 'facets-toggle';
const PANEL = 'facets';

/** Whether the values are on the screen: beside the table until they are folded, in a dialog until that is closed. */
export function useFacetPanel() {
  const [isOpen, setOpen] = useState(false);
  /** Increases when the panel is to have the focus. */
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (round > 0) document.querySelector<HTMLElement>(`#${PANEL} h2`)?.focus();
  }, [round]);
  const show = (on: boolean) => {
    setOpen(on && !isWide.value);
    if (!isWide.value) return;
    localStorage.setItem(FOLDED, String(!on));
    isFolded.value = !on;
  };
  return {
    isBeside: isWide.value,
    isShown: isWide.value ? !isFolded.value : isOpen,
    show,
    enter() {
      show(true);
      setRound(round + 1);
    },
    fold() {
      show(false);
      document.getElementById(TOGGLE)?.focus();
    },
  };
}

type Panel = ReturnType<typeof useFacetPanel>;

export function FacetsToggle({ isBeside, isShown, show }: Panel) {
  return (
    <button
      type="button"
      class="btn quiet"
      id={TOGGLE}
      aria-expanded={isBeside ? isShown : undefined}
      aria-controls={isBeside && isShown ? PANEL : undefined}
      aria-haspopup={isBeside ? undefined : 'dialog'}
      onClick={() => show(!isShown)}
    >
      <Icon name="values" />
      {tb('facets')}
    </button>
  );
}

export function FacetPanel({ panel, ...props }: ListedIn & { readonly panel: Panel }) {
  const { collection, description, where } = props;
  const counts = useCounts(props);
  /** What else is asked for. */
  const [open, setOpen] = useState<'slots' | Slot>();
  /** The slot whose further values were looked at last. */
  const [last, setLast] = useState<string>();
  const total = counts.value?.total;
  const slots = counts.value?.slots.map(({ slot }) => slot) ?? [];
  const list = (
    <FacetList
      {...props}
      counts={counts}
      onMore={(slot) => {
        setOpen(slot);
        setLast(slot.name);
      }}
      onSlots={() => setOpen('slots')}
    />
  );
  const close = () => setOpen(undefined);
  return (
    <>
      {panel.isBeside ? (
        <section class="facet-panel" id={PANEL} aria-labelledby="facets-title" aria-busy={counts.loading}>
          <div class="head">
            <h2 id="facets-title" tabIndex={-1}>
              {tb('facets')}
            </h2>
            <button type="button" class="icon push" aria-label={tb('facetsFold')} onClick={panel.fold}>
              <Icon name="close" />
            </button>
          </div>
          {list}
        </section>
      ) : (
        // One dialog at a time: this one comes back when the other is closed.
        open === undefined && (
          <Dialog
            title={tb('facets')}
            close={total === undefined ? undefined : tb('facetsShow', { n: total })}
            focus={last === undefined ? undefined : moreOf(last)}
            onClose={panel.fold}
          >
            {list}
          </Dialog>
        )
      )}
      {open === 'slots' && (
        <SlotsDialog
          title={tb('facetsOf', { name: description.title ?? description.class })}
          legend={tb('slot')}
          slots={filterSlots(description)}
          chosen={slots}
          most={MOST_FACETS}
          usual={tb('facetsUsual')}
          onChoose={(names) => chooseSlots('facets', collection, description, names)}
          onClose={close}
        />
      )}
      {open !== undefined && open !== 'slots' && (
        <FilterDialog {...props} slot={open.name} edited={filterAlone(where, open.name)} onClose={close} />
      )}
    </>
  );
}
