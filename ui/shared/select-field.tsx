/** A field that is one of some options, which are its children. */
import type { ComponentChildren } from 'preact';

type Props = {
  id: string;
  label: string;
  value: string;
  onChoose: (value: string) => void;
  help?: string | undefined;
  /** Whether it has the focus when its dialog opens. */
  first?: boolean;
  children: ComponentChildren;
};

export function SelectField({ id, label, value, onChoose, help, first, children }: Props) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        class="input"
        id={id}
        data-first={first ? '' : undefined}
        value={value}
        aria-describedby={help && `${id}-help`}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {children}
      </select>
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
