/** Filters a class by a condition on a slot; by a value, with the number of records for each. */
import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { useLoad } from '../shared/load.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { readPage } from '../shared/records.ts';
import { go } from '../shared/router.ts';
import { shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, readTitles, type Slot } from '../shared/schema.ts';
import { SelectField } from '../shared/select-field.tsx';
import { lab } from '../shared/service.ts';
import { TextField } from '../shared/text-field.tsx';
import { count } from '../shared/time.ts';
import {
  CONDITIONS,
  type Condition,
  filterFor,
  filterSlots,
  frequentValues,
  hasValue,
  type Where,
  withFilter,
} from './filters.ts';
import { SlotSelect } from './slot-select.tsx';
import { tb } from './texts.ts';

const SAMPLE = 100;
const SHOWN = 12;

type Facet = { readonly value: string; readonly title: string; readonly n: number; readonly more: boolean };

export function FilterDialog(props: {
  collection: string;
  description: ClassDescription;
  text: string;
  where: Where;
  onClose: () => void;
}) {
  const { collection, description, text, where, onClose } = props;
  const slots = filterSlots(description);
  const [name, setName] = useState(slots[0]?.name ?? '');
  const slot = slots.find((one) => one.name === name);
  const [condition, setCondition] = useState<Condition>('is');
  const [value, setValue] = useState('');
  const apply = () => {
    if (hasValue(condition) && value.trim() === '') return;
    go(withFilter(...filterFor(name, condition, value.trim())), { replace: true });
    onClose();
  };
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
        <Facets asked={{ collection, description, slot, text, where }} value={value} onChoose={setValue} />
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
    </Dialog>
  );
}

/** The values of a slot to choose from. */
function Facets({
  asked,
  value,
  onChoose,
}: {
  asked: Asked;
  value: string;
  onChoose: (value: string) => void;
}) {
  const { slot, text, where } = asked;
  const facets = useLoad(`${JSON.stringify(where)}/${text}/${slot.name}`, (signal) =>
    readFacets(asked, signal),
  );
  return (
    <>
      {facets.error && <ErrorNote error={facets.error} retry={facets.reload} />}
      <fieldset class="plain-set reasons" aria-busy={facets.loading}>
        <legend class="vh">{tb('counts')}</legend>
        {(facets.loading ? [] : (facets.value ?? [])).map((facet) => (
          <label key={facet.value}>
            <input
              type="radio"
              name="facet"
              checked={value === facet.value}
              onChange={() => onChoose(facet.value)}
            />
            <bdi>{facet.title}</bdi>
            <span class="faint num push">
              {count(facet.n)}
              {facet.more && '+'}
            </span>
          </label>
        ))}
      </fieldset>
      <p class="muted small">{tb('frequent')}</p>
    </>
  );
}

type Asked = {
  collection: string;
  description: ClassDescription;
  slot: Slot;
  text: string;
  where: Where;
};

/** The values of a slot with the number of records that have them, within the search and the other filters. */
async function readFacets(asked: Asked, signal: AbortSignal): Promise<Facet[]> {
  const { collection, description, slot, text, where } = asked;
  const { range } = slot;
  const page = { page: 1, size: SAMPLE, text, where: { ...where } };
  delete (page.where as Record<string, string>)[slot.name];
  const values =
    range.kind === 'enum' && range.values.length > 0
      ? range.values.slice(0, SHOWN).map(({ value }) => value)
      : frequentValues(slot.name, (await readPage(collection, description.class, page, signal)).items, SHOWN);
  const names = range.kind === 'class' ? await readTitles(collection, values) : undefined;
  const facets = await Promise.all(
    values.map(async (value) => {
      const found = await lab(collection, signal).search({
        q: text.trim(),
        class: description.class,
        where: { ...page.where, [slot.name]: value },
        size: 1,
      });
      const title = shortValue(value, range, (pid) => names?.get(pid)?.title ?? undefined);
      return { value, title, n: found.total, more: !found.complete };
    }),
  );
  return facets.filter(({ n }) => n > 0).sort((a, b) => b.n - a.n);
}
