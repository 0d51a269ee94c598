/** Options of `accession settings` that say what is published of a collection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { listening } from '../../../test/cli/service.ts';

test('the title, the license and the contact are set by options of `accession settings`', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const run = (...args: string[]) => accession(args, { env });
  const license = 'https://example.org/license';
  const described = await run('settings', 'lab', '--license', license, '--title', 'People', '--json');
  const { publish } = JSON.parse(described.stdout) as { publish: object };
  assert.deepEqual(publish, { title: 'People', license });
  const mail = await run('settings', 'lab', '--contact', 'nobody');
  assert.match(mail.stderr, /publish\.contact: expected a string/);
});
