/**
 * Webhooks for clients.
 *
 * ```ts
 * import { webhooks } from 'accession/client/webhooks';
 *
 * const all = await laboratory.use(webhooks).list();
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { SendOutcome, Webhook, WebhookConfig, WebhookDelivery } from './api-types.ts';

export type * from './api-types.ts';

export function webhooks(http: Http, path: string) {
  const webhook = (name: string) => `${path}/webhooks/${encodeURIComponent(name)}`;
  return {
    /** The URLs that changes are sent to. */
    list: (): Promise<readonly Webhook[]> => http.items(`${path}/webhooks`),
    /** Makes a webhook, or replaces and enables it. @returns the webhook, and the secret of a new one, which is not shown again */
    put: (name: string, json: WebhookConfig): Promise<Webhook & { readonly secret: string | null }> =>
      http.json('PUT', webhook(name), { json }),
    async delete(name: string): Promise<void> {
      await http.send('DELETE', webhook(name));
    },
    /** The deliveries of a webhook, newest first. */
    deliveries: (
      name: string,
      query?: { before?: number; limit?: number },
    ): Promise<readonly WebhookDelivery[]> => http.items(`${webhook(name)}/deliveries`, query),
    /** Sends a delivery once more, or a test without one, and waits for the receiver. */
    send: (name: string, delivery?: number): Promise<SendOutcome> =>
      http.json(
        'POST',
        `${webhook(name)}/${delivery === undefined ? 'test' : `deliveries/${delivery}/redeliver`}`,
      ),
  };
}
