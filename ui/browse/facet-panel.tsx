/**
 * The values of some slots beside the table of a class, with the numbers of records that have them; where there is no room, in a
 * dialog. Each value is a filter as soon as it is chosen: several of a slot are alternatives, and all slots have to match.
 */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { type LoadState, useLoad } from '../shared/load.ts';
import { Bones, ErrorNote } from '../shared/notes.tsx';
import { go } from '../shared/router.ts';
import { type ClassDescription, type Slot, slotTitle, written } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { chooseSlots, chosenSlots } from './chosen-slots.ts';
import { MOST_FACETS, usualFacets } from './facet-slots.ts';
import { type Facet, namedFacets, ValueBoxes } from './facets.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { filterSlots, valueFilter, type Where, withFilters } from './filters.ts';
import { SlotsDialog } from './slots-dialog.tsx';
import { tb } from './texts.ts';

/** Values of a slot that are in sight. */
const SHOWN = 6;
const FOLDED = 'accession.facets-folded';
const isFolded = signal(localStorage.getItem(FOLDED) === 'true');
/** From here on, there is room beside the table. */
const WIDE = matchMedia('(min-width: 75rem)');
const isWide = signal(WIDE.matches);
WIDE.addEventListener('change', () => {
  isWide.value = WIDE.matches;
});
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

type Props = { collection: string; description: ClassDescription; text: string; where: Where };
/** The values of a slot that are in sight, those of the filter included. */
type SlotValues = {
  readonly slot: Slot;
  readonly values: readonly Facet[];
  readonly hasMore: boolean;
  /** Whether too many different values are left out to say how many records have each. */
  readonly isCut: boolean;
};
type Counted = { readonly total: number; readonly slots: readonly SlotValues[] };

export function FacetPanel({ panel, ...props }: Props & { readonly panel: Panel }) {
  const { collection, description, where } = props;
  const counts = useCounts(props);
  /** What else is asked for. */
  const [open, setOpen] = useState<'slots' | Slot>();
  /** The slot whose further values were looked at last. */
  const [last, setLast] = useState<string>();
  const slots = counts.value?.slots.map(({ slot }) => slot) ?? [];
  const list = (
    <FacetList
      counts={counts}
      where={where}
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
            close={counts.value && tb('facetsShow', { n: counts.value.total })}
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
        <FilterDialog {...props} slot={open.name} edited={valueFilter(where, open.name)} onClose={close} />
      )}
    </>
  );
}

const moreOf = (slot: string) => `facet-more-${slot}`;

/** The numbers of records of all values, in one request: each slot as if none of its values was chosen. */
function useCounts({ collection, description, text, where }: Props): LoadState<Counted> {
  const chosen = chosenSlots('facets', collection, description);
  return useLoad(
    JSON.stringify([collection, description.class, text, where, chosen]),
    async (signal) => {
      const slots = chosen
        ? filterSlots(description).filter(({ name }) => chosen.includes(name))
        : await usualFacets(collection, description, signal);
      const {
        total,
        facets = {},
        cut_facets: cut = [],
      } = await lab(collection, signal).search({
        q: text.trim(),
        class: description.class,
        where,
        size: 1,
        alternatives: true,
        facet: slots.map(({ name }) => name),
      });
      const inSight = async (slot: Slot): Promise<SlotValues> => {
        const own = valueFilter(where, slot.name)?.values ?? [];
        const counted = facets[slot.name] ?? [];
        const shown = counted.filter(({ value }, at) => at < SHOWN || own.includes(value));
        const without = own.filter((value) => !counted.some((one) => one.value === value));
        const all = [...shown, ...without.map((value) => ({ value, count: 0 }))];
        const values = await namedFacets(collection, slot, all);
        const isCut = cut.includes(slot.name);
        return { slot, values, hasMore: isCut || shown.length < counted.length, isCut };
      };
      return { total, slots: await Promise.all(slots.map(inSight)) };
    },
    written.value,
  );
}

function FacetList(props: {
  counts: LoadState<Counted>;
  where: Where;
  onMore: (slot: Slot) => void;
  onSlots: () => void;
}) {
  const { counts, where, onMore, onSlots } = props;
  const { value, error, slow, reload } = counts;
  const isTooBroad = error?.code === 'search_too_broad';
  const used = value?.slots.filter(({ values, isCut }) => values.length > 0 || isCut) ?? [];
  return (
    <>
      {isTooBroad && <p class="muted small">{tb('facetsTooBroad')}</p>}
      {error && !isTooBroad && <ErrorNote error={error} retry={reload} />}
      {!value && slow && <Bones rows={8} />}
      {value && used.length === 0 && <p class="muted small">{tb('facetsNone')}</p>}
      {!error &&
        used.map((one) => (
          <SlotFacet
            key={one.slot.name}
            {...one}
            chosen={valueFilter(where, one.slot.name)?.values ?? []}
            onMore={() => onMore(one.slot)}
          />
        ))}
      {(value || error) && (
        <p class="small">
          <button type="button" class="linkish" onClick={onSlots}>
            {tb('facetsChoose')}
          </button>
        </p>
      )}
    </>
  );
}

function SlotFacet({
  slot,
  values,
  hasMore,
  isCut,
  chosen,
  onMore,
}: SlotValues & { readonly chosen: readonly string[]; readonly onMore: () => void }) {
  /** A value that is not chosen any more stays: the focus is at it. */
  const [left, setLeft] = useState<readonly Facet[]>([]);
  const others = left.filter(({ value }) => !values.some((one) => one.value === value));
  const title = slotTitle(slot);
  return (
    <div class="facet">
      <ValueBoxes
        legend={title}
        values={[...values, ...others]}
        chosen={chosen}
        onChoose={(value, isOn) => {
          const facet = values.find((one) => one.value === value);
          if (facet && !isOn) setLeft([...others, facet]);
          const next = isOn ? [...chosen, value] : chosen.filter((one) => one !== value);
          go(withFilters({ [slot.name]: next }));
        }}
      />
      {isCut && <p class="muted small">{tb('facetsCut')}</p>}
      {hasMore && (
        <button
          type="button"
          class="linkish small"
          id={moreOf(slot.name)}
          aria-label={tb('facetsMoreOf', { name: title })}
          onClick={onMore}
        >
          {tb('facetsMore')}
        </button>
      )}
    </div>
  );
}
