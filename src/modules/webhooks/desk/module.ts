import type { DeskModule } from '../../../../ui/module.ts';
import { tw } from './texts.ts';

export const webhooks: DeskModule = {
  name: 'webhooks',
  sections: [
    {
      name: 'webhooks',
      places: ['admin', 'stewardship'],
      title: () => tw('title'),
      view: () => import('./webhooks.tsx').then(({ Webhooks }) => Webhooks),
    },
  ],
};
