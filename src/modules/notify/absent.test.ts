/** A store that has used inboxes, in a service without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { MODULES } from '../../modules.ts';
import type { Followed, Inbox } from './api-types.ts';
import { notify } from './module.ts';

test('a service without inboxes starts on a store that has used them, and marks and what is followed are there when the module is back', async (t) => {
  const configuration = {
    collections: { c: {} },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
  };
  const service = await testApp(t, configuration);
  const inboxOf = async ({ request }: TestService) =>
    (await request('GET', '/-/c/inbox', { token: 'cora' })).json<Inbox>();
  const submitted = await service.request('POST', '/c/record/Person', { token: 'ann', json: person('bob') });
  assert.equal(submitted.status, 200, submitted.text);
  const { cursor, unread } = await inboxOf(service);
  assert.equal(unread, 1);
  const put = await service.request('PUT', '/-/c/inbox/read', { token: 'cora', json: { cursor } });
  assert.equal(put.status, 200, put.text);
  for (const [method, url, json] of [
    ['POST', '/c/curated/record/Person', person('ada')],
    ['PUT', '/-/c/inbox/followed', { pid: 'labid:ada' }],
  ] as const)
    assert.equal((await service.request(method, url, { token: 'cora', json })).status, 200);
  await service.app.close();
  const modules = MODULES.filter(({ name }) => name !== notify.name);
  const without = await testApp(t, configuration, { store: service.store, modules });
  assert.equal((await without.request('GET', '/-/c/inbox', { token: 'cora' })).status, 404);
  await without.app.close();
  const again = await testApp(t, configuration, { store: service.store, modules: MODULES });
  const inbox = await inboxOf(again);
  assert.deepEqual([inbox.items.length, inbox.unread], [1, 0]);
  const followed = (await again.request('GET', '/-/c/inbox/followed', { token: 'cora' })).json<Followed>();
  assert.deepEqual(followed.records, ['labid:ada']);
});
