/** A field for a secret: the one in force is never shown, and stays unless another is typed. One in a draft is typed again. */
import { useState } from 'preact/hooks';
import { useFocusNext } from '../form/focus-next.ts';
import { describedBy, FieldNotes } from '../shared/field-notes.tsx';
import type { Json } from '../shared/json.ts';
import { ta } from './texts.ts';

type Props = {
  id: string;
  label: string;
  help: string | undefined;
  problem: string | undefined;
  /** Null if one was typed, of which a draft has kept nothing. */
  value: Json | undefined;
  /** Undefined if there is none any more. */
  onChange: (value: Json | undefined) => void;
};

export function SecretField({ id, label, help, problem: fault, value, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const [former] = useState(value);
  const focusNext = useFocusNext();
  const hasOne = value !== undefined && typed === '';
  const problem = hasOne && value === null ? ta('secretAgain') : fault;
  return (
    <div class={problem ? 'field bad' : 'field'}>
      <label for={id}>{label}</label>
      <input
        class="input mono"
        id={id}
        type="password"
        autocomplete="new-password"
        placeholder={hasOne && value !== null ? ta('secretKept') : undefined}
        value={typed}
        aria-invalid={problem ? true : undefined}
        aria-describedby={describedBy(id, { problem, help })}
        onInput={({ currentTarget: { value: text } }) => {
          setTyped(text);
          onChange(text === '' ? former : text);
        }}
      />
      <FieldNotes {...{ id, problem, help }} />
      {hasOne && (
        <div>
          <button
            type="button"
            class="linkish"
            aria-label={`${ta('secretRemove')}: ${label}`}
            onClick={() => {
              onChange(undefined);
              focusNext(id);
            }}
          >
            {ta('secretRemove')}
          </button>
        </div>
      )}
    </div>
  );
}
