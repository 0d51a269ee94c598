/** Makes the part of a collection that opens: what follows its records, and what is asked of it. */
import type { Collection } from '../../core/collections/collection.ts';
import { UNNAMED } from '../../core/collections/policy-rules.ts';
import type { Duplicates } from './duplicates.ts';
import { countFaults } from './faults.ts';
import { hintsOf } from './hints.ts';
import { movesOf } from './moved.ts';
import type { CuratePart } from './part.ts';
import { faultProjection, identifierProjection } from './projection.ts';

/** @param duplicates the pairs that were found last, which all collections of the service share */
export function attachCurate(collection: Collection, duplicates: Duplicates): CuratePart {
  return {
    projections: [faultProjection(collection, collection.pool), identifierProjection(collection)],
    hints: hintsOf(collection),
    moves: movesOf(collection),
    duplicates: () => duplicates.pairs(collection),
    async health() {
      const faults = await countOpenFaults(collection);
      const records = faults === 1 ? '1 stored record does' : `${faults} stored records do`;
      return faults > 0 ? [`${records} not fit the schema, see /-/${collection.name}/faults`] : [];
    },
  };
}

/** How many records do not fit the schema. The state needs no token, so hidden records do not count. */
async function countOpenFaults(collection: Collection): Promise<number> {
  const { policies } = collection;
  if (!policies || policies.isOpen) return countFaults(collection);
  const rules = policies.known();
  return rules ? countFaults(collection, rules.visibilityOf(UNNAMED)) : 0;
}
