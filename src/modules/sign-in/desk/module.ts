import type { DeskModule } from '../../../../ui/module.ts';
import { service } from '../../../../ui/shared/service.ts';
import { signIn as client, grants } from '../client.ts';
import { isOrcidSlot } from './orcid-slot.ts';
import { ts } from './texts.ts';

export const signIn: DeskModule = {
  name: 'sign-in',
  sections: [
    {
      name: 'people',
      places: ['admin', 'stewardship'],
      title: () => ts('people.title'),
      view: () => import('./people.tsx').then(({ People }) => People),
    },
  ],
  views: [
    {
      name: 'signed-in',
      below: 'desk',
      view: () => import('./signed-in.tsx').then(({ SignedIn }) => SignedIn),
    },
    {
      name: 'my-tokens',
      below: 'desk',
      view: () => import('./my-tokens.tsx').then(({ MyTokens }) => MyTokens),
    },
  ],
  people: {
    ways: () => import('./ways.tsx').then(({ Ways }) => Ways),
    account: () => import('./account.tsx').then(({ AccountLinks }) => AccountLinks),
    noAccess: () => import('./no-access.tsx').then(({ NoAccess }) => NoAccess),
    offer: () => import('./offer-orcid.tsx').then(({ OfferOrcid }) => OfferOrcid),
    mayName: (id) => /^[a-z\d][a-z\d-]*:/.test(id),
    nameOf: (collection, id) => import('./names.ts').then(({ nameOf }) => nameOf(collection, id)),
    mayOffer: isOrcidSlot,
    isSession: (token) => token.startsWith('session_'),
    signOut: (token) => service({ token }).use(client).signOut(),
    accept: (collection, secret) => service().collection(collection).use(grants).acceptInvitation(secret),
  },
};
