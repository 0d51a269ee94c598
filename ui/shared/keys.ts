/**
 * The keyboard, in layers: the components of a view, the dialogs over it, the menus that are open. A key goes to the innermost
 * layer that binds it and passes no dialog: while one is open, the view has no keys. `Escape` closes one layer; in a view, a
 * field that has the focus is the first.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Handlers by key; one returns false if the key does nothing here. */
export type Bindings = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

const STORED = 'accession.single-keys';
/** Whether single keys work without Alt. */
export const singleKeys = signal(localStorage.getItem(STORED) !== 'off');

export function switchSingleKeys(on: boolean): void {
  localStorage.setItem(STORED, on ? 'on' : 'off');
  singleKeys.value = on;
}

type Kind = 'view' | 'dialog' | 'menu';
type Layer = { bindings: Bindings; readonly kind: Kind };
const layers: Layer[] = [];

/** Binds the keys of a part of a view while it is mounted. */
export function useKeys(bindings: Bindings): void {
  useLayer('view', bindings);
}

/** Binds the keys of a dialog, or of a menu within a view or a dialog, while it is open. */
export function useLayer(kind: Kind, bindings: Bindings, open = true): void {
  const layer = useRef<Layer>({ bindings, kind }).current;
  layer.bindings = bindings;
  useLayoutEffect(() => {
    if (!open) return undefined;
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [open]);
}

/** The layers that receive a key, in their order. */
function alive(): readonly Layer[] {
  const at = layers.findLastIndex(({ kind }) => kind === 'dialog');
  if (at < 0) return layers.toReversed();
  const menus = layers.slice(at + 1).filter(({ kind }) => kind === 'menu');
  return [...menus.toReversed(), layers[at]!];
}

/** How long `g` waits for the key behind it. */
const PREFIX_MS = 1500;
/** Until when it does, by the clock of events: a busy page gets both keys late. */
let prefixUntil = 0;

/** Listens to the keyboard, once for the whole desk. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = nameOf(event);
    if (name === undefined) return;
    const combined = event.timeStamp < prefixUntil ? `g ${name}` : name;
    prefixUntil = 0;
    const receiving = alive();
    if (name === 'Escape' && receiving[0]?.kind === 'view' && isTyping(event)) {
      event.preventDefault();
      leaveField(event.target as HTMLElement);
      return;
    }
    for (const { bindings } of receiving) {
      const action = bindings[combined];
      if (action && action(event) !== false) {
        event.preventDefault();
        return;
      }
    }
    if (name === 'g' && !isTyping(event)) prefixUntil = event.timeStamp + PREFIX_MS;
  });
}

/** The heading gets the focus, so that the keys of the view work and screen readers know where they are. */
function leaveField(field: HTMLElement): void {
  field.blur();
  focusHeading();
}

/** Moves the focus to the title of the view. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** Whether a key belongs to a field of text, or to the fields of a form: their buttons and options have no keys of the view. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest('[data-fields]')) return true;
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
