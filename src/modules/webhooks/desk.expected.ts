/** The views of the desk. */
import { addNew, type ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'webhooks', path: 'admin/webhooks/{collection}', as: 'administrator', open: addNew },
  { name: 'webhooks-curator', path: '{collection}/stewardship/webhooks', as: 'curator' },
];
