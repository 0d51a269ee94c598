/** Pairs of curated records that may be about the same thing, without those that a curator has called different. */
import { LRUCache } from 'lru-cache';
import { type Actor, areasOf, type CollectionStores } from '../../core/collections/stores.ts';
import { ServiceError } from '../../core/errors.ts';
import type { MemoryBounds } from '../../core/memory-bounds.ts';
import { resolvePid } from '../../core/records/record.ts';
import {
  countSchema,
  flagSchema,
  listOf,
  objectOf,
  type Shape,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import { type FoundPairs, findPairs, pairId } from './duplicate-pairs.ts';
import { readSlots, versionOf } from './identifiers.ts';

export const duplicatesSchema = objectOf({
  items: listOf(
    objectOf({
      records: listOf(objectOf({ pid: textSchema, class: textSchema, title: textOrNull })),
      by: { ...textSchema, description: 'The slots with the same value, or `title`.' },
      score: { type: 'number', description: '1 for identifiers, less for titles.' },
    }),
  ),
  total: countSchema,
  typos: {
    ...flagSchema,
    description: 'Whether titles that differ by a typo were looked for: not among more than 100,000 records.',
  },
});
type DuplicatePair = Shape<typeof duplicatesSchema>['items'][number];
/** All pairs, the surest first, and whether titles were compared with typos. */
export type ListedPairs = { readonly pairs: readonly DuplicatePair[]; readonly typos: boolean };

export const MEMORY = {
  duplicates: {
    what: 'pairs of records that may be duplicates',
    bytes: 32 * 2 ** 20,
    count: 1,
    of: 'process',
  },
} as const satisfies MemoryBounds;

/** The pairs of an area as it was at a revision. */
type KeptPairs = { readonly of: string; readonly pairs: Promise<FoundPairs> };
/** The memory of a pair, about. */
const PAIR_BYTES = 2000;

/** The pairs that were found last, by area and schema. */
export class Duplicates {
  readonly #found = new LRUCache<string, KeptPairs>({ maxSize: MEMORY.duplicates.bytes });

  /** The pairs of the curated area. */
  async pairs(stores: CollectionStores): Promise<ListedPairs> {
    const { curated, database, schema } = stores;
    const slots = await readSlots(stores);
    const of = `${versionOf(stores, slots)} ${await curated.revision()}`;
    // Several pages, and several curators, wait for the same reading.
    const key = `${curated.area.id} ${schema.digest}`;
    let found = this.#found.get(key);
    if (found?.of !== of) {
      found = { of, pairs: findPairs({ schema, curated }, slots) };
      this.#keep(key, found, 1);
      const { pairs } = found;
      const latest = found;
      pairs.then(
        ({ candidates }) => this.#found.get(key) === latest && this.#keep(key, latest, candidates.length + 1),
        () => this.#found.delete(key),
      );
    }
    const { candidates, typos } = await found.pairs;
    const rows = await database.tuples<[string, string]>(
      'SELECT iri, other FROM accession_different WHERE area = $1',
      [curated.area.id],
    );
    const different = new Set(rows.map(([iri, other]) => pairId(iri, other)));
    const pairs = candidates
      .filter(({ a, b }) => !different.has(pairId(a.iri, b.iri)))
      .map(({ a, b, by, score }) => ({
        records: [a, b].map(({ pid, className, title }) => ({ pid, class: className, title })),
        by,
        score,
      }));
    return { pairs, typos };
  }

  /** The size of a value that is already there would not be set again. */
  #keep(key: string, found: KeptPairs, pairs: number): void {
    this.#found.delete(key);
    this.#found.set(key, found, { size: pairs * PAIR_BYTES });
  }
}

/**
 * Remembers that two records, curated or submitted, are about different things, or forgets it.
 *
 * @throws ServiceError `prefix_unknown`, `payload_invalid`, `record_missing`
 */
export async function callDifferent(
  stores: CollectionStores,
  pids: readonly [string, string],
  different: boolean,
  by: Actor,
): Promise<void> {
  const { schema, database, curated } = stores;
  const pair = pids.map((pid) => resolvePid(schema, pid)).sort();
  if (pair[0] === pair[1])
    throw new ServiceError('payload_invalid', 'body.pids: expected the pids of two records.');
  // A statement about records that are deleted by now can still be withdrawn.
  for (const pid of different ? pids : [])
    if (!(await isStored(stores, resolvePid(schema, pid))))
      throw new ServiceError('record_missing', `The record '${pid}' does not exist.`);
  const key = [curated.area.id, ...pair];
  await database.transact(async (draft) => {
    if (different)
      draft.run(
        `INSERT INTO accession_different (area, iri, other, author, time) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (area, iri, other) DO NOTHING`,
        [...key, by.author, new Date().toISOString()],
      );
    else draft.run('DELETE FROM accession_different WHERE area = $1 AND iri = $2 AND other = $3', key);
    draft.run(
      `INSERT INTO accession_hints (area, version) VALUES ($1, 1)
       ON CONFLICT (area) DO UPDATE SET version = accession_hints.version + 1`,
      [curated.area.id],
    );
  });
}

/** Whether any area of a collection has a record. */
async function isStored(stores: CollectionStores, iri: string): Promise<boolean> {
  for (const { store } of await areasOf(stores)) if (await store.get(iri)) return true;
  return false;
}
