/** The views of the desk. */
import { addNew, type ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'releases', path: 'admin/releases/{collection}', as: 'administrator', open: addNew },
  { name: 'releases-curator', path: '{collection}/stewardship/releases', as: 'curator', open: addNew },
];
