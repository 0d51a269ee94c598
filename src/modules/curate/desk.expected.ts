/** The views of the desk. */
import type { ModuleView } from '../../../test/support/module-views.ts';

export const views: readonly ModuleView[] = [
  { name: 'duplicates', path: '{collection}/stewardship/duplicates', as: 'curator' },
  { name: 'dangling', path: '{collection}/stewardship/dangling', as: 'curator' },
  { name: 'faults', path: '{collection}/stewardship/faults', as: 'curator' },
  { name: 'moves', path: '{collection}/stewardship/moves', as: 'curator' },
  { name: 'rename', path: '{collection}/rename?pid={record}', as: 'curator' },
  { name: 'merge', path: '{collection}/merge?keep={record}&drop={other}', as: 'curator' },
  { name: 'merge-choose', path: '{collection}/merge?keep={record}', as: 'curator' },
];
