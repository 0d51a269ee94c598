/** A field for a text that is not stored as it is typed: it shows what is typed while it has the focus. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

type Props = Omit<JSX.IntrinsicElements['input'], 'value' | 'onInput' | 'onBlur'> & {
  /** What is stored, as a text. */
  readonly value: string;
  /** Stores what is typed at each letter, so that a shortcut of the view finds all of it. */
  readonly onText: (text: string) => void;
};

export function TypedInput({ value, onText, ...attributes }: Props) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      {...attributes}
      value={typed ?? value}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onText(currentTarget.value);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
