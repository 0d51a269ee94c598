/** What a caller could notice of hidden records besides the records: tags, numbers, limits, the state of the service, whose policies count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { curator, hidden, of, open, POLICIES, TAG } from './world.ts';

test('entity tags and numbers of changes are those of a collection without hidden records', async (t) => {
  const seen: object[] = [];
  for (const withHidden of [false, true]) {
    const service = await open(t, POLICIES, 'sqlite');
    const { request } = service;
    const hide = async (name: string) => {
      if (!withHidden) return;
      assert.equal((await curator(service, '/c/curated/record/Person', hidden(name))).status, 200);
      assert.equal((await curator(service, '/c/incoming/ann/record/Person', hidden(name))).status, 200);
    };
    await hide('h1');
    const stored = await request('POST', '/c/record/Person', { token: 'ann', json: person('a') });
    await hide('h2');
    await curator(service, '/c/curated/record/Person', person('b'));
    await hide('h1');
    const json = person('a', { given_name: 'again' });
    const headers = { 'if-match': stored.headers.etag! };
    const again = await request('POST', '/c/record/Person', { token: 'ann', json, headers });
    assert.equal(again.status, 200, again.text);
    const refused = await request('POST', '/c/record/Person', { token: 'ann', json, headers });
    const once = { token: 'ann', json, headers: { 'if-none-match': '*' } };
    const exists = await request('POST', '/c/record/Person', once);
    assert.deepEqual([refused.status, exists.status], [412, 412]);
    assert.doesNotMatch(refused.text + exists.text, /\d/);
    const history = (await request('GET', '/-/c/zone/history?size=1', { token: 'ann' })).json<{
      items: { revision: number; time_stamp: string }[];
      next: number;
    }>();
    const [last] = history.items;
    assert.equal(
      last!.revision,
      Date.parse(`${last!.time_stamp.slice(0, 23)}Z`) * 1000 + Number(last!.time_stamp.slice(23, 26)),
    );
    const rest = await request('GET', `/-/c/zone/history?before=${history.next}`, { token: 'ann' });
    const page = rest.json<{ items: { pid: string }[]; next: null }>();
    const tags = await Promise.all(
      ['a', 'b'].map(
        async (name) => (await request('GET', `/c/record?pid=labid:${name}`, { token: 'ann' })).headers.etag,
      ),
    );
    seen.push([stored.headers.etag, again.headers.etag, tags, page.items.map(({ pid }) => pid), page.next]);
  }
  assert.deepEqual(seen[1], seen[0]);
});

test('conditions and bases name no revision to a caller who could count hidden changes by them', async (t) => {
  const service = await open(t, POLICIES, 'sqlite');
  const { request } = service;
  for (const record of [hidden('h1'), hidden('h2'), person('b')])
    await curator(service, '/c/curated/record/Person', record);
  await request('POST', '/c/record/Person', { token: 'ann', json: person('own') });
  const tagOf = async (pid: string, token: string, area = '') =>
    (await request('GET', `/c${area}/record?pid=${pid}`, { token })).headers.etag!;
  /** Stores with a condition, in both ways, and names the state as the base. */
  const statuses = async (token: string, etag: string) => {
    const json = person('b', { given_name: token });
    const single = { token, json, headers: { 'if-match': etag } };
    const many = { token, json: [{ record: json, if_match: etag }] };
    const [{ status: stored }, results] = [
      await request('POST', '/c/record/Person', single),
      await request('POST', '/-/c/records/Person?conditional=true', many),
    ];
    await request('DELETE', '/c/record?pid=labid:b', { token });
    const based = `/c/record/Person?based_on=${encodeURIComponent(etag)}`;
    await request('POST', based, { token, json });
    const item = await request('GET', '/-/c/submissions/item?pid=labid:b', { token });
    await request('DELETE', '/c/record?pid=labid:b', { token });
    return [stored, results.json<{ status: number }[]>()[0]?.status, item.json<{ state: string }>().state];
  };
  assert.deepEqual(await statuses('ann', await tagOf('labid:b', 'ann')), [200, 412, 'changed']);
  assert.deepEqual(await statuses('ann', await tagOf('labid:b', 'cleo', '/curated')), [412, 412, 'diverged']);
  assert.deepEqual(
    await statuses('cleo', await tagOf('labid:b', 'cleo', '/curated')),
    [200, 412, 'changed'],
    'a curator sees all changes',
  );
  const own = await tagOf('labid:own', 'cleo', '/incoming/ann');
  const removed = { token: 'ann', json: [{ pid: 'labid:own', if_match: own }] };
  assert.equal(
    (await request('DELETE', '/-/c/records/', removed)).json<{ status: number }[]>()[0]?.status,
    412,
  );
  const single = { token: 'ann', headers: { 'if-match': own } };
  assert.equal((await request('DELETE', '/c/record?pid=labid:own', single)).status, 412);
});

