/** The values and the ranges by which the records of a class are narrowed down, with their numbers. */
import { useState } from 'preact/hooks';
import { type LoadState, useLoad } from '../shared/load.ts';
import { Bones, ErrorNote } from '../shared/notes.tsx';
import { go } from '../shared/router.ts';
import { isOrdered } from '../shared/scalar.tsx';
import { type ClassDescription, type Slot, slotTitle, written } from '../shared/schema.ts';
import { asClientError, lab } from '../shared/service.ts';
import { chosenSlots } from './chosen-slots.ts';
import { usualFacets } from './facet-slots.ts';
import { type Facet, namedFacets, ValueBoxes } from './facets.tsx';
import { filterAlone, filterSlots, type Where, withFilters } from './filters.ts';
import { RangeFacet } from './range-facet.tsx';
import { tb } from './texts.ts';

/** Values of a slot that are in sight. */
const SHOWN = 6;

/** The records that are narrowed down. */
export type ListedIn = {
  readonly collection: string;
  readonly description: ClassDescription;
  readonly text: string;
  readonly where: Where;
};
/** The values of a slot that are in sight, those of the filter included; none of a slot with ranges. */
type SlotValues = {
  readonly slot: Slot;
  readonly values: readonly Facet[];
  readonly hasMore: boolean;
  /** Whether too many different values are left out to say how many records have each. */
  readonly isCut: boolean;
};
/** Without a total, there are too many records to count values. */
type Counted = { readonly total: number | undefined; readonly slots: readonly SlotValues[] };

/** The numbers of records of all values, in one request: each slot as if none of its values was chosen. */
export function useCounts({ collection, description, text, where }: ListedIn): LoadState<Counted> {
  const chosen = chosenSlots('facets', collection, description);
  return useLoad(
    JSON.stringify([collection, description.class, text, where, chosen]),
    async (signal) => {
      const slots = chosen
        ? filterSlots(description).filter(({ name }) => chosen.includes(name))
        : await usualFacets(collection, description, signal);
      const query = { q: text.trim(), class: description.class, where, size: 1, alternatives: true };
      const facet = slots.filter(({ range }) => !isOrdered(range)).map(({ name }) => name);
      const found = await lab(collection, signal)
        .search({ ...query, facet })
        .catch((problem) => {
          if (asClientError(problem).code !== 'search_too_broad') throw problem;
        });
      const inSight = async (slot: Slot): Promise<SlotValues> => {
        const own = filterAlone(where, slot.name)?.values ?? [];
        const counted = found?.facets?.[slot.name] ?? [];
        const shown = counted.filter(({ value }, at) => at < SHOWN || own.includes(value));
        const without = own.filter((value) => !counted.some((one) => one.value === value));
        const all = [...shown, ...without.map((value) => ({ value, count: 0 }))];
        const values = await namedFacets(collection, slot, all);
        const isCut = found?.cut_facets?.includes(slot.name) ?? false;
        return { slot, values, hasMore: isCut || shown.length < counted.length, isCut };
      };
      return { total: found?.total, slots: await Promise.all(slots.map(inSight)) };
    },
    written.value,
  );
}

export function FacetList({
  counts,
  onMore,
  onSlots,
  ...listed
}: ListedIn & {
  readonly counts: LoadState<Counted>;
  readonly onMore: (slot: Slot) => void;
  readonly onSlots: () => void;
}) {
  const { where } = listed;
  const { value, error, slow, reload } = counts;
  const isTooBroad = value && value.total === undefined;
  const used =
    value?.slots.filter(
      ({ slot, values, isCut }) => isOrdered(slot.range) || (!isTooBroad && (values.length > 0 || isCut)),
    ) ?? [];
  return (
    <>
      {isTooBroad && <p class="muted small">{tb('facetsTooBroad')}</p>}
      {error && <ErrorNote error={error} retry={reload} />}
      {!value && slow && <Bones rows={8} />}
      {value && !isTooBroad && used.length === 0 && <p class="muted small">{tb('facetsNone')}</p>}
      {!error &&
        used.map((one) =>
          isOrdered(one.slot.range) ? (
            <RangeFacet key={one.slot.name} {...listed} slot={one.slot} />
          ) : (
            <ValueFacet
              key={one.slot.name}
              {...one}
              chosen={filterAlone(where, one.slot.name)?.values ?? []}
              onMore={() => onMore(one.slot)}
            />
          ),
        )}
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

export const moreOf = (slot: string) => `facet-more-${slot}`;

function ValueFacet({
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
