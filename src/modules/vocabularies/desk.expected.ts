/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'vocabularies', path: '{collection}/stewardship/vocabularies', as: 'curator' },
];
