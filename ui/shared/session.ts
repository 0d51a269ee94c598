/** Who uses this tab. The token is in `sessionStorage` of the tab alone: never in a URL, never shared between tabs. */
import { computed, signal } from '@preact/signals';
import type { Me } from '../../src/client/client.ts';

/** What a token may do in a collection. */
export type Access = Me['collections'][string];
export type Permission = Access['permissions'][number];

const KEY = 'accession.token';

const token = signal<string | undefined>(sessionStorage.getItem(KEY) ?? undefined);
const me = signal<Me | undefined>(undefined);
const refused = signal(false);

export const session = {
  /** The token of this tab; undefined for a guest. */
  token,
  /** What it may do; undefined until that is known. */
  me,
  /** Whether the service has refused the token meanwhile. */
  refused,
  isGuest: computed(() => token.value === undefined),
};

/** Uses a token, or none, from now on. */
export function setToken(value: string | undefined): void {
  if (value === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, value);
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

/** The collections in which the session has a permission. */
export function collectionsWith(permission: Permission): string[] {
  return Object.keys(me.value?.collections ?? {}).filter((name) => may(name, permission));
}
