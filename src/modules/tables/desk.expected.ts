/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  {
    name: 'upload',
    path: '{collection}/upload',
    as: 'submitter',
    open: (page) => page.locator('main summary').click(),
  },
];
