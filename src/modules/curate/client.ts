/**
 * Curation for clients: renames and merges, duplicates, missing references, faults.
 *
 * ```ts
 * import { curate } from 'accession/client/curate';
 *
 * const { items } = await laboratory.use(curate).duplicates();
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { Dangling, Duplicates, Faults, MoveReport, Moves } from './api-types.ts';

export type * from './api-types.ts';

type Paging = { readonly offset?: number | undefined; readonly limit?: number | undefined };

export function curate(http: Http, path: string) {
  return {
    /** Gives a curated record another pid, in every record that refers to it; `dryRun` only reports what would change. */
    rename: (from: string, to: string, { dryRun }: { dryRun?: boolean } = {}): Promise<MoveReport> =>
      http.json('POST', `${path}/curated/rename`, {
        query: { dry_run: dryRun },
        json: { from, to },
        safe: dryRun,
      }),
    /**
     * Merges a curated record into another one. `take` chooses a side for paths at which both have values.
     *
     * @throws ClientError with status 409 and a problem for each path that needs a choice
     */
    merge: (
      pids: { keep: string; drop: string },
      { take = {}, dryRun }: { take?: Readonly<Record<string, 'keep' | 'drop'>>; dryRun?: boolean } = {},
    ): Promise<MoveReport> =>
      http.json('POST', `${path}/curated/merge`, {
        query: { dry_run: dryRun },
        json: { ...pids, take },
        safe: dryRun,
      }),
    /** The renames and merges that can be undone, newest first. */
    moves: (): Promise<Moves> => http.json('GET', `${path}/moves`),
    /** Undoes a rename or merge. */
    undoMove: (id: string): Promise<MoveReport> =>
      http.json('POST', `${path}/moves/${encodeURIComponent(id)}/undo`),
    /** Pairs of curated records that may be about the same thing, the surest first. */
    duplicates: (page?: Paging): Promise<Duplicates> =>
      http.json('GET', `${path}/duplicates`, { query: page }),
    /** Records that two records are about different things, or undoes that. */
    async different(pids: readonly [string, string], different = true): Promise<void> {
      await http.send('PUT', `${path}/duplicates`, { json: { pids, different } });
    },
    /** References to records that do not exist. */
    dangling: (limit?: number): Promise<Dangling> =>
      http.json('GET', `${path}/dangling`, { query: { limit } }),
    /** Stored records that do not fit the schema. */
    faults: (limit?: number): Promise<Faults> => http.json('GET', `${path}/faults`, { query: { limit } }),
    /** What a curated record does not fit in the schema; no items if it fits. */
    faultsOf: (pid: string): Promise<Faults> => http.json('GET', `${path}/faults`, { query: { pid } }),
  };
}
