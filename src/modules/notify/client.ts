/**
 * The inbox of a user for clients.
 *
 * ```ts
 * import { notify } from 'accession/client/notify';
 *
 * const { items, unread } = await laboratory.use(notify).inbox();
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { Followed, Inbox, InboxMail, PutInboxMail } from './api-types.ts';

export type * from './api-types.ts';

export function notify(http: Http, path: string) {
  return {
    /** What has happened that concerns the user, newest first; `after` is the `next` of a former page. */
    inbox: (query: { after?: string; limit?: number } = {}): Promise<Inbox> =>
      http.json('GET', `${path}/inbox`, { query }),
    /** Marks what has happened up to the cursor of an inbox as read; null removes the mark. */
    async markRead(cursor: string | null): Promise<void> {
      await http.send('PUT', `${path}/inbox/read`, { json: { cursor } });
    },
    /** The records that the user follows, and up to which change they have seen the collection. */
    followed: (): Promise<Followed> => http.json('GET', `${path}/inbox/followed`),
    /** Has changes of a curated record by others in the inbox from now on. */
    async follow(pid: string): Promise<void> {
      await http.send('PUT', `${path}/inbox/followed`, { json: { pid } });
    },
    async stopFollowing(pid: string): Promise<void> {
      await http.send('DELETE', `${path}/inbox/followed`, { query: { pid } });
    },
    /** Notes the cursor of the changes up to which the user has seen the collection; null ends that they follow it. */
    async noteVisit(cursor: string | null): Promise<void> {
      await http.send('PUT', `${path}/inbox/visit`, { json: { cursor } });
    },
    /** Where the user gets the inbox besides the desk. */
    mail: (): Promise<InboxMail> => http.json('GET', `${path}/inbox/mail`),
    /** Chooses when and where mail is sent. An address is sent a link first. */
    setMail: (json: PutInboxMail): Promise<InboxMail> => http.json('PUT', `${path}/inbox/mail`, { json }),
    /** Has the address and the feed of the user forgotten. */
    async forgetMail(): Promise<void> {
      await http.send('DELETE', `${path}/inbox/mail`);
    },
    /** Makes a URL for the feed of the inbox, in place of a former one. @returns the URL, which is not shown again */
    makeFeed: async (): Promise<string> =>
      (await http.json<{ url: string }>('POST', `${path}/inbox/feed`)).url,
    async endFeed(): Promise<void> {
      await http.send('DELETE', `${path}/inbox/feed`);
    },
  };
}
