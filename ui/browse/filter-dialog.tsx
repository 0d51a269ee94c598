/** Filters a class by a condition on a slot; by a value, with the number of records for each. */
import { useState } from 'preact/hooks';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { go } from '../shared/router.ts';
import { isOrdered } from '../shared/scalar.tsx';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { SelectField } from '../shared/select-field.tsx';
import { TextField } from '../shared/text-field.tsx';
import { boundHint, boundProblem, typedBound } from './bounds.ts';
import { Facets, meantBy, useFacets } from './facets.tsx';
import { useFilterWords } from './filter-words.ts';
import {
  CONDITIONS,
  type Condition,
  type Filter,
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

export function FilterDialog(props: {
  collection: string;
  description: ClassDescription;
  text: string;
  where: Where;
  /** The filter that is changed; without one, another is added. */
  edited?: Filter | undefined;
  /** The slot of another filter; default: the first one. */
  slot?: string;
  onClose: () => void;
}) {
  const { collection, description, text, where, edited, onClose } = props;
  const slots = filterSlots(description);
  const words = useFilterWords(collection, description, where);
  const groups = filterGroups(where);
  const [name, setName] = useState(edited?.slot ?? props.slot ?? slots[0]?.name ?? '');
  const slot = slots.find((one) => one.name === name);
  const [condition, setCondition] = useState<Condition>(edited?.condition ?? 'is');
  /** The group of filters of which one, or the new one, has to match; none if all have to. */
  const [joined, setJoined] = useState(
    groups.findIndex(([first]) => edited?.group !== undefined && first?.group === edited.group),
  );
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
  const [value, setValue] = useState(typedAs(edited, slot));
  /** Whether values are chosen that the typed text has found: it is not a value itself. */
  const [isFound, setFound] = useState(false);
  const [problem, setProblem] = useState<string>();
  const typeValue = (text: string) => {
    setValue(text);
    setFound(false);
    setProblem(undefined);
  };
  const others = Object.entries(where).filter(
    ([one]) => one !== ownName && !alternatives.some((other) => other.name === one),
  );
  const asked = { collection, description, text, own, where: Object.fromEntries(others), slot };
  const facets = useFacets(asked, value, condition === 'is');
  /** Whether there are other filters than the one that is changed. */
  const isOther = (filters: readonly Filter[]) => filters.some((one) => one.name !== edited?.name);
  const {
    busy,
    error,
    run: apply,
  } = useAction(async () => {
    const filter = filterName(name, condition, group);
    const typed = condition === 'is' && isFound ? '' : value.trim();
    const meant = typed === '' ? undefined : await meantBy(typed, condition, asked);
    if (typed !== '' && meant === undefined) {
      setProblem(slot && isOrdered(slot.range) ? boundProblem(slot) : tb('notOne'));
      return;
    }
    const former = joined < 0 || filter === edited?.name ? [] : valuesOf(filter);
    const values = !hasValue(condition)
      ? [String(condition === 'filled')]
      : [...new Set([...(condition === 'is' ? chosen : former), ...(meant === undefined ? [] : [meant])])];
    if (values.length === 0 && !where[filter]) return;
    const moved = alternatives.filter((one) => one.group === undefined);
    const inGroup = moved.map((one) => [filterName(one.slot, one.condition, group), one.values]);
    const alone = moved.map((one) => [one.name, []]);
    const replaced = edited ? [[edited.name, []]] : [];
    go(withFilters({ ...Object.fromEntries([...replaced, ...alone, ...inGroup]), [filter]: values }));
    onClose();
  });
  return (
    <Dialog
      title={tb('filterTitle', { name: description.title ?? description.class })}
      confirm={tb('apply')}
      busy={busy}
      error={error}
      // A field has one line, and a box does nothing on Enter.
      keys={{ Enter: ({ target }) => (target instanceof HTMLInputElement && !busy ? apply() : false) }}
      focus={(edited ? hasValue(edited.condition) : props.slot) ? 'filter-value' : undefined}
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
          typeValue('');
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
      {hasValue(condition) && (
        <TextField
          id="filter-value"
          label={tb('otherValue')}
          help={tb(condition === 'is' ? 'frequent' : condition === 'contains' ? 'containsHelp' : 'rangeHelp')}
          problem={problem}
          placeholder={slot && (condition === 'from' || condition === 'to') ? boundHint(slot) : undefined}
          value={value}
          onText={typeValue}
        />
      )}
      {condition === 'is' && slot && (
        <Facets
          key={slot.name}
          facets={facets}
          typed={value}
          chosen={chosen}
          onChoose={(one, on) => {
            setChosen(on ? [...chosen, one] : chosen.filter((other) => other !== one));
            setFound(true);
            setProblem(undefined);
          }}
        />
      )}
      {groups.some(isOther) && (
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
            !isOther(filters) || (filters[0]?.group === undefined && newGroup(where) === undefined) ? null : (
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

/** The one value of a filter as it is typed; values that a filter is one of are chosen. */
function typedAs(filter: Filter | undefined, slot: Slot | undefined): string {
  const [value, ...others] = filter?.values ?? [];
  const isTyped = filter && filter.condition !== 'is' && hasValue(filter.condition);
  if (!isTyped || value === undefined || others.length > 0) return '';
  return slot ? typedBound(value, slot) : value;
}
