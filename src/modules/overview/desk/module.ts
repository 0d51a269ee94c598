import type { DeskModule } from '../../../../ui/module.ts';
import { title } from './title.ts';

export const overview: DeskModule = {
  name: 'overview',
  views: [
    {
      name: 'overview',
      below: 'collection',
      needs: ['read_curated', 'read_zone'],
      entry: 'browse',
      link: { places: ['browse'], icon: 'chart', title, carriesFilter: true },
      view: () => import('./overview.tsx').then(({ OverviewPage }) => OverviewPage),
    },
    {
      name: 'structure',
      below: 'collection',
      needs: ['read_curated', 'read_zone'],
      entry: 'browse',
      view: () => import('./structure.tsx').then(({ Structure }) => Structure),
    },
    {
      name: 'surroundings',
      below: 'collection',
      needs: ['read_curated', 'read_zone'],
      entry: 'browse',
      view: () => import('./surroundings.tsx').then(({ SurroundingsPage }) => SurroundingsPage),
    },
  ],
  rangeChart: () => import('./range-chart.tsx').then(({ RangeChart }) => RangeChart),
  panels: [
    {
      name: 'surroundings',
      place: 'heading',
      view: () => import('./surroundings-link.tsx').then(({ SurroundingsLink }) => SurroundingsLink),
    },
  ],
};
