/** Curation of a collection as a whole: settings, and the changes of its records. */
import type { Http } from './http.ts';
import { changeSettings } from './settings.ts';
import type { Activity, ActivityOptions, CollectionSettings } from './types.ts';

export type CurationClient = ReturnType<typeof openCuration>;

/** @param path the path of the collection below `/-`: `/-/lab` */
export function openCuration(http: Http, path: string) {
  return {
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
