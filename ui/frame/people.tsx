/** The module of sign-in, as views use it. */
import { PEOPLE } from '../modules.ts';
import type { PeopleParts } from '../shared/people.ts';
import { session } from '../shared/session.ts';
import { lazily } from './lazily.tsx';

export const PARTS: PeopleParts | undefined = PEOPLE && {
  ...PEOPLE,
  Ways: lazily('ways to sign in', PEOPLE.ways),
  Account: lazily('parts of the account', PEOPLE.account),
  NoAccess: lazily('view without access', PEOPLE.noAccess),
  Offer: lazily('offered values', PEOPLE.offer),
};

/** Ends the session of this tab at the service, if it has one. One that cannot be ended now ends by itself. */
export function endSession(): void {
  const token = session.token.peek();
  if (token !== undefined && PEOPLE?.isSession(token)) PEOPLE.signOut(token).catch(() => {});
}
