/** Who may use a view below a collection. */
import type { Access, Permission } from './session.ts';

/** Whether permissions suffice for a view. @param needs those of which one is needed; default: any */
export function suffices(permissions: readonly Permission[], needs?: readonly Permission[]): boolean {
  return needs?.some((one) => permissions.includes(one)) ?? permissions.length > 0;
}

/** The collection in which a view is opened from elsewhere: the current one, or the first in which it may be used. */
export function collectionFor(
  collections: Readonly<Record<string, Access>>,
  current: string | undefined,
  needs?: readonly Permission[],
): string | undefined {
  const allowed = Object.keys(collections).filter((name) => suffices(collections[name]!.permissions, needs));
  return current !== undefined && allowed.includes(current) ? current : allowed[0];
}
