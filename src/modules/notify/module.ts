/** An inbox for each person, in the desk, by mail and as a feed: what has happened to their submissions, to what they curate, and to records that they follow. See README.md. */
import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { configuration } from './configuration.ts';
import { makeKey } from './cursors.ts';
import { notifyEndpoints } from './endpoints.ts';
import { MEMORY, sendMail } from './mailer.ts';
import { countRefused } from './readers.ts';
import { tables } from './tables.ts';

export const notify: Module = {
  name: 'notify',
  uses: ['review'],
  tables,
  codes,
  configuration,
  memory: MEMORY,
  endpoints: notifyEndpoints,
  async open({ database }) {
    await makeKey(database);
    return { close: async () => {} };
  },
  attach:
    ({ registry, root, log, jobs }) =>
    (collection) => {
      const { smtp } = collection.config;
      if (smtp === undefined) return {};
      const sending = collection.database.readOnly
        ? undefined
        : sendMail({ collection, smtp, registry, root, log }, jobs);
      return {
        async health() {
          const refused = await countRefused(collection);
          if (refused === 0) return [];
          return [refused === 1 ? '1 address refuses mail' : `${refused} addresses refuse mail`];
        },
        close: async () => sending?.close(),
      };
    },
};
