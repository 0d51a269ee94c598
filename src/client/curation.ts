/** Curation of a collection as a whole: renames and merges, duplicates, broken references, faults, settings. */
import type { Http } from './http.ts';
import { changeSettings } from './settings.ts';
import type {
  Activity,
  ActivityOptions,
  CollectionSettings,
  Dangling,
  Duplicates,
  Faults,
  MoveReport,
  Moves,
} from './types.ts';

type Paging = { readonly offset?: number | undefined; readonly limit?: number | undefined };

export type CurationClient = ReturnType<typeof openCuration>;

/** @param path the path of the collection below `/-`: `/-/lab` */
export function openCuration(http: Http, path: string) {
  return {
    /** Gives a curated record another pid, in every record that refers to it; `dryRun` only reports what would change. */
    rename: (from: string, to: string, { dryRun }: { dryRun?: boolean } = {}): Promise<MoveReport> =>
      http.json('POST', `${path}/curated/rename`, {
        query: { dry_run: dryRun },
        json: { from, to },
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
    settings: (): Promise<CollectionSettings> => http.json('GET', `${path}/settings`),
    /** Replaces all settings. */
    putSettings: (settings: CollectionSettings): Promise<CollectionSettings> =>
      http.json('PUT', `${path}/settings`, { json: settings }),
    /**
     * Stores what `change` makes of the present settings. It is called again if another client has changed them meanwhile, so both changes
     * stay.
     */
    changeSettings: (
      change: (stored: CollectionSettings) => CollectionSettings,
    ): Promise<CollectionSettings> => changeSettings(http, path, change),
    /**
     * The changes of the curated area, newest first. A size asks for pages: without one, a history of one record is an array.
     */
    activity: ({
      size = 50,
      ...filter
    }: ActivityOptions & { readonly pid?: string; readonly class?: string } = {}): Promise<Activity> =>
      http.json('GET', `${path}/history`, { query: { size, ...filter } }),
  };
}
