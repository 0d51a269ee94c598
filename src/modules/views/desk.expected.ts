/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  {
    name: 'views',
    path: '{collection}/browse/Project',
    as: 'curator',
    open: (page) =>
      page
        .locator('main .tools button')
        .filter({ hasText: /^(Views|Ansichten)$/ })
        .click(),
  },
];
