import type { DeskModule } from '../../../../ui/module.ts';
import { fetchPart } from '../../../../ui/shared/fetched.ts';
import { ts } from './texts.ts';

const replacement = () => import('./replacement.tsx');

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
  rehearse: async (configured) => (await fetchPart(replacement)).rehearseReplacement(configured),
};
