import type { DeskModule } from '../../../../ui/module.ts';
import { tp } from './texts.ts';

export const publish: DeskModule = {
  name: 'publish',
  sections: [
    {
      name: 'publish',
      places: ['admin', 'stewardship'],
      title: () => tp('publish'),
      view: () => import('./publish.tsx').then(({ Publish }) => Publish),
    },
  ],
  panels: [
    {
      name: 'public-address',
      place: 'beside',
      view: () => import('./public-address.tsx').then(({ PublicAddress }) => PublicAddress),
    },
    {
      name: 'public-pages',
      place: 'public',
      view: () => import('./public-pages.tsx').then(({ PublicPages }) => PublicPages),
    },
  ],
};
