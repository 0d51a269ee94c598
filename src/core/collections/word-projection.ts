/** Keeps the index of words of the areas of a collection. */
import { headSlots } from '../records/title.ts';
import type { Schema } from '../schema/schema.ts';
import type { WordOptions } from '../storage/tokens.ts';
import { wordIndex } from '../storage/word-index.ts';
import type { Projection } from '../work/projections.ts';
import { placesOf, type ReadStores } from './stores.ts';

const known = new WeakMap<Schema, WordOptions>();

/** How the records of a collection are indexed. */
export function wordOptionsOf({ schema }: Pick<ReadStores, 'schema'>): WordOptions {
  let options = known.get(schema);
  if (!options) {
    options = { heads: headSlots(schema) };
    known.set(schema, options);
  }
  return options;
}

/** The index is that of the area: collections that share it follow it together. */
export function wordProjection(stores: ReadStores): Projection {
  return {
    ...wordIndex(wordOptionsOf(stores)),
    collection: stores.name,
    places: placesOf(stores),
  };
}
