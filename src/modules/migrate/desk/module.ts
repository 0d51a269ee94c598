import type { DeskModule } from '../../../../ui/module.ts';
import { ts } from './texts.ts';

export const migrate: DeskModule = {
  name: 'migrate',
  views: [
    {
      name: 'schema',
      below: 'collection',
      admins: true,
      entry: 'stewardship',
      link: { places: ['admin', 'stewardship'], title: () => ts('title') },
      view: () => import('./schema-view.tsx').then(({ SchemaView }) => SchemaView),
    },
  ],
  rehearse: async (configured) => (await import('./replacement.tsx')).rehearseReplacement(configured),
};
