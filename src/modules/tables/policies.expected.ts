/** Requests that must not reveal hidden records. */
import type { Probes } from '../../../test/policies/world.ts';

export const probes: Probes = {
  'POST /-/{collection}/table/{class}': ({ pids, granted }) =>
    granted === undefined
      ? [
          {
            method: 'POST',
            url: '/-/c/table/Person',
            body: `pid,name,family_name\n${pids.map((pid) => `${pid},table,table`).join('\n')}\n`,
            headers: { 'content-type': 'text/csv' },
          },
        ]
      : [],
};
