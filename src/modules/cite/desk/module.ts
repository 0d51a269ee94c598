import type { DeskModule } from '../../../../ui/module.ts';

export const cite: DeskModule = {
  name: 'cite',
  panels: [
    {
      name: 'cite',
      place: 'beside',
      view: () => import('./cite-this.tsx').then(({ CiteThis }) => CiteThis),
    },
  ],
};
