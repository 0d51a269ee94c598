/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  {
    name: 'share',
    path: '{collection}/browse/Project',
    as: 'curator',
    open: (page) =>
      page
        .locator('main .tools button')
        .filter({ hasText: /^(Share|Teilen)$/ })
        .click(),
  },
  { name: 'shared-links', path: '{collection}/stewardship/shared-links', as: 'curator' },
];
