/** One value for a slot of all records that are listed. */

import { useState } from 'preact/hooks';
import { Field } from '../../../../ui/form/field.tsx';
import type { FormSchema } from '../../../../ui/form/record-form.tsx';
import { isEmpty, type Json } from '../../../../ui/shared/json.ts';
import { type ClassDescription, type Slot, slotTitle } from '../../../../ui/shared/schema.ts';
import type { RehearsedRecord } from '../client.ts';
import { formOfValue } from './corrected-value.tsx';
import { type Correction, correctionTo } from './corrections.ts';
import type { Line } from './judged-lines.ts';
import { ts } from './texts.ts';

export function SameForAll(props: {
  collection: string;
  schema: FormSchema;
  lines: readonly Line[];
  descriptionOf: (item: RehearsedRecord) => ClassDescription | undefined;
  onCorrect: (corrections: readonly Correction[]) => void;
}) {
  const { lines, descriptionOf, onCorrect } = props;
  // Classes may refine a slot: the first record decides how its value is typed.
  const slots = new Map<string, Slot>();
  for (const { item, slot: name } of lines) {
    const slot = descriptionOf(item)?.slots.find((one) => one.name === name);
    if (slot && !slot.identifier && !slots.has(slot.name)) slots.set(slot.name, slot);
  }
  const [chosen, setChosen] = useState<string>();
  const [value, setValue] = useState<Json>();
  const slot = slots.get(chosen ?? '') ?? [...slots.values()][0];
  if (slot === undefined) return null;
  const of = lines.filter((line) => line.slot === slot.name);
  const path = ['same', slot.name];
  return (
    <form
      class="same"
      aria-label={ts('same')}
      data-fields
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty(value)) onCorrect(of.map(({ item }) => correctionTo(item, slot.name, value)));
      }}
    >
      <div class="field">
        <label for="same-slot">{ts('same')}</label>
        <select
          class="input"
          id="same-slot"
          value={slot.name}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
            setValue(undefined);
          }}
        >
          {[...slots.values()].map((one) => (
            <option key={one.name} value={one.name}>
              {slotTitle(one)}
            </option>
          ))}
        </select>
      </div>
      <Field
        key={slot.name}
        form={formOfValue(props, path, value, setValue)}
        slot={{ ...slot, title: ts('sameValue', { slot: slotTitle(slot) }), required: false }}
        path={path}
        value={value}
      />
      <button type="submit" class="btn">
        {ts('sameUse', { n: of.length })}
      </button>
    </form>
  );
}
