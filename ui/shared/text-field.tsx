/** A field for one line of text, with its help and what is wrong with it. */
import type { ComponentChildren } from 'preact';
import { DayField } from './day-field.tsx';
import { describedBy, FieldNotes } from './field-notes.tsx';

type Props = {
  id: string;
  label: string;
  value: string;
  onText: (text: string) => void;
  help?: string | undefined;
  problem?: string | undefined;
  /** Whether it has the focus when its dialog opens. */
  first?: boolean;
  /** Whether it is an identifier, a path or the like. */
  mono?: boolean;
  type?: 'text' | 'url' | 'date' | 'email';
  placeholder?: string | undefined;
  /** The datalist with suggestions, among the children. */
  list?: string | undefined;
  maxLength?: number;
  autocomplete?: 'off' | 'new-password';
  readOnly?: boolean;
  required?: boolean;
  /** Whether the label is only for screen readers: in a row, the placeholder says it. */
  hideLabel?: boolean;
  'data-generated'?: string | undefined;
  onBlur?: () => void;
  /** Is called when the text is complete: on Enter, or when the focus leaves the field. */
  onChange?: () => void;
  /** Parts of the field that follow the input. */
  children?: ComponentChildren;
};

export function TextField(props: Props) {
  const { id, label, value, type, onText, help, problem, first, mono, hideLabel, children, ...more } = props;
  const input = {
    ...more,
    id,
    value,
    'data-first': first ? '' : undefined,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': describedBy(id, { problem, help }),
    onInput: (event: InputEvent & { currentTarget: HTMLInputElement }) => onText(event.currentTarget.value),
  };
  return (
    <div class={problem ? 'field bad' : 'field'}>
      <label for={id} class={hideLabel ? 'vh' : undefined}>
        {label}
      </label>
      {type === 'date' ? (
        <DayField {...input} />
      ) : (
        <input {...input} type={type} class={mono ? 'input mono' : 'input'} />
      )}
      <FieldNotes {...{ id, problem, help }} />
      {children}
    </div>
  );
}
