/** A field for a string that is not stored as it is typed: it shows what is typed while it has the focus. */
import { useState } from 'preact/hooks';

type Props = {
  class: string;
  id?: string;
  placeholder?: string;
  'aria-label'?: string;
  'data-generated'?: string | undefined;
  /** What is stored. */
  value: string;
  /** Stores what is typed at each letter, so that a shortcut of the view finds all of it. */
  onText: (text: string) => void;
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
