/** The deliveries of a webhook as curators see them, and messages that are sent at once. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import {
  countSchema,
  listOf,
  objectOf,
  orNull,
  type Shape,
  textOrNull,
  textSchema,
} from '../../core/shapes.ts';
import type {} from './codes.ts';
import { type Notice, noticeSchema } from './projection.ts';
import { type Message, type Outcome, type SendOptions, send } from './send.ts';
import { IS_OF_WEBHOOK, storedWebhook, type WebhooksOf, webhookNamed } from './webhooks.ts';

export const deliveriesSchema = objectOf({
  items: listOf(
    objectOf({
      id: countSchema,
      message: { ...textSchema, description: 'The `webhook-id` of its requests.' },
      state: { enum: ['pending', 'delivered'] },
      attempts: countSchema,
      attempted: { ...textOrNull, description: 'When the last attempt ended.' },
      status: { ...orNull(countSchema), description: 'Of the last response; null if there was none.' },
      error: { ...textOrNull, description: 'Why the last attempt failed.' },
      data: noticeSchema,
    }),
  ),
});
type Delivery = Shape<typeof deliveriesSchema>['items'][number];

type Row = readonly [
  id: number,
  message: string,
  json: string,
  delivered: number,
  attempts: number,
  attempted: number | null,
  status: number | null,
  error: string | null,
];

const COLUMNS = 'id, message, json, delivered, attempts, attempted, status, error';

/** The deliveries of a webhook, newest first. @throws ServiceError `webhook_unknown` */
export async function listDeliveries(
  of: WebhooksOf,
  name: string,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<Delivery[]> {
  await webhookNamed(of, name);
  const rows = await of.database.tuples<Row>(
    `SELECT ${COLUMNS} FROM accession_delivery WHERE ${IS_OF_WEBHOOK} ${before === undefined ? '' : 'AND id < $5'}
     ORDER BY id DESC LIMIT CAST($4 AS BIGINT)`,
    [of.curated.area.id, of.name, name, limit, ...(before === undefined ? [] : [before])],
  );
  return rows.map(deliveryOf);
}

function deliveryOf([id, message, json, delivered, attempts, attempted, status, error]: Row): Delivery {
  return {
    id,
    message,
    attempts,
    status,
    error,
    state: delivered === 1 ? 'delivered' : 'pending',
    attempted: attempted === null ? null : new Date(attempted).toISOString(),
    data: JSON.parse(json) as Notice,
  };
}

/** Sends a test to a webhook, also if it is disabled. @throws ServiceError `webhook_unknown` */
export function sendTest(of: WebhooksOf, name: string, hosts: SendOptions['hosts']): Promise<Outcome> {
  return sendNow(of, name, { id: `msg_${randomUUID()}` }, hosts);
}

/** Sends a delivery once more, with the same id and whatever its state. @throws ServiceError `webhook_unknown`, `delivery_unknown` */
export async function redeliver(
  of: WebhooksOf,
  name: string,
  id: number,
  hosts: SendOptions['hosts'],
): Promise<Outcome> {
  const before = Number.isSafeInteger(id) ? id + 1 : 0;
  const [found] = await listDeliveries(of, name, { before, limit: 1 });
  if (found?.id !== id)
    throw new ServiceError('delivery_unknown', `The webhook '${name}' has no delivery ${id} that is kept.`);
  return sendNow(of, name, { id: found.message, notice: found.data }, hosts);
}

async function sendNow(
  of: WebhooksOf,
  name: string,
  message: Message,
  hosts: SendOptions['hosts'],
): Promise<Outcome> {
  const webhook = await storedWebhook(of.database, of, name);
  return (await send(webhook, message, { collection: of.name, hosts })).outcome;
}
