/** `GET` and `PUT /-/<collection>/public`: what everybody reads without a token, and who decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PublicAccess } from '../../src/client/client.ts';
import { BOOTSTRAP_NAME } from '../../src/core/config/names.ts';
import { ADMIN, type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const POLICIES = {
  policy_annotation_tag: 'lab:policy',
  default_policy: 'members',
  policy_mapping: [
    { auth_source: '*', user_id: '*', authorized_by: ['members', 'sample'] },
    { auth_source: 'config', user_id: 'nobody@example.org', authorized_by: ['sample'] },
  ],
};

const TOKENS = { nobody: { c: 'NOTHING' }, cur: { c: 'CURATOR' }, ann: { c: 'READ_CURATED' } };

async function filled(service: TestService): Promise<void> {
  const sample = { annotations: { 'lab:policy': 'sample' } };
  for (const json of [person('ada', sample), person('bea'), person('cem')])
    assert.equal(
      (await service.request('POST', '/c/curated/record/Person', { token: 'cur', json })).status,
      200,
    );
}

test('administrators see what a public collection shows, policies respected, before and after it is one', async (t) => {
  const service = await testApp(t, { collections: { c: POLICIES }, tokens: TOKENS });
  await filled(service);
  const send = async (method: 'GET' | 'PUT', json?: object) =>
    (
      await service.request(method, '/-/c/public', { token: ADMIN, ...(json && { json }) })
    ).json<PublicAccess>();
  const list = async () => (await service.request('GET', '/c/records/Person')).status;
  const before = await send('GET');
  assert.equal(await list(), 403);
  const persons = before.classes.find((one) => one.class === 'Person');
  assert.deepEqual(
    [before.public, before.mode, before.default_token, before.records, before.visible, persons?.count],
    [false, 'NOTHING', 'nobody', 3, 1, 1],
  );
  const opened = await send('PUT', { public: true });
  assert.deepEqual(opened, { ...before, public: true, mode: 'READ_CURATED' });
  const read = await service.request('GET', '/c/records/Person');
  assert.deepEqual(
    read.json<{ pid: string }[]>().map(({ pid }) => pid),
    ['labid:ada'],
  );
  assert.deepEqual(await send('PUT', { public: false }), before);
  assert.equal(await list(), 403);
});

test('the switch keeps what the default token has elsewhere, and is in the history of the configuration with its author', async (t) => {
  const service = await testApp(t, {
    collections: { c: {}, d: {} },
    tokens: { ...TOKENS, nobody: { c: 'NOTHING', d: 'READ_CURATED' } },
  });
  const put = await service.request('PUT', '/-/c/public', { token: ADMIN, json: { public: true } });
  assert.equal(put.status, 200);
  const token = await service.request('GET', '/tokens/nobody', { token: ADMIN });
  const { collections } = token.json<{ collections: Record<string, { mode: string }> }>();
  assert.deepEqual([collections.c?.mode, collections.d?.mode], ['READ_CURATED', 'READ_CURATED']);
  const history = await service.request('GET', '/-/history', { token: ADMIN });
  const [entry] = history.json<{ items: { author_id: string; changes: object[] }[] }>().items;
  const path = '/tokens/nobody/collections/c/mode';
  assert.equal(entry?.author_id, BOOTSTRAP_NAME);
  assert.deepEqual(entry.changes, [{ op: 'replace', path, before: 'NOTHING', after: 'READ_CURATED' }]);
});

test('only administrators see or use the switch, and it takes no permission to submit away', async (t) => {
  const service = await testApp(t, {
    collections: { c: {} },
    tokens: { ...TOKENS, nobody: { c: 'SUBMIT' } },
  });
  for (const token of [undefined, 'ann', 'cur', 'stranger'])
    for (const method of ['GET', 'PUT'] as const) {
      const sent = { ...(token && { token }), ...(method === 'PUT' && { json: { public: true } }) };
      assert.equal((await service.request(method, '/-/c/public', sent)).status, 401, `${method} ${token}`);
    }
  for (const json of [{ public: true }, { public: false }]) {
    const refused = await service.request('PUT', '/-/c/public', { token: ADMIN, json });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /'nobody' has the mode SUBMIT in 'c'/);
  }
  const shown = (await service.request('GET', '/-/c/public', { token: ADMIN })).json<PublicAccess>();
  assert.deepEqual([shown.public, shown.mode], [true, 'SUBMIT']);
  for (const json of [{}, { public: 'yes' }, { public: true, mode: 'CURATOR' }])
    assert.equal((await service.request('PUT', '/-/c/public', { token: ADMIN, json })).status, 422);
});

test('an expired default token is no way to make a collection public, and it can be closed', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: TOKENS });
  const { json } = await service.request('GET', '/tokens/nobody', { token: ADMIN });
  const expired = { ...json<object>(), name: 'nobody', expires: '2024-02-29' };
  assert.equal((await service.request('PUT', '/tokens', { token: ADMIN, json: expired })).status, 201);
  const put = (on: boolean) => service.request('PUT', '/-/c/public', { token: ADMIN, json: { public: on } });
  const refused = await put(true);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /'nobody' expired on 2024-02-29/);
  assert.equal((await put(false)).status, 200);
});

test('a default token that is not defined is made with the right to read, and has no secret', async (t) => {
  const service = await testApp(t, { collections: { c: { default_token: 'later' } }, tokens: TOKENS });
  await filled(service);
  const send = async (method: 'GET' | 'PUT', json?: object) =>
    (
      await service.request(method, '/-/c/public', { token: ADMIN, ...(json && { json }) })
    ).json<PublicAccess>();
  const { public: isPublic, mode, visible } = await send('GET');
  assert.deepEqual([isPublic, mode, visible], [false, null, 3]);
  assert.equal((await send('PUT', { public: true })).mode, 'READ_CURATED');
  assert.equal((await service.request('GET', '/c/records/Person')).status, 200);
  const { json } = await service.request('GET', '/tokens/later', { token: ADMIN });
  assert.deepEqual(json(), {
    name: 'later',
    user_id: 'later',
    hashed: false,
    representation: '',
    collections: { c: { mode: 'READ_CURATED', incoming_label: '' } },
  });
  assert.equal((await service.request('GET', '/c/records/Person', { token: 'later' })).status, 401);
});
