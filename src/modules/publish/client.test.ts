import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listening } from '../../../test/cli/service.ts';
import { connect } from '../../client/client.ts';
import { publish } from './client.ts';

test('metadata and other settings that clients change at the same time all stay', async (t) => {
  const { url } = await listening(t);
  const others = connect({ url, token: 'cur' }).collection('lab');
  /** What another client does between the read and the write of this one, once. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  const { curation, use } = connect({
    url,
    token: 'cur',
    fetch: async (address, init) => {
      const isWrite = init?.method === 'PUT';
      if (isWrite) await meanwhile?.();
      if (isWrite) meanwhile = undefined;
      return fetch(address, init);
    },
  }).collection('lab');

  meanwhile = () => others.curation.changeSettings((stored) => ({ ...stored, on_delete: 'refuse' }));
  assert.deepEqual(await use(publish).putSettings({ title: 'Lab' }), { title: 'Lab' });
  assert.equal((await curation.settings()).on_delete, 'refuse');

  meanwhile = () => others.use(publish).putSettings({ title: 'Laboratory' });
  await curation.changeSettings((stored) => ({ ...stored, on_delete: 'warn' }));
  assert.deepEqual(await use(publish).settings(), { title: 'Laboratory' });

  await Promise.all([
    ...['a', 'b', 'c'].map((title) => use(publish).putSettings({ title })),
    others.curation.changeSettings((stored) => ({ ...stored, on_delete: 'refuse' })),
  ]);
  assert.equal((await curation.settings()).on_delete, 'refuse');
  assert.match((await use(publish).settings()).title!, /^[abc]$/);
});

test('settings that are refused are not sent again', async (t) => {
  const { url } = await listening(t);
  let writes = 0;
  const { use } = connect({
    url,
    token: 'cur',
    fetch: (address, init) => {
      if (init?.method === 'PUT') writes += 1;
      return fetch(address, init);
    },
  }).collection('lab');
  await assert.rejects(use(publish).putSettings({ license: 'none' }), { status: 422 });
  assert.equal(writes, 1);
});
