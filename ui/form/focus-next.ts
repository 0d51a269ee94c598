/** Where the keyboard goes on after a form has gained or lost fields: it is never left on `<body>`. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Fields, and the buttons that add values to a slot which has none. */
const FIELDS = 'input:enabled, textarea:enabled, select:enabled, button[data-add]:enabled';

/**
 * Returns a function that names the element whose first field gets the focus with the next render: before another key can
 * arrive, which would belong to the view.
 */
export function useFocusNext(): (id: string) => void {
  const next = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const element = next.current === undefined ? null : document.getElementById(next.current);
    next.current = undefined;
    if (element) focusFirst(element);
  });
  return (id) => {
    next.current = id;
  };
}

/** Fields of an object come when its class has been read. Until then, the element around them has the focus. */
function focusFirst(element: HTMLElement): void {
  const field = firstField(element);
  element.scrollIntoView({ block: 'nearest' });
  if (field) {
    enter(field);
    return;
  }
  element.focus();
  const observer = new MutationObserver(() => {
    const field = firstField(element);
    if (!field) return;
    observer.disconnect();
    enter(field);
  });
  observer.observe(element, { childList: true, subtree: true });
  // A person who goes elsewhere meanwhile stays there.
  element.addEventListener('blur', () => observer.disconnect(), { once: true });
}

/** Focuses a field; a value that was made up for it is replaced by what is typed. */
function enter(field: HTMLElement): void {
  field.focus();
  if (field instanceof HTMLInputElement && field.dataset.generated !== undefined) field.select();
}

function firstField(element: HTMLElement): HTMLElement | null {
  if (element.matches('input, button')) return element;
  const first = element.querySelector<HTMLElement>(FIELDS);
  if (!(first instanceof HTMLInputElement) || first.type !== 'radio') return first;
  // Tab, too, enters a group of options at the one that is chosen.
  return element.querySelector<HTMLElement>(`input[name="${CSS.escape(first.name)}"]:checked`) ?? first;
}
