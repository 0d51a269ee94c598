/** Chooses some slots of a class. */
import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { type Slot, slotTitle } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';

export function SlotsDialog(props: {
  title: string;
  /** Of the boxes, for screen readers. */
  legend: string;
  slots: readonly Slot[];
  /** Those that are chosen now. */
  chosen: readonly Slot[];
  /** How many can be chosen; default: all. */
  most?: number;
  /** The words of the button that goes back to what is shown without a choice. */
  usual: string;
  /** Is called with the names of the chosen slots, or undefined for those that are shown without a choice. */
  onChoose: (names: readonly string[] | undefined) => void;
  onClose: () => void;
}) {
  const { title, legend, slots, most = slots.length, usual, onChoose, onClose } = props;
  const [names, setNames] = useState(props.chosen.map(({ name }) => name));
  const switchOne = (name: string) =>
    setNames(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  const choose = (chosen: readonly string[] | undefined) => {
    onChoose(chosen);
    onClose();
  };
  return (
    <Dialog title={title} confirm={t('action.apply')} onConfirm={() => choose(names)} onClose={onClose}>
      <fieldset class="plain-set reasons">
        <legend class="vh">{legend}</legend>
        {slots.map((slot, index) => (
          <label key={slot.name}>
            <input
              type="checkbox"
              checked={names.includes(slot.name)}
              disabled={names.length >= most && !names.includes(slot.name)}
              data-first={index === 0 ? '' : undefined}
              onChange={() => switchOne(slot.name)}
            />
            {slotTitle(slot)}
          </label>
        ))}
      </fieldset>
      <p>
        <button type="button" class="linkish" onClick={() => choose(undefined)}>
          {usual}
        </button>
      </p>
    </Dialog>
  );
}
