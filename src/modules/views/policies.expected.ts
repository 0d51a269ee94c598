/** What shows that saved views reveal nothing of hidden records: curators write them, and no record is in them by itself. */
import type { Probes } from '../../../test/policies/world.ts';

export const probes: Probes = {
  'GET /-/{collection}/views': () => [
    { method: 'GET', url: '/-/c/views' },
    { method: 'GET', url: '/-/c/views?class=Person' },
  ],
};