test('equal values of a sort do not tell which records were hidden before', async (t) => {
  const seen: string[] = [];
  for (const wasHidden of [false, true]) {
    const service = await open(t, POLICIES, 'sqlite');
    const store = (record: object) => curator(service, '/c/curated/record/Person', record);
    if (wasHidden) await store(hidden('z'));
    for (const name of ['b', 'a', 'z']) await store(person(name, { given_name: 'same' }));
    for (const sort of ['given_name', '-given_name'])
      seen.push((await service.request('GET', `/-/c/search?sort=${sort}`, { token: 'ann' })).text);
  }
  assert.match(seen[0]!, /labid:a.*labid:b.*labid:z/);
  assert.match(seen[1]!, /labid:z.*labid:b.*labid:a/);
  assert.deepEqual(seen.slice(2), seen.slice(0, 2));
});

test('hidden records do not count for the limit of lists', async (t) => {
  const service = await open(t, POLICIES, 'sqlite');
  for (const [from, make] of [
    [0, hidden],
    [600, hidden],
    [1200, person],
  ] as const) {
    const records = Array.from({ length: 600 }, (_, at) => make(`n${from + at}`));
    assert.equal((await curator(service, '/-/c/curated/records/Person', records)).status, 200);
  }
  const list = async (token?: string) =>
    service.request('GET', '/c/records/', token === undefined ? {} : { token });
  assert.deepEqual([(await list()).status, (await list()).json<[]>().length], [200, 600]);
  assert.equal((await service.request('GET', '/c/curated/records/', { token: 'cleo' })).status, 413);
  assert.equal((await service.request('GET', '/c/records/?format=ttl')).status, 413);
});

test('the state of the service does not show that somebody reads hidden records', async (t) => {
  const service = await open(t, POLICIES, 'sqlite');
  await curator(service, '/c/curated/record/Person', person('a'));
  const seen: string[] = [];
  for (const name of [undefined, 'h1', 'h2']) {
    if (name !== undefined) await curator(service, '/c/curated/record/Person', hidden(name));
    for (const path of ['/c/records/p/', '/c/curated/records/p/'])
      assert.equal((await service.request('GET', path, { token: 'cleo' })).status, 200);
    seen.push((await service.request('GET', '/-/health')).text);
  }
  assert.equal(new Set(seen).size, 1, seen.join(' '));
});

test('policies are those of the user of a token, whatever the token is called', async (t) => {
  const token = (name: string, user: string) => ({
    name,
    user_id: `${user}@example.org`,
    representation: name,
    collections: { c: { mode: 'READ_COLLECTION', incoming_label: name } },
  });
  const mapping = { ...POLICIES, policy_mapping: [of('ann', 'x'), of('guest', 'y'), of('tok', 'z')] };
  const service = await testApp(t, {
    collections: { c: { default_token: 'guest', backend: { type: 'sqlite' }, ...mapping } },
    tokens: { guest: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' } },
  });
  const { request } = service;
  for (const policy of ['x', 'y', 'z'])
    await curator(service, '/c/curated/record/Person', person(policy, { annotations: { [TAG]: policy } }));
  const admin = (method: string, path: string, json?: object) =>
    request(method, path, { token: ADMIN, ...(json && { json }) });
  const seen = async (name?: string) =>
    (await request('GET', '/c/records/', name === undefined ? {} : { token: name }))
      .json<{ name: string }[]>()
      .map((one) => one.name)
      .join(' ');
  for (const one of [token('tok', 'ann'), token('second', 'ann')])
    assert.equal((await admin('POST', '/tokens', one)).status, 201);
  assert.deepEqual([await seen('tok'), await seen('second')], ['x', 'x'], 'the name of a token is no user');
  assert.equal(await seen(), 'y', 'a request without a token has the policies of the default token');
  assert.equal(await seen('cleo'), '', 'other tokens do not inherit them, also not those of curators');
  assert.equal((await admin('DELETE', '/tokens/tok')).status, 200);
  assert.equal((await admin('POST', '/tokens', token('tok', 'nobody'))).status, 201);
  assert.equal(await seen('tok'), '', 'the same secret for another user');
  assert.equal((await admin('PUT', '/tokens', token('tok', 'tok'))).status, 201);
  assert.equal(await seen('tok'), 'z');
});

test('a page that one caller was sent is not sent to another', async (t) => {
  const service = await open(t, POLICIES, 'sqlite');
  await curator(service, '/c/curated/record/Person', person('x', { annotations: { [TAG]: 'x' } }));
  await curator(service, '/c/curated/record/Person', person('open'));
  const total = async (token?: string) =>
    (await service.request('GET', '/c/records/p/', token === undefined ? {} : { token })).json<{
      total: number;
    }>().total;
  for (let round = 0; round < 2; round++)
    assert.deepEqual([await total('ann'), await total(), await total('cleo')], [2, 1, 1]);
});

test('a record that is stored over a hidden one of a shared zone replaces it', async (t) => {
  const service = await open(t, POLICIES, 'sqlite');
  await curator(service, '/c/incoming/ann/record/Person', hidden('a'));
  const read = async () =>
    (await service.request('GET', '/c/record?pid=labid:a', { token: 'ann' })).json<{ name: string } | null>();
  assert.equal(await read(), null);
  const stored = await service.request('POST', '/c/record/Person', { token: 'ann', json: person('a') });
  assert.equal(stored.status, 200);
  assert.equal((await read())?.name, 'a');
  const zone = await service.request('GET', '/c/incoming/ann/records/', { token: 'cleo' });
  assert.equal(zone.json<[]>().length, 1);
});
