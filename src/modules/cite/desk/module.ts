import type { DeskModule } from '../../../../ui/module.ts';
import { tc } from './texts.ts';

export const cite: DeskModule = {
  name: 'cite',
  sections: [
    {
      name: 'cite-settings',
      places: ['settings'],
      title: () => tc('citations'),
      view: () => import('./cite-settings.tsx').then(({ CiteSettings }) => CiteSettings),
    },
  ],
  panels: [
    {
      name: 'cite',
      place: 'beside',
      view: () => import('./cite-this.tsx').then(({ CiteThis }) => CiteThis),
    },
    {
      name: 'cite-release',
      place: 'release',
      view: () => import('./cite-release.tsx').then(({ CiteRelease }) => CiteRelease),
    },
  ],
};
