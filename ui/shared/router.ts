/** URLs of the desk: what another person may want to see is in the path and the query; tokens and drafts never are. */
import { signal } from '@preact/signals';

/** The directory of the desk. The bundle is in `assets/` below it, whatever path a proxy puts in front. */
export const DESK = new URL('../', import.meta.url);
/** The root of the service. */
export const SERVICE = new URL('../../', DESK);

type Place = {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly key: string;
  /** Whether a step in the history of the tab led here, not a link. */
  readonly returned: boolean;
};

/** Where the desk is. */
export const place = signal<Place>(readPlace());
/** The questions of views that have something to lose. */
const questions = new Set<() => boolean>();

/** Asks before the view is left, until the returned function is called. @param ask whether the user leaves */
export function askBeforeLeaving(ask: () => boolean): () => void {
  questions.add(ask);
  return () => questions.delete(ask);
}

function mayLeave(): boolean {
  return [...questions].every((ask) => ask());
}

/** The number of the place in the history of the tab: a step back that the user does not want is undone by going there. */
let at = numberedPlace(0);
let isReturning = false;

function numberedPlace(otherwise: number): number {
  const state: { at?: number } | null = history.state;
  if (state?.at !== undefined) return state.at;
  history.replaceState({ at: otherwise }, '');
  return otherwise;
}

const scrolls = new Map<string, number>();

/** The parts of a URL below the desk. */
export function pathOf(url: string): string[] {
  const { pathname } = new URL(url, location.origin);
  return pathname
    .slice(DESK.pathname.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
}

function readPlace(returned = false): Place {
  const below = location.pathname.slice(DESK.pathname.length);
  const path = pathOf(location.href);
  return { path, query: new URLSearchParams(location.search), key: below + location.search, returned };
}

/** A parameter with several values is repeated. */
type Query = Readonly<Record<string, string | number | readonly string[] | undefined | null>>;

/** The URL of a place in the desk, relative to the origin. */
export function urlOf(path: readonly string[], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
  }
  const text = search.toString();
  return DESK.pathname + path.map(encodeURIComponent).join('/') + (text === '' ? '' : `?${text}`);
}

/** Goes to a place. */
export function go(url: string, { replace = false } = {}): void {
  if (!mayLeave()) return;
  scrolls.set(place.value.key, mainScroll()?.scrollTop ?? 0);
  if (!replace) at += 1;
  history[replace ? 'replaceState' : 'pushState']({ at }, '', url);
  place.value = readPlace();
}

/** The parameters of a URL, each with all of its values. */
export function queryOf(query: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}

/** The URL of the present place with other query parameters, as a filter changes them. */
export function withQuery(changes: Query): string {
  return urlOf(place.value.path, { ...queryOf(place.value.query), ...changes });
}

/** The parameter of the fragment with the secret of a shared link. Browsers send it to no server. */
export const SHARED = 'shared';

/** The URL of what is on the screen. The row of the preview is where this person is, not what is shared. */
export function urlOfScreen(): URL {
  return new URL(withQuery({ preview: null }), location.origin);
}

/** The URL of the page to sign in, which returns to the place that asked for it. */
export function signInUrl(): string {
  const { path } = place.value;
  const returns = path.length > 0 && path[0] !== 'sign-in';
  return urlOf(['sign-in'], { next: returns ? location.pathname + location.search : undefined });
}

/** The scroll position that a place was left with. */
export function formerScroll(key: string): number {
  return scrolls.get(key) ?? 0;
}

function mainScroll(): Element | null {
  return document.querySelector('[data-main-scroll]');
}

/** Makes links of the desk change the place without loading the page. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    if (isReturning) {
      isReturning = false;
      return;
    }
    // A link within the page has made an entry of its own.
    const target = numberedPlace(at + 1);
    if (target !== at && !mayLeave()) {
      isReturning = true;
      history.go(at - target);
      return;
    }
    at = target;
    scrolls.set(place.value.key, mainScroll()?.scrollTop ?? 0);
    place.value = readPlace(true);
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest?.<HTMLElement | SVGElement>('a[href]');
    if (!link || link.hasAttribute('target') || link.hasAttribute('download')) return;
    // Links in a picture have no properties for the parts of their URL.
    const href = link.getAttribute('href') ?? '';
    const { origin, pathname, search } = new URL(href, location.href);
    if (origin !== location.origin || !pathname.startsWith(DESK.pathname) || href.startsWith('#')) return;
    event.preventDefault();
    // A link that was clicked gives up the focus, so that Enter belongs to the list again.
    if (event.detail > 0) link.blur();
    go(pathname + search);
  });
}
