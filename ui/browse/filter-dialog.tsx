/** Filters a class by a condition on a slot; by a value, with the number of records for each. */
import { useState } from 'preact/hooks';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { go } from '../shared/router.ts';
import type { ClassDescription } from '../shared/schema.ts';
import { SelectField } from '../shared/select-field.tsx';
import { TextField } from '../shared/text-field.tsx';
import { Facets, meantBy, useFacets } from './facets.tsx';
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
  const others = Object.entries(where).filter(
    ([one]) => one !== ownName && !alternatives.some((other) => other.name === one),
  );
  const asked = { collection, description, text, own, where: Object.fromEntries(others), slot };
  const facets = useFacets(asked, value, condition === 'is');
  const {
    busy,
    error,
    run: apply,
  } = useAction(async () => {
    const filter = filterName(name, condition, group);
    const typed = value.trim() === '' ? [] : [await meantBy(value.trim(), condition, asked)];
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
  });
  return (
    <Dialog
      title={tb('filterTitle', { name: description.title ?? description.class })}
      confirm={tb('apply')}
      busy={busy}
      error={error}
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
      {hasValue(condition) && (
        <TextField
          id="filter-value"
          label={tb('otherValue')}
          help={tb(condition === 'is' ? 'frequent' : condition === 'contains' ? 'containsHelp' : 'rangeHelp')}
          value={value}
          onText={setValue}
        />
      )}
      {condition === 'is' && slot && (
        <Facets
          key={slot.name}
          facets={facets}
          typed={value}
          chosen={chosen}
          onChoose={(one, on) => setChosen(on ? [...chosen, one] : chosen.filter((other) => other !== one))}
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
