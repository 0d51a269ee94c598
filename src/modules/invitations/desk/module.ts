import type { DeskModule } from '../../../../ui/module.ts';
import { ACCEPT } from './link.ts';
import { ti } from './texts.ts';

export const invitations: DeskModule = {
  name: 'invitations',
  sections: [
    {
      name: 'invitations',
      places: ['admin'],
      title: () => ti('title'),
      view: () => import('./invitations.tsx').then(({ Invitations }) => Invitations),
    },
  ],
  views: [
    {
      name: ACCEPT,
      below: 'desk',
      view: () => import('./accept-invitation.tsx').then(({ AcceptInvitation }) => AcceptInvitation),
    },
  ],
};
