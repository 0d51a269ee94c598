/** A field for several names in one line, which commas separate. It shows what is typed while it has the focus. */
import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import { TextField } from './text-field.tsx';

type Props = Omit<ComponentProps<typeof TextField>, 'value' | 'onText' | 'onBlur'> & {
  names: readonly string[];
  /** Called with each letter, so that a shortcut of the view finds all that is typed. */
  onNames: (names: string[]) => void;
};

export function NamesField({ names, onNames, ...field }: Props) {
  const [typed, setTyped] = useState<string>();
  return (
    <TextField
      {...field}
      value={typed ?? names.join(', ')}
      onText={(text) => {
        setTyped(text);
        onNames(namesIn(text));
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}

function namesIn(line: string): string[] {
  return line
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
