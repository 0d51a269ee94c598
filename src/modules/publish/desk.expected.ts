/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'publish', path: 'admin/publish/{collection}', as: 'administrator' },
  { name: 'publish-curator', path: '{collection}/stewardship/publish', as: 'curator' },
];
