/**
 * Keeps the focus in the view. Browsers drop it on the body when the element that has it is removed, moved or disabled, as the
 * button of an action is: the next Tab would begin at the top of the page, and a screen reader would say nothing.
 *
 * The focus goes to the row around the element, or the one that takes its place; if there is none, to the heading of the part of
 * the view. It never goes to another button, which a second press of the same key would use. An element that was disabled has
 * the focus again when it is enabled.
 */
import { focusHeading } from './keys.ts';

const ROW = 'tr, li';
/** Parts of a view with a heading of their own. */
const PART = 'section, form, fieldset, article, aside, dialog';
const HEADINGS = 'h1, h2, h3, h4, legend';
const FIELDS = 'input:enabled, select:enabled, textarea:enabled';

/** The element that has the focus, or had it last. */
let last: HTMLElement | undefined;
/** An element that is disabled, and what has the focus meanwhile. */
let waiting: { readonly element: HTMLElement; readonly substitute: Element | null } | undefined;

/** Watches the focus, once for the whole desk. */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    last = target as HTMLElement;
  });
  new MutationObserver(check).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}

/** Called before the next key can arrive. */
function check(changes: readonly MutationRecord[]): void {
  if (waiting && !waiting.element.matches(':disabled')) {
    if (document.activeElement === waiting.substitute) waiting.element.focus({ preventScroll: true });
    waiting = undefined;
  }
  const { activeElement, body } = document;
  const isElsewhere = activeElement !== body && activeElement !== last;
  if (!last || isElsewhere) return;
  const removal = changes.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(last!)));
  if (!last.isConnected) {
    if (removal) focusBeside(last, removal);
  } else if (last.matches(':disabled')) {
    // The browser drops the focus of a disabled element only when it draws the page.
    const element = last;
    focusAround(element.parentElement);
    waiting = { element, substitute: document.activeElement };
  } else if (removal) last.focus({ preventScroll: true });
}

function focusBeside(element: HTMLElement, { target, nextSibling, previousSibling }: MutationRecord): void {
  const list = target as Element;
  const isRow = element.closest(ROW)?.parentNode === null;
  const near = isRow ? [nextSibling, previousSibling, list.querySelector('[aria-current="true"]')] : [];
  const row = near.find((one) => one instanceof Element && one.parentNode === list && placeIn(one));
  focusAround((row as Element | undefined) ?? list);
}

/** A link or field of a row. */
function placeIn(row: Element): HTMLElement | null {
  return row.querySelector<HTMLElement>('a[href]') ?? row.querySelector<HTMLElement>(FIELDS);
}

/** Focuses a link or field in the same row, else the heading of the part of the view that an element is in. */
function focusAround(element: Element | null): void {
  const row = element?.closest(ROW);
  const place = row && placeIn(row);
  if (place) {
    place.focus({ preventScroll: true });
    return;
  }
  for (let part = element?.closest(PART); part; part = part.parentElement?.closest(PART)) {
    const heading = part.querySelector<HTMLElement>(HEADINGS);
    if (!heading?.checkVisibility()) continue;
    if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    return;
  }
  focusHeading();
}
