/** For the kill test of `src/config/state.test.ts`: changes a configuration again and again, and tells what was acknowledged. */
import { join } from 'node:path';
import { openAuditLog } from '../../src/audit/backends.ts';
import { EMPTY_CONFIGURATION } from '../../src/config/config.ts';
import { ConfigurationState } from '../../src/config/state.ts';
import { openConfigurationStore } from '../../src/config/store.ts';

const [, , root = '', start = '0'] = process.argv;
const store = await openConfigurationStore(root, undefined);
const audit = await openAuditLog(
  { type: 'gitaudit', path: 'config_audit', auto_flush_timeout: 1 },
  join(root, '__dump_things__/config_audit'),
  '__dump_things__',
);
const realizer = {
  prepare: async () => ({ activate: () => {}, discard: async () => {} }),
  maintain: () => {},
};
const state = await ConfigurationState.open({ store, audit, realizer }, async () => EMPTY_CONFIGURATION);

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
