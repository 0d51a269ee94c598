/** The overview of a collection: how many records there are, of what, how complete, and who brings them. See README.md. */
import { readCursor } from '../../core/storage/cursors.ts';
import { advance } from '../../core/work/projections.ts';
import type { Module } from '../../module.ts';
import { countProjection, cursorOfCounts } from './counts.ts';
import { overviewEndpoints } from './endpoints.ts';
import { tables } from './tables.ts';

export const overview: Module = {
  name: 'overview',
  uses: ['review'],
  tables,
  endpoints: overviewEndpoints,
  attach: () => (collection) => {
    const counts = countProjection(collection);
    return {
      projections: [counts],
      // Old entries are removed once an hour, so the counts follow them first.
      async followed() {
        const { database, curated } = collection;
        await advance(database, counts, curated, { settle: true });
        return (await readCursor(database, cursorOfCounts(collection), curated.area.id))?.[0] ?? 0;
      },
    };
  },
};
