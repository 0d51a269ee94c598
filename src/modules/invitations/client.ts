/**
 * Invitations for clients.
 *
 * ```ts
 * import { invitations } from 'accession/client/invitations';
 *
 * const { secret } = await laboratory.use(invitations).create({ name: 'bea', user_id: 'bea@example.org', mode: 'READ_CURATED' });
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { Invitation, Invite, NewInvitation } from './api-types.ts';

export type * from './api-types.ts';

export function invitations(http: Http, path: string) {
  return {
    /** The invitations to the collection, newest first. */
    list: (): Promise<readonly Invitation[]> => http.items(`${path}/invitations`),
    /** Invites a person. @returns the invitation with its secret, which is not shown again */
    create: (json: Invite): Promise<NewInvitation> => http.json('POST', `${path}/invitations`, { json }),
    async revoke(id: number): Promise<void> {
      await http.send('DELETE', `${path}/invitations/${id}`);
    },
    /** The invitation whose secret is the token of this client, before it is accepted. */
    open: (): Promise<Invitation> => http.json('GET', `${path}/invitations/open`),
    /**
     * Exchanges the invitation whose secret is the token of this client.
     *
     * @returns the secret of the token, which is not shown again
     */
    accept: async (): Promise<string> =>
      (await http.json<{ representation: string }>('POST', `${path}/invitations/accept`)).representation,
  };
}
