/** Renames, merges and duplicates on two instances with one database, and what is read of them. */
import { pidOf, type Read, type Write } from '../../../test/support/as-one.ts';

export const reads: readonly Read[] = [
  { url: '/-/lab/dangling', token: 'cora' },
  { url: '/-/lab/duplicates', token: 'cora' },
  { url: '/-/lab/moves', token: 'cora' },
];

const sent = (method: string, url: string, json: object) => ({ method, url, token: 'cora', json });

export const writes: readonly Write[] = [
  (chance) => sent('POST', '/-/lab/curated/rename', { from: pidOf(chance), to: pidOf(chance) }),
  (chance) => sent('POST', '/-/lab/curated/merge', { keep: pidOf(chance), drop: pidOf(chance), take: {} }),
  (chance) =>
    sent('PUT', '/-/lab/duplicates', {
      pids: [pidOf(chance), pidOf(chance)],
      different: chance.below(3) > 0,
    }),
  ({ one }) =>
    sent('PUT', '/-/lab/settings', {
      on_delete: one(['warn', 'refuse']),
      identifying_slots: { Person: ['given_name'] },
    }),
];
