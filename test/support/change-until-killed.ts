/** For the kill test of `src/config/state.test.ts`: changes a configuration again and again, and tells what was acknowledged. */
import { join } from 'node:path';
import { EMPTY_CONFIGURATION } from '../../src/config/config.ts';
import { CONFIGURATION_AREA } from '../../src/config/record.ts';
import { ConfigurationState } from '../../src/config/state.ts';
import { openSqliteDatabase } from '../../src/storage/sqlite/sqlite.ts';

const [, , root = '', start = '0'] = process.argv;
const database = await openSqliteDatabase(join(root, 'accession.db'));
const area = await database.area(CONFIGURATION_AREA);
const host = {
  prepare: async () => ({ activate: async () => {}, discard: async () => {} }),
  maintain: () => {},
};
const parts = { database, area, root, host };
const state = await ConfigurationState.open(parts, async () => EMPTY_CONFIGURATION);

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
