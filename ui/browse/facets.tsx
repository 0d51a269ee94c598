/** The values of a slot with the number of records that have them, of which a filter chooses some. */
import { useState } from 'preact/hooks';
import { fold } from '#linkml/folding.ts';
import { type LoadState, useDebounced, useLoad } from '../shared/load.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { searchRecords } from '../shared/records.ts';
import { isNumeric, isOrdered, shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, readTitles, type Slot } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { count, storedNumber } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { storedBound } from './bounds.ts';
import { type Condition, filterName, newGroup, type Where } from './filters.ts';
import { tb } from './texts.ts';

/** A value in the words of the user, and how many records have it. */
export type Facet = { readonly value: string; readonly title: string; readonly n: number };

/** Values that are shown at first; the service counts up to 100. */
const SHOWN = 12;

type FacetInput = {
  readonly collection: string;
  readonly description: ClassDescription;
  readonly slot: Slot | undefined;
  /** The words that are searched. */
  readonly text: string;
  /** The values that the filter has. */
  readonly own: readonly string[];
  /** The filters that have to match besides. */
  readonly where: Where;
};

/** Values, and whether others are left out, since they are too many. */
type Listed = { readonly facets: readonly Facet[]; readonly isCut: boolean };

/** The values of most records, and those of the filter; with a typed text, all values that have it. */
export function useFacets(asked: FacetInput, typed: string, isAsked: boolean): LoadState<Listed> {
  const wanted = useDebounced(typed.trim());
  const { slot, text, where } = asked;
  const state = useLoad(
    isAsked && slot ? JSON.stringify([slot.name, text, where, wanted]) : undefined,
    async (signal) => ({
      of: slot?.name,
      ...(await readFacets({ ...asked, slot: slot! }, wanted, signal)),
    }),
  );
  // Those of another slot do not stay on the screen.
  return { ...state, value: state.value?.of === slot?.name ? state.value : undefined };
}

/**
 * The value that a typed text means: of references and choices the one with that title, or the only one that has the text, and undefined
 * if none or several have it; a number or a date in the language of the user, and undefined for what is neither.
 */
export async function meantBy(
  typed: string,
  condition: Condition,
  asked: FacetInput,
): Promise<string | undefined> {
  const { slot } = asked;
  if (!slot || condition === 'contains') return typed;
  if (isOrdered(slot.range)) return storedBound(typed, slot, condition);
  if (condition !== 'is' || (slot.range.kind !== 'class' && slot.range.kind !== 'enum')) return typed;
  const { facets } = await readFacets({ ...asked, slot }, typed);
  const having = facets.filter((one) => hasText(one, typed));
  const equal = having.find(({ value, title }) => value === typed || fold(title) === fold(typed));
  return equal?.value ?? (having.length === 1 ? having[0]!.value : undefined);
}

function hasText({ value, title }: Pick<Facet, 'value' | 'title'>, text: string): boolean {
  return fold(title).includes(fold(text)) || fold(value).includes(fold(text));
}

export function Facets(props: {
  readonly facets: LoadState<Listed>;
  readonly typed: string;
  readonly chosen: readonly string[];
  readonly onChoose: (value: string, on: boolean) => void;
}) {
  const { facets, chosen } = props;
  const typed = props.typed.trim();
  const [all, setAll] = useState(false);
  const { facets: listed = [], isCut = false } = facets.value ?? {};
  const found = listed.filter((one) => chosen.includes(one.value) || hasText(one, typed));
  const shown = all || typed !== '' ? found : found.slice(0, SHOWN);
  return (
    <>
      {facets.error && <ErrorNote error={facets.error} retry={facets.reload} />}
      <div class="facets" aria-busy={facets.loading}>
        <ValueBoxes legend={tb('counts')} values={shown} chosen={chosen} onChoose={props.onChoose} />
      </div>
      <p class="muted small" aria-live="polite">
        {isCut && tb('facetsCut')}
        {found.length === 0 && !isCut && !facets.loading && facets.value && tb('noValues')}
        {shown.length < found.length && (
          <button type="button" class="linkish" onClick={() => setAll(true)}>
            {t('value.showAll', { n: found.length })}
          </button>
        )}
      </p>
    </>
  );
}

/** A box for each value, with its number of records. */
export function ValueBoxes(props: {
  readonly legend: string;
  readonly values: readonly Facet[];
  readonly chosen: readonly string[];
  readonly onChoose: (value: string, on: boolean) => void;
}) {
  return (
    <fieldset class="plain-set reasons">
      <legend class="label">{props.legend}</legend>
      {props.values.map(({ value, title, n }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={props.chosen.includes(value)}
            onChange={(event) => props.onChoose(value, event.currentTarget.checked)}
          />
          <bdi title={title}>{title}</bdi>
          <span class="faint num push">{count(n)}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Counts within the search and the other filters, over all records. */
async function readFacets(
  { collection, description, slot, text, own, where }: FacetInput & { readonly slot: Slot },
  wanted: string,
  signal?: AbortSignal,
): Promise<Listed> {
  const { name, range } = slot;
  const free = newGroup(where);
  let isCut = false;
  /** The counts of the values of all that is found, with a further condition on the slot. */
  const counts = async (condition?: Condition, values: readonly string[] = []) => {
    if (condition && values.length === 0) return [];
    const more = condition && free ? { [filterName(name, condition, free)]: values } : {};
    const query = { q: text.trim(), class: description.class, size: 1, facet: name };
    const page = await lab(collection, signal).search({ ...query, where: { ...where, ...more } });
    isCut ||= page.cut_facets?.includes(name) ?? false;
    return page.facets?.[name] ?? [];
  };
  const having = async () => {
    if (wanted === '') return counts();
    if (range.kind === 'class') {
      const hits = await searchRecords(collection, range.class, wanted, SHOWN, signal);
      const pids = hits.map(({ pid }) => pid);
      return (await counts('is', pids)).filter(({ value }) => pids.includes(value));
    }
    if (range.kind === 'enum' && !range.open) {
      const named = range.values
        .map(({ value, title }) => ({ value, title: title ?? value }))
        .filter((one) => hasText(one, wanted))
        .map(({ value }) => value);
      return (await counts('is', named)).filter(({ value }) => named.includes(value));
    }
    const text = isNumeric(range) ? (storedNumber(wanted) ?? wanted) : wanted;
    return (await counts('contains', [text])).filter(({ value }) => hasText({ value, title: '' }, text));
  };
  const found = await having();
  // Values of the filter that few records have, or none.
  const missing = own.filter((value) => !found.some((one) => one.value === value));
  const rare = await counts('is', missing);
  const facets = await namedFacets(collection, slot, [
    ...found,
    ...missing.map((value) => ({ value, count: rare.find((one) => one.value === value)?.count ?? 0 })),
  ]);
  return { facets, isCut };
}

/** Values of a slot in the words of the user: titles of records, of an enum, dates and numbers. */
export async function namedFacets(
  collection: string,
  { range }: Slot,
  values: readonly { readonly value: string; readonly count: number }[],
): Promise<Facet[]> {
  const pids = range.kind === 'class' ? values.map(({ value }) => value) : [];
  const names = pids.length > 0 ? await readTitles(collection, pids) : undefined;
  return values.map(({ value, count: n }) => ({
    value,
    n,
    title: shortValue(value, range, (pid) => names?.get(pid)?.title ?? undefined),
  }));
}
