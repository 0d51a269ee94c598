import type { DeskModule } from '../../../../ui/module.ts';
import { tt } from './title.ts';

export const share: DeskModule = {
  name: 'share',
  browseTools: [
    {
      name: 'share',
      icon: 'globe',
      needs: 'curate',
      label: () => tt('button'),
      view: () => import('./share-dialog.tsx').then(({ ShareDialog }) => ShareDialog),
    },
  ],
  sections: [
    {
      name: 'shared-links',
      places: ['stewardship', 'admin'],
      title: () => tt('page'),
      view: () => import('./shared-links.tsx').then(({ SharedLinks }) => SharedLinks),
    },
  ],
};
