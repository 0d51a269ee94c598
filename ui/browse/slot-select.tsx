/** A dialog asks for a slot of a class first. */
import { type Slot, slotTitle } from '../shared/schema.ts';
import { SelectField } from '../shared/select-field.tsx';
import { tb } from './texts.ts';

export function SlotSelect(props: {
  id: string;
  slots: readonly Slot[];
  name: string;
  onChoose: (name: string) => void;
}) {
  const { id, slots, name, onChoose } = props;
  return (
    <SelectField id={id} label={tb('slot')} value={name} onChoose={onChoose} first>
      {slots.map((slot) => (
        <option key={slot.name} value={slot.name}>
          {slotTitle(slot)}
        </option>
      ))}
    </SelectField>
  );
}
