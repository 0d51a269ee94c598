/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'overview', path: '{collection}/overview', as: 'curator' },
  { name: 'overview-class', path: '{collection}/overview/Person', as: 'submitter' },
  { name: 'structure', path: '{collection}/structure', as: 'submitter' },
  { name: 'surroundings', path: '{collection}/surroundings?pid={record}', as: 'submitter' },
];
