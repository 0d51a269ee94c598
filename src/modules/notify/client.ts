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
import type { Inbox } from './api-types.ts';

export type * from './api-types.ts';

export function notify(http: Http, path: string) {
  return {
    /** What has happened that concerns the user, newest first; `after` is the `next` of a former page. */
    inbox: (query: { after?: string; limit?: number } = {}): Promise<Inbox> =>
      http.json('GET', `${path}/inbox`, { query }),
    /** Marks what has happened up to the time of an item as read; null removes the mark. */
    async markRead(until: string | null): Promise<void> {
      await http.send('PUT', `${path}/inbox/read`, { json: { until } });
    },
  };
}
