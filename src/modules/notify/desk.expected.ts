/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'inbox', path: '{collection}/inbox', as: 'curator' },
  { name: 'changes', path: '{collection}/changes', as: 'curator' },
];
