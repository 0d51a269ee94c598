/** For the kill test of `src/config/state.test.ts`: changes a configuration again and again, and tells what was acknowledged. */
import { openConfigurationLog } from '../../src/app.ts';
import { AuditLogs } from '../../src/audit/logs.ts';
import { EMPTY_CONFIGURATION } from '../../src/config/config.ts';
import { ConfigurationState } from '../../src/config/state.ts';
import { openConfigurationStore } from '../../src/config/store.ts';
import { Jobs } from '../../src/jobs/jobs.ts';

const [, , root = '', start = '0'] = process.argv;
const store = await openConfigurationStore(root, undefined);
const silent = { info: () => {}, warn: () => {} };
await openConfigurationLog(root, store, new AuditLogs(new Jobs(silent), silent));
const host = {
  prepare: async () => ({ activate: () => {}, discard: async () => {} }),
  maintain: () => {},
};
const state = await ConfigurationState.open({ store, host }, async () => EMPTY_CONFIGURATION);

process.stdout.write(`${start}\n`);
for (let count = Number(start) + 1; ; count++) {
  const token = { user_id: `${count}`, collections: {}, hashed: false };
  await state.change(
    (current) => ({
      ...current,
      tokens: { count: { ...token, representation: 'count' }, same: { ...token, representation: 'same' } },
    }),
    'killed',
  );
  process.stdout.write(`${count}\n`);
}
