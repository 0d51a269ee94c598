/** A dialog asks for a slot of a class first. */
import { type Slot, slotTitle } from '../shared/schema.ts';
import { tb } from './texts.ts';

export function SlotSelect(props: {
  id: string;
  slots: readonly Slot[];
  name: string;
  onChoose: (name: string) => void;
}) {
  const { id, slots, name, onChoose } = props;
  return (
    <div class="field">
      <label for={id}>{tb('slot')}</label>
      <select
        class="input"
        id={id}
        data-first
        value={name}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {slots.map((slot) => (
          <option key={slot.name} value={slot.name}>
            {slotTitle(slot)}
          </option>
        ))}
      </select>
    </div>
  );
}
