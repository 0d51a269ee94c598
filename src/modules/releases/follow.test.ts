/** A process that only reads a store shows the releases of the service that owns it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change, get, pair } from '../../../test/follow/pair.ts';
import { eventually } from '../../../test/support/eventually.ts';

test('a process that only reads a store shows its releases, and refuses new ones', async (t) => {
  const { owner, follower } = await pair(t, 'sqlite');
  const publish = { license: 'https://example.org/license' };
  await change(owner, 'PUT', '/-/lab/settings', { publish }, 'curator');
  await change(owner, 'POST', '/-/lab/releases', { name: 'v1' }, 'curator');
  await eventually('a release', async () => (await get(owner, '/-/lab/releases/v1')).text.includes('"done"'));
  for (const path of ['/-/lab/releases', '/-/lab/releases/v1', '/-/lab/releases/v1/records.jsonl'])
    assert.equal((await get(follower, path)).text, (await get(owner, path)).text, path);
  const refused = await follower.request('POST', '/-/lab/releases', {
    token: 'curator',
    json: { name: 'v2' },
  });
  assert.equal(refused.status, 405);
});
