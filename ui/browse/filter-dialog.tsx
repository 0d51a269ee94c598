/** Filters a class by a condition on a slot; by a value, with the number of records for each. */
import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { useLoad } from '../shared/load.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { go } from '../shared/router.ts';
import { shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, readTitles, type Slot } from '../shared/schema.ts';
import { SelectField } from '../shared/select-field.tsx';
import { lab } from '../shared/service.ts';
import { TextField } from '../shared/text-field.tsx';
import { count } from '../shared/time.ts';
import { useFilterWords } from './filter-words.ts';
import {
  CONDITIONS,
  type Condition,
  filterGroups,
  filterName,
  filterSlots,
  hasValue,
  newGroup,
  type Where,
  withFilters,
} from './filters.ts';
import { SlotSelect } from './slot-select.tsx';
import { tb } from './texts.ts';

const SHOWN = 12;

type Facet = { readonly value: string; readonly title: string; readonly n: number };

export function FilterDialog(props: {
  collection: string;
  description: ClassDescription;
  text: string;
  where: Where;
  onClose: () => void;
}) {
  const { collection, description, text, where, onClose } = props;
  const slots = filterSlots(description);
  const words = useFilterWords(collection, description, where);
  const groups = filterGroups(where);
  const [name, setName] = useState(slots[0]?.name ?? '');
  const slot = slots.find((one) => one.name === name);
  const [condition, setCondition] = useState<Condition>('is');
  /** The group of filters of which one, or the new one, has to match; none if all have to. */
  const [joined, setJoined] = useState(-1);
  const alternatives = groups[joined] ?? [];
  const group = joined < 0 ? undefined : (alternatives[0]?.group ?? newGroup(where));
  const valuesOf = (filter: string) =>
    where[filter] ??
    alternatives.find((one) => filterName(one.slot, one.condition, group) === filter)?.values ??
    [];
  const ownName = filterName(name, 'is', group);
  const own = valuesOf(ownName);
  const [changed, setChosen] = useState<readonly string[]>();
  const chosen = changed ?? own;
  const [value, setValue] = useState('');
  const apply = () => {
    const filter = filterName(name, condition, group);
    const typed = value.trim() === '' ? [] : [value.trim()];
    const former = joined < 0 ? [] : valuesOf(filter);
    const values = !hasValue(condition)
      ? [String(condition === 'filled')]
      : [...new Set([...(condition === 'is' ? chosen : former), ...typed])];
    if (values.length === 0 && !where[filter]) return;
    const moved = alternatives.filter((one) => one.group === undefined);
    const inGroup = moved.map((one) => [filterName(one.slot, one.condition, group), one.values]);
    const alone = moved.map((one) => [one.name, []]);
    go(withFilters({ ...Object.fromEntries([...alone, ...inGroup]), [filter]: values }), { replace: true });
    onClose();
  };
  const others = Object.entries(where).filter(
    ([one]) => one !== ownName && !alternatives.some((other) => other.name === one),
  );
  return (
    <Dialog
      title={tb('filterTitle', { name: description.title ?? description.class })}
      confirm={tb('apply')}
      onConfirm={apply}
      onClose={onClose}
    >
      <SlotSelect
        id="filter-slot"
        slots={slots}
        name={name}
        onChoose={(next) => {
          setName(next);
          setChosen(undefined);
          setValue('');
        }}
      />
      <SelectField
        id="filter-condition"
        label={tb('condition')}
        value={condition}
        onChoose={(chosen) => setCondition(chosen as Condition)}
      >
        {CONDITIONS.map((one) => (
          <option key={one} value={one}>
            {tb(one)}
          </option>
        ))}
      </SelectField>
      {condition === 'is' && slot && (
        <Facets
          key={slot.name}
          asked={{ collection, description, slot, text, own, where: Object.fromEntries(others) }}
          chosen={chosen}
          onChoose={(one, on) => setChosen(on ? [...chosen, one] : chosen.filter((other) => other !== one))}
        />
      )}
      {hasValue(condition) && (
        <TextField
          id="filter-value"
          label={tb('otherValue')}
          help={condition === 'from' || condition === 'to' ? tb('rangeHelp') : undefined}
          value={value}
          onText={setValue}
        />
      )}
      {groups.length > 0 && (
        <SelectField
          id="filter-group"
          label={tb('combine')}
          value={String(joined)}
          onChoose={(chosen) => {
            setJoined(Number(chosen));
            setChosen(undefined);
          }}
        >
          <option value="-1">{tb('combineAnd')}</option>
          {groups.map((filters, index) =>
            filters[0]?.group === undefined && newGroup(where) === undefined ? null : (
              <option key={filters[0]?.name} value={String(index)}>
                {tb('combineOr', { filter: filters.map((one) => words(one).text).join(` ${tb('or')} `) })}
              </option>
            ),
          )}
        </SelectField>
      )}
    </Dialog>
  );
}

/** The values of a slot to choose some from. */
function Facets({
  asked,
  chosen,
  onChoose,
}: {
  asked: FilterInput;
  chosen: readonly string[];
  onChoose: (value: string, on: boolean) => void;
}) {
  const { slot, text, where } = asked;
  const facets = useLoad(`${JSON.stringify(where)}/${text}/${slot.name}`, (signal) =>
    readFacets(asked, signal),
  );
  return (
    <>
      {facets.error && <ErrorNote error={facets.error} retry={facets.reload} />}
      <fieldset class="plain-set reasons" aria-busy={facets.loading}>
        <legend class="muted small">{tb('counts')}</legend>
        {(facets.loading ? [] : (facets.value ?? [])).map((facet) => (
          <label key={facet.value}>
            <input
              type="checkbox"
              checked={chosen.includes(facet.value)}
              onChange={(event) => onChoose(facet.value, event.currentTarget.checked)}
            />
            <bdi>{facet.title}</bdi>
            <span class="faint num push">{count(facet.n)}</span>
          </label>
        ))}
      </fieldset>
      <p class="muted small">{tb('frequent')}</p>
    </>
  );
}

type FilterInput = {
  collection: string;
  description: ClassDescription;
  slot: Slot;
  text: string;
  /** The values that the filter has. */
  own: readonly string[];
  /** The filters that have to match besides. */
  where: Where;
};

/** The values of a slot with the number of records that have them, within the search and the other filters. */
async function readFacets(asked: FilterInput, signal: AbortSignal): Promise<Facet[]> {
  const { collection, description, slot, text, own, where } = asked;
  const within = { q: text.trim(), class: description.class, size: 1 };
  const records = lab(collection, signal);
  const { facets = {} } = await records.search({ ...within, where, facet: slot.name });
  const found = (facets[slot.name] ?? []).slice(0, SHOWN);
  // Values of the filter that few records have, or none.
  const others = own.filter((value) => !found.some((one) => one.value === value));
  for (const value of others) {
    const { total } = await records.search({ ...within, where: { ...where, [slot.name]: value } });
    found.push({ value, count: total });
  }
  const values = found.map(({ value }) => value);
  const names = slot.range.kind === 'class' ? await readTitles(collection, values) : undefined;
  return found.map(({ value, count: n }) => ({
    ...{ value, n },
    title: shortValue(value, slot.range, (pid) => names?.get(pid)?.title ?? undefined),
  }));
}
