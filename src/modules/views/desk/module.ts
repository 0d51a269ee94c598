import type { DeskModule } from '../../../../ui/module.ts';
import { tv } from './texts.ts';

export const views: DeskModule = {
  name: 'views',
  browseTools: [
    {
      name: 'views',
      icon: 'file',
      label: () => tv('label'),
      view: () => import('./views-dialog.tsx').then(({ ViewsDialog }) => ViewsDialog),
      bar: () => import('./views-bar.tsx').then(({ ViewsBar }) => ViewsBar),
    },
  ],
};
