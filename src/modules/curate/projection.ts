/** The projections: faults and identifiers, which are rows that are made of single records, follow the areas of a collection. */

import { placesOf, type ReadStores } from '../../core/collections/stores.ts';
import type { Value } from '../../core/storage/dialect.ts';
import type { StoredRecord } from '../../core/storage/store.ts';
import { type Pool, runIfLong } from '../../core/work/pool.ts';
import type { Projection } from '../../core/work/projections.ts';
import { identifiersOf, readSlots, versionOf } from './identifiers.ts';
import { hasIdentifiers, type IdentifyingSlots } from './identify.ts';
import { problemsOf } from './tasks.ts';

type RowsOfRecords = Pick<Projection, 'name' | 'version' | 'places'> & {
  /** Has the columns `collection`, `area`, `iri`, and these. */
  readonly table: string;
  readonly columns: readonly string[];
  rowsOf(record: StoredRecord): Promise<readonly (readonly Value[])[]>;
};

/** Keeps the rows of each record in a table. */
function rowsOfRecords(
  { name: collection }: Pick<ReadStores, 'name'>,
  { table, columns, rowsOf, ...projection }: RowsOfRecords,
): Projection {
  const parameters = columns.map((_, at) => `$${at + 4}`).join(', ');
  const insert = `INSERT INTO ${table} (collection, area, iri, ${columns.join(', ')}) VALUES ($1, $2, $3, ${parameters})`;
  return {
    ...projection,
    collection,
    reads: 'changes',
    async apply(entries, draft) {
      const { area, dialect } = draft;
      const iris = entries.map(({ iri }) => iri);
      draft.run(`DELETE FROM ${table} WHERE collection = $1 AND area = $2 AND ${dialect.among('iri', 3)}`, [
        collection,
        area.id,
        iris,
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

/** Problems that are kept of a record. */
const MOST_PROBLEMS_KEPT = 20;

export function faultProjection(stores: ReadStores, pool?: Pool): Projection {
  const { schema } = stores;
  return rowsOfRecords(stores, {
    name: 'faults',
    version: schema.digest,
    places: placesOf(stores),
    table: 'accession_fault',
    columns: ['pid', 'class_name', 'problems'],
    async rowsOf({ pid, className, json }) {
      const record = { schema, pid, className, json, most: MOST_PROBLEMS_KEPT };
      const problems = await runIfLong(pool, problemsOf, record, json.length);
      return problems === '[]' ? [] : [[pid, className, problems]];
    },
  });
}

export function identifierProjection(stores: ReadStores): Projection {
  const { curated, schema } = stores;
  let slots: IdentifyingSlots;
  return rowsOfRecords(stores, {
    name: 'identifiers',
    async version() {
      slots = await readSlots(stores);
      return hasIdentifiers(schema, slots) ? versionOf(stores, slots) : undefined;
    },
    places: [curated.area.path],
    table: 'accession_identifier',
    columns: ['value'],
    rowsOf: async (record) => identifiersOf(stores, slots, record).map((value) => [value]),
  });
}
