import type { DeskModule } from '../../../../ui/module.ts';
import { MOST_UNREAD } from '../most-unread.ts';
import { tt } from './title.ts';
import { countUnread, unread } from './unread.ts';

export const notify: DeskModule = {
  name: 'notify',
  count: countUnread,
  views: [
    {
      name: 'inbox',
      below: 'collection',
      rail: {
        icon: 'inbox',
        title: () => tt('title'),
        after: 'browse',
        key: 'i',
        count: () => {
          const n = unread.value ?? 0;
          return { n, title: tt('unread'), isNew: n > 0, mayBeMore: n === MOST_UNREAD };
        },
      },
      view: () => import('./inbox.tsx').then(({ InboxPage }) => InboxPage),
    },
    {
      name: 'changes',
      below: 'collection',
      needs: ['read_curated'],
      view: () => import('./changes.tsx').then(({ Changes }) => Changes),
    },
  ],
  panels: [
    {
      name: 'follow',
      place: 'collection',
      view: () => import('./follow-button.tsx').then(({ FollowButton }) => FollowButton),
    },
    {
      name: 'follow-record',
      place: 'beside',
      view: () => import('./follow-record.tsx').then(({ FollowRecord }) => FollowRecord),
    },
  ],
};
