/** Webhooks: URLs that are sent the changes of a collection. See README.md. */

import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { webhookEndpoints } from './endpoints.ts';
import { webhookProjection } from './projection.ts';
import { sendWebhooks } from './sender.ts';
import { tables } from './tables.ts';
import { countDisabled } from './webhooks.ts';

export const webhooks: Module = {
  name: 'webhooks',
  tables,
  codes,
  endpoints: webhookEndpoints,
  start: ({ database, hosts, log, jobs }) => sendWebhooks({ database, hosts, log }, jobs),
  attach: () => (collection) => ({
    projections: [webhookProjection(collection)],
    async health() {
      const disabled = await countDisabled(collection);
      if (disabled === 0) return [];
      const which = disabled === 1 ? '1 webhook is' : `${disabled} webhooks are`;
      return [`${which} disabled, see /-/${collection.name}/webhooks`];
    },
  }),
};
