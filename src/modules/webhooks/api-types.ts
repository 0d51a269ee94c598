/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { deliveriesSchema } from './deliveries.ts';
import type { outcomeSchema } from './send.ts';
import type { webhookConfigSchema, webhookSchema } from './webhooks.ts';

export type Webhook = FromSchema<typeof webhookSchema>;
export type WebhookConfig = FromSchema<typeof webhookConfigSchema>;
export type WebhookDelivery = FromSchema<typeof deliveriesSchema>['items'][number];
/** The response of the receiver of a webhook. */
export type SendOutcome = FromSchema<typeof outcomeSchema>;
