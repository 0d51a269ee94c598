/**
 * Publishing for clients.
 *
 * ```ts
 * import { publish } from 'accession/client/publish';
 *
 * const url = await laboratory.use(publish).urlOf('labid:person-ada-abe');
 * ```
 */
import { ClientError, type Http } from '../../client/http.ts';
import { changeSettings } from '../../client/settings.ts';
import type { PublicationMetadata } from './api-types.ts';

export type * from './api-types.ts';

/** The settings of a collection, as far as they concern publishing. */
type Settings = { readonly publish?: PublicationMetadata };

export function publish(http: Http, path: string) {
  const settings = (): Promise<Settings> => http.json('GET', `${path}/settings`);
  return {
    /** Where the public page of a record is cited; null if the token reads no such record. */
    async urlOf(pid: string): Promise<string | null> {
      try {
        const { headers } = await http.send('HEAD', `${path}/resource`, { query: { pid } });
        return /<([^>]*)>; rel="cite-as"/.exec(headers.get('link') ?? '')?.[1] ?? null;
      } catch (error) {
        if (error instanceof ClientError && (error.status === 404 || error.status === 410)) return null;
        throw error;
      }
    },
    /** The metadata of the collection, for curators and administrators. */
    settings: async (): Promise<PublicationMetadata> => (await settings()).publish ?? {},
    /** Replaces the metadata of the collection. Its other settings stay, also those that another client changes at the same time. */
    async putSettings(publishing: PublicationMetadata): Promise<PublicationMetadata> {
      const stored = await changeSettings<Settings>(http, path, (other) => ({
        ...other,
        publish: publishing,
      }));
      return stored.publish ?? {};
    },
  };
}
