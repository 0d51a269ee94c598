/**
 * Who uses this tab. The token is in `sessionStorage` of the tab, never in a URL and never on disk. A tab that is opened
 * beside it, as by a link, gets it from there; signing out ends all of them.
 */
import { computed, signal } from '@preact/signals';
import type { Me } from '../../src/client/client.ts';
import { forgetAnswers } from './kept-answers.ts';
import { forgetDataOf } from './kept-store.ts';
import { forgetAllKept } from './kept-values.ts';
import { SERVICE, SHARED } from './router.ts';

/** The permissions of a token in a collection. */
export type Access = Me['collections'][string];
export type Permission = Access['permissions'][number];

const KEY = 'accession.token';
/** A tab that was signed out stays so, whatever other tabs have. */
const SIGNED_OUT = 'accession.signed-out';

const token = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);
const me = signal<Me | undefined>(undefined);
const refused = signal(false);

/** What a token may do that the service has refused before it said so. */
export const NO_RIGHTS: Me = { user_id: null, admin: false, token: null, collections: {} };

export const session = {
  /** The token of this tab; undefined for a guest. */
  token,
  /** Its permissions; undefined until they are known. */
  me,
  /** Whether the service has refused the token meanwhile. */
  refused,
  /** Whether no user is known: there is no token, or that of a shared link. */
  isGuest: computed(() => token.value === undefined || (me.value?.token?.shared_link ?? null) !== null),
  /** Whether the service has refused the token from the start, as after a reload: it shows nothing until someone signs in. */
  isOver: computed(() => token.value !== undefined && me.value === NO_RIGHTS),
};

type Message = { readonly kind: 'asks' } | { readonly kind: 'has' | 'left'; readonly token: string };

/** The tabs of this browser with the desk of this service. */
const tabs = new BroadcastChannel(`accession.session:${SERVICE.pathname}`);
tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  const own = token.peek();
  if (data.kind === 'asks' && own !== undefined && !refused.peek())
    tabs.postMessage({ kind: 'has', token: own });
  if (data.kind === 'left' && own === data.token) use(undefined);
};

const ANSWER_MS = 200;

/** Uses the token of a shared link in this tab, and takes it out of the address: the history of the browser does not keep it. */
function takeShared(): void {
  const secret = new URLSearchParams(location.hash.slice(1)).get(SHARED);
  if (secret === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  use(secret);
}
// In a tab that shows the same view already, a link that is pasted changes the fragment alone.
addEventListener('hashchange', takeShared);

/** Takes the token of the address or of another tab, if this one is new. */
export async function inheritToken(): Promise<void> {
  takeShared();
  if (token.peek() !== undefined || sessionStorage.getItem(SIGNED_OUT) !== null) return;
  await new Promise<void>((done) => {
    const timer = setTimeout(done, ANSWER_MS);
    tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind !== 'has' || token.peek() !== undefined) return;
      clearTimeout(timer);
      use(data.token);
      done();
    });
    tabs.postMessage({ kind: 'asks' });
  });
}

/** Uses a token from now on or, without one, signs out in all tabs that have it. */
export function setToken(value: string | undefined): void {
  const former = token.peek();
  if (value === undefined) sessionStorage.setItem(SIGNED_OUT, '');
  else sessionStorage.removeItem(SIGNED_OUT);
  if (value === undefined && former !== undefined) tabs.postMessage({ kind: 'left', token: former });
  use(value);
}

function use(value: string | undefined): void {
  if (value === undefined) {
    sessionStorage.removeItem(KEY);
    forgetAnswers();
    forgetAllKept();
    forgetDataOf(me.peek()?.user_id);
  } else sessionStorage.setItem(KEY, value);
  refused.value = false;
  me.value = undefined;
  token.value = value;
}

/** Called when the service refuses the token of the session. */
export function tokenRefused(): void {
  refused.value = true;
}

/** Whether the session has a permission in a collection. */
export function may(collection: string | undefined, permission: Permission): boolean {
  if (collection === undefined) return false;
  return me.value?.collections[collection]?.permissions.includes(permission) ?? false;
}

/** Whether a guest sees those records of a collection alone that policies show to everybody. */
export function isSample({ permissions, policies }: Access): boolean {
  return token.value === undefined && policies !== undefined && permissions.includes('read_curated');
}

/** The collections in which the session has a permission. */
export function collectionsWith(permission: Permission): string[] {
  return Object.keys(me.value?.collections ?? {}).filter((name) => may(name, permission));
}
