/** The views of the desk. */
import { addNew, type ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  {
    name: 'invitations',
    path: 'admin/invitations/{collection}',
    as: 'administrator',
    open: async (page) => {
      await addNew(page);
      await page.locator('#invite-person').fill('bea@example.org');
    },
  },
];
