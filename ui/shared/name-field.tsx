/** The name of one of several values. While it is empty or that of another one, the value keeps the name that it had. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { TextField } from './text-field.tsx';

/** Marks a name that is not used: `blockedField` finds it. */
const BLOCKED = 'data-blocked';

/** A field whose text is in no value, so nothing may be stored before it is another. */
export const blockedField = () => document.querySelector<HTMLElement>(`[${BLOCKED}] input`);

type Props = {
  id: string;
  label: string;
  name: string;
  /** The names of the others. */
  others: readonly string[];
  problem?: string | undefined;
  /** Whether it was made for the value: the first letter that is typed replaces it. */
  isGenerated?: boolean;
  onRename: (name: string) => void;
};

export function NameField({ id, label, name, others, problem, isGenerated, onRename }: Props) {
  const [typed, setTyped] = useState<{ readonly line: string; readonly of: string }>();
  // What was typed for a value that is gone is not for the next one.
  const line = typed?.of === name ? typed.line : undefined;
  const text = line?.trim();
  const isTaken = text !== undefined && others.includes(text);
  const isBlocked = isTaken || text === '';
  const blocked = isTaken ? t('form.nameTaken', { name: text }) : t('form.nameMissing');
  return (
    <div {...(isBlocked && { [BLOCKED]: '' })}>
      <TextField
        id={id}
        label={label}
        problem={isBlocked ? blocked : problem}
        mono
        autocomplete="off"
        required
        data-generated={isGenerated ? '' : undefined}
        value={line ?? name}
        onText={(next) => {
          const found = next.trim();
          const isFree = found !== '' && !others.includes(found);
          setTyped({ line: next, of: isFree ? found : name });
          if (isFree) onRename(found);
        }}
        onBlur={() => {
          if (!isBlocked) setTyped(undefined);
        }}
      />
    </div>
  );
}
