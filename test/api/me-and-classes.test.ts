/** What clients with forms and links ask for: the permissions of a token, classes, titles. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ClassDescription,
  ClassSummary,
  Me,
  Titles,
  TitlesRequest,
} from '../../src/core/http/api-types.ts';
import { ADMIN, sharedApp, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'guest' }, d: {} },
  tokens: {
    guest: { c: 'READ_CURATED' },
    ann: { c: 'SUBMIT', d: 'WRITE_COLLECTION' },
    cleo: { c: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

test('a token learns its user, its collections and what it may do there', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const me = async (token?: string, query = '') =>
    (await request('GET', `/-/me${query}`, { token })).json<Me>();
  const { description } = (await me('ann')).collections.c!;
  assert.match(description ?? '', /laboratory/);
  const about = { title: 'A small laboratory', description };
  assert.deepEqual(await me('ann'), {
    user_id: 'ann@example.org',
    admin: false,
    token: { name: 'ann', expires: null, replaced: false, shared_link: null },
    collections: {
      c: {
        ...about,
        user_id: 'ann@example.org',
        permissions: ['read_curated', 'write_zone'],
        label: 'ann',
        default: false,
        maintenance: false,
      },
      d: {
        ...about,
        user_id: 'ann@example.org',
        permissions: ['read_curated', 'read_zone', 'write_zone'],
        label: 'ann',
        default: false,
        maintenance: false,
      },
    },
  });
  assert.deepEqual(Object.keys((await me('ann', '?collection=d')).collections), ['d']);
  const guest = await me();
  assert.deepEqual(
    [guest.user_id, guest.admin, Object.keys(guest.collections), guest.collections.c?.default],
    [null, false, ['c'], true],
  );
  const admin = await me(ADMIN);
  assert.deepEqual([admin.admin, admin.collections], [true, {}]);
  assert.equal((await request('GET', '/-/me', { token: 'stranger' })).status, 401);
  assert.equal((await request('GET', '/-/me?collection=d', { token: 'cleo' })).status, 401);
  assert.equal((await request('GET', '/-/me?collection=x', { token: 'cleo' })).status, 404);
  await request('POST', '/maintenance', { token: 'cleo', json: { collection: 'c', active: true } });
  assert.equal((await me('ann')).collections.c?.maintenance, true);
});

test('classes are listed with the records that the token may read', async () => {
  const { request } = await emptyService();
  await request('POST', '/c/curated/record/Person', { token: 'cleo', json: person('a') });
  await request('POST', '/d/record/Person', { token: 'ann', json: person('b') });
  const count = async (collection: string, token?: string) => {
    const classes = (await request('GET', `/-/${collection}/classes`, { token })).json<ClassSummary[]>();
    return classes.find((one) => one.class === 'Person')?.count;
  };
  assert.deepEqual([await count('c'), await count('c', 'ann'), await count('d', 'ann')], [1, 1, 1]);
  assert.equal((await request('GET', '/-/d/classes')).status, 401);
});

test('a class has its slots in order, and a JSON Schema without references to others', async () => {
  const { request, app } = await emptyService();
  const { slots, json_schema, ...rest } = (
    await request('GET', '/-/c/classes/Person')
  ).json<ClassDescription>();
  assert.equal(rest.class, 'Person');
  const definition = app.registry.collection('c').schema.classes.get('Person');
  assert.deepEqual(
    slots.map(({ name }) => name),
    [...(definition?.slots.keys() ?? [])],
  );
  assert.deepEqual(
    slots.find(({ name }) => name === 'pid'),
    { ...slots.find(({ name }) => name === 'pid'), required: true },
  );
  assert.match(String(json_schema.$schema), /2020-12/);
  assert.ok(!JSON.stringify(json_schema).includes('#/components/'));
  assert.equal((await request('GET', '/-/c/classes/Nonsense')).status, 404);
});

test('titles of many pids come in one response, with their area', async () => {
  const { request } = await emptyService();
  await request('POST', '/d/record/Person', { token: 'ann', json: person('b') });
  const json: TitlesRequest = { pids: ['labid:b', 'labid:none', 'nowhere:x'] };
  const titles = (await request('POST', '/-/d/titles', { token: 'ann', json })).json<Titles>();
  assert.equal(titles['labid:b']?.class, 'Person');
  assert.equal(titles['labid:b']?.in, 'zone');
  assert.deepEqual([titles['labid:none'], titles['nowhere:x']], [null, null]);
  const many = { pids: Array.from({ length: 501 }, () => 'labid:b') };
  assert.equal((await request('POST', '/-/d/titles', { token: 'ann', json: many })).status, 422);
});

test('the schema of a collection is returned as it was written, or with its imports, and 304 while it is the same', async (t) => {
  const { request } = await testApp(t, { collections: { c: {} }, tokens: { ann: { c: 'READ_CURATED' } } });
  const written = await request('GET', '/-/c/schema', { token: 'ann' });
  assert.equal(written.status, 200);
  assert.match(written.text, /^id: .*\n[\s\S]*imports:\n/);
  const merged = await request('GET', '/-/c/schema?merged=true', { token: 'ann' });
  assert.match(merged.text, /uriorcurie:/, 'the types of linkml:types are in it');
  assert.doesNotMatch(merged.text, /^imports:/m);
  const etag = written.headers.etag as string;
  const again = await request('GET', '/-/c/schema', { token: 'ann', headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  assert.equal((await request('GET', '/-/c/schema')).status, 401);
});
