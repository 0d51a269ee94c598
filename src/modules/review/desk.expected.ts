/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

const ITEM = '{collection}/review/item?{submission}';
const QUEUE = '{collection}/review';

export const views: readonly ModuleView[] = [
  { name: 'submissions', path: '{collection}/submissions', as: 'submitter' },
  {
    name: 'withdraw',
    path: '{collection}/submissions',
    as: 'submitter',
    open: (page) => page.keyboard.press('w'),
  },
  { name: 'queue', path: QUEUE, as: 'curator' },
  { name: 'review', path: ITEM, as: 'curator' },
  { name: 'reject', path: QUEUE, as: 'curator', open: (page) => page.keyboard.press('r') },
  { name: 'defer', path: ITEM, as: 'curator', open: (page) => page.keyboard.press('d') },
  { name: 'bulk', path: QUEUE, as: 'curator', open: (page) => page.keyboard.press('Shift+A') },
  {
    name: 'bulk-selected',
    path: QUEUE,
    as: 'curator',
    open: async (page) => {
      await page.keyboard.press('x');
      await page.keyboard.press('a');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'ask', path: ITEM, as: 'curator', open: (page) => page.keyboard.press('q') },
  { name: 'assign', path: QUEUE, as: 'curator', open: (page) => page.keyboard.press('w') },
  {
    name: 'review-form',
    path: ITEM,
    as: 'curator',
    open: async (page) => {
      await page.keyboard.press('f');
      await page.getByRole('dialog').locator('#f-name').waitFor();
    },
  },
  { name: 'decisions', path: '{collection}/decisions', as: 'curator' },
];
