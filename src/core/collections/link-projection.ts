/** Fills in the references of records that were written without them, and of all records if the schema has changed. */
import type { ReadStore, RecordStore } from '../storage/store.ts';
import { type Pool, runIfLong } from '../work/pool.ts';
import { advance, changesBehindIn, type Pace, type Projection } from '../work/projections.ts';
import { linksIn } from '../work/tasks.ts';
import type { CollectionStores, ReadStores } from './stores.ts';
import { placesOf } from './stores.ts';

/** The references of all areas of a collection. Most writes bring those of their records. */
export function linkProjection(stores: ReadStores, pool?: Pool): Projection {
  const { name: collection, schema, database } = stores;
  return {
    // The rows are those of the area: collections that share it follow it together.
    name: 'references',
    collection,
    cursor: 'references',
    version: schema.digest,
    reads: 'changes',
    places: placesOf(stores),
    begin: (draft) => draft.run(ALL_UNLINKED, [draft.area.id]),
    async settled({ id }, reached) {
      const [row] = await database.tuples<[number]>(SETTLED, [id, reached]);
      return row?.[0] ?? 0;
    },
    async apply(entries, draft) {
      for (const { iri, revision, className, json } of entries) {
        // Another collection of the area may have the class.
        if (json === null || !schema.classes.has(className)) continue;
        await draft.yieldIfDue();
        const known = [draft.area.id, iri, revision];
        draft.run(`DELETE FROM accession_link WHERE area = $1 AND iri = $2 AND ${UNCHANGED}`, known);
        const links = await runIfLong(pool, linksIn, { schema, className, json }, json.length);
        for (const link of links) draft.run(ADD_LINK, [...known, link.iri, link.slot, link.path]);
      }
    },
  };
}

/** Links that were brought until now were read by another schema. */
const ALL_UNLINKED = 'UPDATE accession_area SET links_since = revision WHERE area = $1';
/** Changes after `links_since` have brought their links. */
const SETTLED = 'SELECT revision FROM accession_area WHERE area = $1 AND links_since <= $2';
/** A record that has changed since it was read keeps its links. */
const UNCHANGED = 'EXISTS (SELECT 1 FROM accession_record WHERE area = $1 AND iri = $2 AND revision = $3)';
/** In areas without tags, a reference has no policy. */
const ADD_LINK = `INSERT INTO accession_link (area, iri, target, slot, path, policy)
  SELECT r.area, r.iri, CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT),
    (SELECT r.policy FROM accession_area a WHERE a.area = r.area AND a.policy_tags <> '[]')
  FROM accession_record r WHERE r.area = $1 AND r.iri = $2 AND r.revision = $3`;

/** Whether the references of areas are complete. Reads nothing else, and leaves the rest to the background. */
export async function linksAreComplete(
  stores: ReadStores,
  areas: readonly Pick<ReadStore, 'area' | 'revision'>[],
): Promise<boolean> {
  return (await changesBehindIn(stores.database, linkProjection(stores), areas)) === 0;
}

/** @returns whether the references of an area are complete */
export async function followLinks(
  stores: CollectionStores,
  store: RecordStore,
  pace?: Pace,
): Promise<boolean> {
  return (await advance(stores.database, linkProjection(stores), store, pace)) === 0;
}
