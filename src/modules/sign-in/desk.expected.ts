/** The views of the desk. */
import { addNew, type ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  {
    name: 'people',
    path: 'admin/people/{collection}',
    as: 'administrator',
    open: async (page) => {
      await addNew(page);
      await page.locator('#identity-subject').fill('6f1c2a');
    },
  },
  { name: 'my-tokens', path: 'my-tokens', as: 'submitter' },
  { name: 'signed-in', path: 'signed-in?source=institute&problem=sign_in_refused', as: 'submitter' },
];
