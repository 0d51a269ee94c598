/** Where curated records went that were renamed or merged: former pids lead to them, and changes name their new pids. */
import type { Moves } from '../../core/collections/part.ts';
import type { CollectionStores } from '../../core/collections/stores.ts';
import { lastDeletion } from '../../core/storage/history/entries.ts';
import { plansWithIds } from '../../core/work/kept-plans.ts';
import { type KeptMove, MOVES } from './moves.ts';

type CuratedOf = Pick<CollectionStores, 'database' | 'curated' | 'schema'>;

/** Moves that are followed from a pid that is gone. */
const MOST_HOPS = 20;

export function movesOf({ database, curated, schema }: CuratedOf): Moves {
  const { area } = curated;
  const withIds = (ids: readonly string[]) => plansWithIds<KeptMove>(database, area, MOVES, ids);
  return {
    async movedTo(iri, revision) {
      let at: string | undefined;
      for (let hop = 0; hop < MOST_HOPS; hop++) {
        const from = at ?? iri;
        const plan = (await lastDeletion(database, area, from, revision))?.batch;
        const move = plan === undefined ? undefined : (await withIds([plan])).get(plan);
        const next = move?.iri === from ? schema.expand(move.to) : undefined;
        if (next === undefined) return at;
        at = next;
      }
      return at;
    },
    async movedBy(plans) {
      const moves = await withIds(plans);
      return (iri, plan) => {
        const move = moves.get(plan ?? '');
        if (move?.iri === iri) return move.to;
        // The undo of a rename deletes the record that had its new pid.
        return move?.kind === 'rename' ? move.from : undefined;
      };
    },
  };
}
