/**
 * The keyboard: one table of bindings for each view, looked up by the last one mounted. While a dialog is open, only the keys
 * of the innermost dialog are alive.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What a key does; returns false if it does nothing here. */
export type Bindings = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

const STORED = 'accession.single-keys';
/** Whether single keys work without Alt. */
export const singleKeys = signal(localStorage.getItem(STORED) !== 'off');

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(STORED, on ? 'on' : 'off');
  singleKeys.value = on;
}

type Layer = { bindings: Bindings; readonly isDialog: boolean };
const layers: Layer[] = [];
let prefix: string | undefined;

/** Binds keys while the component is mounted; inner components come first. */
export function useKeys(bindings: Bindings): void {
  useLayer(bindings, false);
}

/** Binds the keys of a dialog; those of the views and dialogs behind it are dead until it closes. */
export function useDialogKeys(bindings: Bindings): void {
  useLayer(bindings, true);
}

function useLayer(bindings: Bindings, isDialog: boolean): void {
  const layer = useRef<Layer>({ bindings, isDialog }).current;
  layer.bindings = bindings;
  useLayoutEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

/** The layers that receive a key, in their order. */
function alive(): readonly Layer[] {
  const dialog = layers.findLast(({ isDialog }) => isDialog);
  return dialog ? [dialog] : layers.toReversed();
}

const PREFIX_MS = 1500;

/** Listens to the keyboard, once for the whole desk. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = nameOf(event);
    if (name === undefined) return;
    const combined = prefix === undefined ? name : `${prefix} ${name}`;
    prefix = undefined;
    for (const { bindings } of alive()) {
      const action = bindings[combined];
      if (action && action(event) !== false) {
        event.preventDefault();
        return;
      }
    }
    if (name === 'g' && !isTyping(event)) {
      prefix = 'g';
      setTimeout(() => {
        prefix = undefined;
      }, PREFIX_MS);
    }
  });
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}

/** `ctrl+k`, `shift+x`, `j`, `Enter`; undefined if the key belongs to a field. */
function nameOf(event: KeyboardEvent): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (['Control', 'Shift', 'Alt', 'Meta'].includes(key)) return undefined;
  const isSingle = key.length === 1 && !ctrlKey && !metaKey;
  if (isSingle) {
    if (isTyping(event)) return undefined;
    if (!singleKeys.value && !altKey) return undefined;
    const letter = /^[A-Z]$/i.test(key) ? key.toLowerCase() : key;
    return shiftKey && /^[A-Z]$/i.test(key) ? `shift+${letter}` : letter;
  }
  const modifiers = [ctrlKey || metaKey ? 'ctrl' : '', altKey ? 'alt' : '', shiftKey ? 'shift' : ''];
  return [...modifiers.filter(Boolean), key.length === 1 ? key.toLowerCase() : key].join('+');
}

/** Whether an element that Enter and Space belong to has the focus. */
export function onControl(event: KeyboardEvent): boolean {
  return (
    (event.target as Element).closest('a, button, input, select, textarea, summary, [role=option]') !== null
  );
}
