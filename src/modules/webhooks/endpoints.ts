import { type Endpoint, inPath, numberInPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import { enterAsSteward } from '../../core/http/enter.ts';
import { withoutSlot } from '../../core/http/gate.ts';
import { integer } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { listOf, objectOf, textOrNull } from '../../core/shapes.ts';
import { deliveriesSchema, listDeliveries, redeliver, sendTest } from './deliveries.ts';
import { outcomeSchema } from './send.ts';
import {
  deleteWebhook,
  listWebhooks,
  putWebhook,
  webhookConfigSchema,
  webhookNamed,
  webhookSchema,
} from './webhooks.ts';

const putWebhookSchema = objectOf({
  ...webhookSchema.properties,
  secret: {
    ...textOrNull,
    description: 'The secret that signs deliveries; only in the response that makes the webhook.',
  },
});
const webhooksSchema = objectOf({ items: listOf(webhookSchema) });

const path = '/-/{collection}/webhooks';
const one = `${path}/{name}`;
const tag = 'Stewardship';

export const webhookEndpoints: readonly Endpoint[] = [
  row('GET', path, 'webhooks', {
    tag,
    summary: 'List the webhooks of a collection',
    answers: { 200: jsonAnswer('The webhooks.', webhooksSchema) },
    ...replying(enterAsSteward, {}, async ({ collection }) => ({ items: await listWebhooks(collection) })),
  }),
  row('GET', one, 'webhook', {
    tag,
    summary: 'Read a webhook',
    answers: { 200: jsonAnswer('The webhook.', webhookSchema) },
    ...replying(enterAsSteward, {}, ({ collection }, _, call) =>
      webhookNamed(collection, inPath(call, 'name')),
    ),
  }),
  row('PUT', one, 'webhook.put', {
    tag,
    summary: 'Make a webhook, or replace and enable it',
    answers: { 200: jsonAnswer('The webhook, and the secret of a new one.', putWebhookSchema) },
    ...replyingTo(
      enterAsSteward,
      {},
      {
        schema: webhookConfigSchema,
        example: { url: 'https://example.org/hook', kinds: ['deleted'] },
        limit: 64 * 1024,
      },
      async ({ collection }, { url, kinds = [], classes = [], format = 'standard' }, _, call) => {
        const name = inPath(call, 'name');
        const config = { url, kinds, classes, format };
        const secret = await putWebhook(collection, name, config, call.service.schemaHosts);
        return { ...(await webhookNamed(collection, name)), secret };
      },
    ),
  }),
  row('DELETE', one, 'webhook.delete', {
    tag,
    summary: 'Remove a webhook with its deliveries',
    answers: { 200: jsonAnswer('It is removed.', NULL) },
    ...replying(enterAsSteward, {}, async ({ collection }, _, call) => {
      await deleteWebhook(collection, inPath(call, 'name'));
      return null;
    }),
  }),
  row('GET', `${one}/deliveries`, 'webhook.deliveries', {
    tag,
    summary: 'List the deliveries of a webhook, newest first',
    answers: { 200: jsonAnswer('Those that are pending, and at least the last 1,000.', deliveriesSchema) },
    ...replying(
      enterAsSteward,
      {
        before: integer('Only deliveries with a smaller id.', undefined, 1),
        limit: integer('The number of deliveries.', 100, 1, 1000),
      },
      async ({ collection }, page, call) => ({
        items: await listDeliveries(collection, inPath(call, 'name'), page),
      }),
    ),
  }),
  row('POST', `${one}/deliveries/{id}/redeliver`, 'webhook.redeliver', {
    tag,
    summary: 'Send a delivery once more, now',
    answers: { 200: jsonAnswer('What the receiver has answered.', outcomeSchema) },
    ...replying(enterAsSteward, {}, ({ collection }, _, call) =>
      withoutSlot(call, () =>
        redeliver(collection, inPath(call, 'name'), numberInPath(call, 'id'), call.service.schemaHosts),
      ),
    ),
  }),
  row('POST', `${one}/test`, 'webhook.test', {
    tag,
    summary: 'Send a test to a webhook, now',
    answers: { 200: jsonAnswer('What the receiver has answered.', outcomeSchema) },
    ...replying(enterAsSteward, {}, ({ collection }, _, call) =>
      withoutSlot(call, () => sendTest(collection, inPath(call, 'name'), call.service.schemaHosts)),
    ),
  }),
];
