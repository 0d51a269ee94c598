import type { DeskModule } from '../../../../ui/module.ts';
import { to } from './texts.ts';

export const overview: DeskModule = {
  name: 'overview',
  views: [
    {
      name: 'overview',
      below: 'collection',
      needs: ['read_curated', 'read_zone'],
      entry: 'browse',
      link: { places: ['browse'], icon: 'chart', title: () => to('title'), carriesFilter: true },
      view: () => import('./overview.tsx').then(({ OverviewPage }) => OverviewPage),
    },
  ],
};
