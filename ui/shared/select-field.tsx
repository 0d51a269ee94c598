/** A field that is one of some options, which are its children. */
import type { ComponentChildren } from 'preact';

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
  const described = [problem && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ');
  return (
    <div class={problem ? 'field bad' : 'field'}>
      <label for={id}>{label}</label>
      <select
        class="input"
        id={id}
        data-first={first ? '' : undefined}
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described || undefined}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {children}
      </select>
      {problem && (
        <p class="error" id={`${id}-error`}>
          {problem}
        </p>
      )}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
