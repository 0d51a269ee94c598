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

const KEPT = 'accession.invitation';

/** Keeps the invitation in this tab while the person is away to sign in. */
export function keepLink({ collection, secret }: InvitationLink): void {
  sessionStorage.setItem(KEPT, new URLSearchParams({ collection, invitation: secret }).toString());
}

/** Takes the invitation out of the address, so that the history of the browser does not keep the secret, or from this tab. */
export function takeLink(): InvitationLink | undefined {
  const parts = new URLSearchParams(location.hash.slice(1) || (sessionStorage.getItem(KEPT) ?? ''));
  sessionStorage.removeItem(KEPT);
  const [collection, secret] = [parts.get('collection'), parts.get('invitation')];
  if (collection === null || secret === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { collection, secret };
}
