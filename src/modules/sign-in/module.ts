/** Sign in: people come with the identity that they have, at an issuer of OpenID Connect or a forge. See README.md. */

import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { signInEndpoints } from './endpoints.ts';
import { userNames } from './people.ts';
import { makeKey, openSignIn, signInOf } from './sign-in.ts';
import { sourceSchemas } from './source-config.ts';
import { tables } from './tables.ts';
import { TIMES } from './times.ts';
import { signInTokens } from './token-source.ts';

export const signIn: Module = {
  name: 'sign-in',
  uses: ['invitations'],
  tables,
  codes,
  endpoints: signInEndpoints,
  provides: {
    names: ({ database }) => userNames(database),
    sources: {
      schemas: sourceSchemas,
      open(core) {
        const opened = openSignIn(core);
        return (config, collection) => signInTokens(config, collection, opened, core.registry);
      },
    },
  },
  async open({ database, registry, jobs, log }) {
    await makeKey(database);
    const opened = signInOf(registry);
    const job = jobs.add({ name: 'sessions', every: TIMES.uses, run: () => opened.saveUses() });
    return {
      async close() {
        await job.stop();
        await opened
          .saveUses()
          .catch((err) => log.warn({ err }, 'could not store the last uses of sessions'));
      },
    };
  },
};
