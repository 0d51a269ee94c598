/**
 * Shared links for clients.
 *
 * ```ts
 * import { share } from 'accession/client/share';
 *
 * const { secret } = await laboratory.use(share).create({ title: 'Reviewers of the grant', until: '2027-03-31' });
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { MadeSharedLink, NewSharedLink, SharedLink } from './api-types.ts';

export type * from './api-types.ts';

export function share(http: Http, path: string) {
  return {
    /** The links to the collection that work, those that end first at the beginning. */
    list: (): Promise<readonly SharedLink[]> => http.items(`${path}/shared-links`),
    /** Makes a link. @returns it with its secret, which is not shown again */
    create: (json: NewSharedLink): Promise<MadeSharedLink> =>
      http.json('POST', `${path}/shared-links`, { json }),
    async revoke(name: string): Promise<void> {
      await http.send('DELETE', `${path}/shared-links/${encodeURIComponent(name)}`);
    },
  };
}
