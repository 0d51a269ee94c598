/** The sides that a curator has chosen; they survive a reload, until the submission changes or is decided. */
import { useState } from 'preact/hooks';
import type { Choices } from '../shared/merge.ts';
import type { Side } from '../shared/review.ts';

const CHOICES = 'accession.choices:';

/** The chosen sides, and a function that chooses one; without arguments it forgets them. */
export function useChoices(key: string): [Choices, (path?: string, side?: Side) => void] {
  const [choices, setChoices] = useState<Choices>(() =>
    JSON.parse(sessionStorage.getItem(CHOICES + key) ?? '{}'),
  );
  const choose = (path?: string, side?: Side) => {
    if (path === undefined || side === undefined) {
      sessionStorage.removeItem(CHOICES + key);
      return;
    }
    const next = { ...choices, [path]: side };
    sessionStorage.setItem(CHOICES + key, JSON.stringify(next));
    setChoices(next);
  };
  return [choices, choose];
}
