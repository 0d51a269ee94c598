/** Keeps the index of words of the areas of a collection. */
import { headSlots } from '../records/title.ts';
import type { Schema } from '../schema/schema.ts';
import { wordIndex } from '../storage/search/word-index.ts';
import type { WordOptions } from '../storage/tokens.ts';
import type { Projection } from '../work/projections.ts';
import { readSettings } from './settings.ts';
import { placesOf, type ReadStores } from './stores.ts';

const known = new WeakMap<Schema, WordOptions['heads']>();

/** How the records of a collection are indexed now. */
export async function wordOptionsOf(
  stores: Pick<ReadStores, 'schema' | 'name' | 'database' | 'curated'>,
): Promise<WordOptions> {
  const { schema } = stores;
  let heads = known.get(schema);
  if (!heads) {
    heads = headSlots(schema);
    known.set(schema, heads);
  }
  const language = (await readSettings(stores)).search?.language;
  return { heads, ...(language !== undefined && { language }) };
}

/** The index is that of the area: collections that share it follow it together. */
export function wordProjection(stores: ReadStores): Projection {
  let index = wordIndex({ heads: {} });
  return {
    ...index,
    collection: stores.name,
    places: placesOf(stores),
    async version() {
      index = wordIndex(await wordOptionsOf(stores));
      return index.version;
    },
    derived: (span) => index.derived(span),
  };
}
