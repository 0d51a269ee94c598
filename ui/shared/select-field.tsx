/** A field that is one of some options, which are its children. */
import type { ComponentChildren } from 'preact';
import { describedBy, FieldNotes } from './field-notes.tsx';

type Props = {
  id: string;
  label: string;
  value: string;
  onChoose: (value: string) => void;
  help?: string | undefined;
  problem?: string | undefined;
  /** Whether it has the focus when its dialog opens. */
  first?: boolean;
  children: ComponentChildren;
};

export function SelectField({ id, label, value, onChoose, help, problem, first, children }: Props) {
  return (
    <div class={problem ? 'field bad' : 'field'}>
      <label for={id}>{label}</label>
      <select
        class="input"
        id={id}
        data-first={first ? '' : undefined}
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describedBy(id, { problem, help })}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {children}
      </select>
      <FieldNotes {...{ id, problem, help }} />
    </div>
  );
}
