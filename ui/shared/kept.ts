/**
 * Keeps unused input: closing a dialog keeps it, and so does a reload of the tab, Back, and another view. It belongs to its user,
 * and signing out forgets it. If the storage has no room, a toast says so, and the desk asks before the view is left.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { useGuard } from './guard.ts';
import { isEqual, type Json, parseJson } from './json.ts';
import { keptKey } from './kept-values.ts';
import { session } from './session.ts';
import { toast } from './toast.tsx';

const WRITE_MS = 300;

const currentUser = () => session.me.peek()?.user_id;

function keyOf(name: string): string {
  return keptKey(currentUser(), name);
}

/** Forgets what was kept under a name. */
export function forgetKept(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

/** What is stored of a value, and the value again from that. */
export type StoredAs<T> = { readonly store: (value: T) => Json; readonly restore: (stored: Json) => T };

/** @returns whether the value is there after a reload */
function write(name: string, stored: Json, initial: Json): boolean {
  try {
    if (isEqual(stored, initial)) forgetKept(name);
    else sessionStorage.setItem(keyOf(name), JSON.stringify(stored));
    return true;
  } catch {
    // Half of the words, from before, would pass for all of them.
    forgetKept(name);
    return false;
  }
}

/**
 * A state that starts with what was kept under a name.
 *
 * @param storedAs for a value of which not all may be stored
 * @returns the value, a function that changes it, and one that forgets it because it was used
 */
export function useKept<T extends Json>(
  name: string,
  initial: T,
  storedAs: StoredAs<T> = { store: (value) => value, restore: (stored) => stored as T },
): [value: T, change: (next: T | ((before: T) => T)) => void, forget: () => void] {
  const [value, setValue] = useState<T>(() => {
    const text = sessionStorage.getItem(keyOf(name));
    return text === null ? initial : storedAs.restore(parseJson(text));
  });
  const [isFull, setFull] = useState(false);
  const latest = useRef({ value, isUsed: false }).current;
  useGuard(isFull, t('kept.leave'));
  const change = (next: T | ((before: T) => T)) => {
    latest.value = typeof next === 'function' ? next(latest.value) : next;
    latest.isUsed = false;
    setValue(latest.value);
  };
  // A view that closes because its user has signed out keeps nothing for the next one.
  const user = useRef(currentUser()).current;
  const flush = () => {
    if (latest.isUsed || currentUser() !== user) return true;
    return write(name, storedAs.store(latest.value), storedAs.store(initial));
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      const isKept = flush();
      if (!isKept && !isFull) toast(t('kept.full'));
      setFull(!isKept);
    }, WRITE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  // Before the first paint: a busy browser paints late, and what was typed and closed until then is kept, too.
  useLayoutEffect(() => {
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, []);
  const forget = () => {
    latest.isUsed = true;
    setFull(false);
    forgetKept(name);
  };
  return [value, change, forget];
}
