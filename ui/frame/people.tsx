/** The module of sign-in, as views use it. */
import { PEOPLE } from '../modules.ts';
import type { PeopleParts } from '../shared/people.ts';
import { session } from '../shared/session.ts';
import { lazily } from './lazily.tsx';
import { LazyView } from './lazy-view.tsx';

/** A view of its own, but for its URL. */
const VIEWS = PEOPLE && { access: PEOPLE.noAccess };

export const PARTS: PeopleParts | undefined = PEOPLE && {
  ...PEOPLE,
  Ways: lazily('ways to sign in', PEOPLE.ways),
  Account: lazily('parts of the account', PEOPLE.account),
  NoAccess: ({ collection }) => <LazyView views={VIEWS!} name="access" collection={collection} />,
  Offer: lazily('offered values', PEOPLE.offer),
};

/** Ends the session of this tab at the service, if it has one. One that cannot be ended now ends by itself. */
export function endSession(): void {
  const token = session.token.peek();
  if (token !== undefined && PEOPLE?.isSession(token)) PEOPLE.signOut(token).catch(() => {});
}
