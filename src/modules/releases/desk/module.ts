import type { DeskModule } from '../../../../ui/module.ts';
import { tr } from './texts.ts';

export const releases: DeskModule = {
  name: 'releases',
  sections: [
    {
      name: 'releases',
      places: ['admin', 'stewardship'],
      title: () => tr('releases'),
      view: () => import('./releases.tsx').then(({ Releases }) => Releases),
    },
  ],
};
