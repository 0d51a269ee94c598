/** The link of an invitation: where it leads, and what it has. */
import { DESK } from '../../../../ui/shared/router.ts';

/** The view that accepts an invitation, below the desk. */
export const ACCEPT = 'accept-invitation';

export type InvitationLink = { readonly collection: string; readonly secret: string };

/** The secret is in the fragment, which browsers send to no server. */
export function linkOf({ collection, secret }: InvitationLink): string {
  const url = new URL(ACCEPT, DESK);
  url.hash = new URLSearchParams({ collection, invitation: secret }).toString();
  return url.href;
}

/** Takes the invitation out of the address, so that the history of the browser does not keep the secret. */
export function takeLink(): InvitationLink | undefined {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [collection, secret] = [parts.get('collection'), parts.get('invitation')];
  if (collection === null || secret === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { collection, secret };
}
