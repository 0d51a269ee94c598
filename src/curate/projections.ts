/** Rows that are made of single records, such as faults, follow the areas of a collection. */

import type { CollectionStores } from '../collections/stores.ts';
import type { Value } from '../storage/dialect.ts';
import type { StoredRecord } from '../storage/store.ts';
import type { Projection } from '../work/projections.ts';

type RowsOfRecords = Pick<Projection, 'name' | 'version' | 'concerns'> & {
  /** Has the columns `collection`, `area`, `iri`, and these. */
  readonly table: string;
  readonly columns: readonly string[];
  rowsOf(record: StoredRecord): Promise<readonly (readonly Value[])[]>;
};

/** Keeps the rows of each record in a table. */
export function rowsOfRecords(
  { name: collection }: Pick<CollectionStores, 'name'>,
  { table, columns, rowsOf, ...projection }: RowsOfRecords,
): Projection {
  const parameters = columns.map((_, at) => `$${at + 4}`).join(', ');
  const insert = `INSERT INTO ${table} (collection, area, iri, ${columns.join(', ')}) VALUES ($1, $2, $3, ${parameters})`;
  return {
    ...{ ...projection, collection },
    reads: 'changes',
    async apply(entries, draft) {
      const { area, dialect } = draft;
      const iris = entries.map(({ iri }) => iri);
      draft.run(`DELETE FROM ${table} WHERE collection = $1 AND area = $2 AND ${dialect.among('iri', 3)}`, [
        ...[collection, area.id, iris],
      ]);
      for (const { json, ...entry } of entries) {
        if (json === null) continue;
        await draft.yieldIfDue();
        for (const row of await rowsOf({ ...entry, json }))
          draft.run(insert, [collection, area.id, entry.iri, ...row]);
      }
    },
  };
}
