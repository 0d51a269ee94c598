/** Keeps unused input: closing a dialog keeps it, and so does a reload of the tab. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isEqual, type Json, parseJson } from './json.ts';
import { session } from './session.ts';

const PREFIX = 'accession.kept:';
const WRITE_MS = 300;

function keyOf(name: string): string {
  return `${PREFIX}${session.me.peek()?.user_id ?? ''}:${name}`;
}

/** Forgets what was kept under a name. */
export function forgetKept(name: string): void {
  sessionStorage.removeItem(keyOf(name));
}

function write(name: string, value: Json, initial: Json): void {
  try {
    if (isEqual(value, initial)) forgetKept(name);
    else sessionStorage.setItem(keyOf(name), JSON.stringify(value));
  } catch {
    // A full storage keeps less; the dialog itself still has the value.
  }
}

/**
 * A state that starts with what was kept under a name.
 *
 * @returns the value, a function that changes it, and one that forgets it because it was used
 */
export function useKept<T extends Json>(
  name: string,
  initial: T,
): [value: T, change: (next: T) => void, forget: () => void] {
  const [value, setValue] = useState<T>(() => {
    const text = sessionStorage.getItem(keyOf(name));
    return text === null ? initial : (parseJson(text) as T);
  });
  const latest = useRef({ value, isUsed: false }).current;
  const change = (next: T) => {
    latest.value = next;
    setValue(next);
  };
  const flush = () => {
    if (!latest.isUsed) write(name, latest.value, initial);
  };
  useEffect(() => {
    const timer = setTimeout(flush, WRITE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  useEffect(() => {
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, []);
  const forget = () => {
    latest.isUsed = true;
    forgetKept(name);
  };
  return [value, change, forget];
}
