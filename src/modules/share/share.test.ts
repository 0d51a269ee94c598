/** Shared links: a person who has one reads curated records where a visitor of a public collection may, until its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../../../test/support/app.ts';
import { stopDurations } from '../../../test/support/clock.ts';
import { person } from '../../../test/support/people.ts';
import { judge } from '../../../test/support/permission-matrix.ts';
import { connect } from '../../client/client.ts';
import { MODULES } from '../../modules.ts';
import { share } from './client.ts';
import { share as module } from './module.ts';

const PATH = '/-/c/shared-links';
const CONFIGURATION: TestConfiguration = {
  collections: { c: {}, d: {} },
  tokens: { nobody: {}, cora: { c: 'CURATOR' }, dora: { d: 'CURATOR' }, rea: { c: 'READ_CURATED' } },
};
/** A forge that no test asks. */
const FORGE = {
  type: 'forge',
  url: 'https://forge.example.org/api/v1',
  organization: 'org',
  team: 'readers',
  label_type: 'team',
};
type Link = {
  name: string;
  title: string;
  until: string;
  by: string;
  last_used: string | null;
  secret: string;
};
type Me = {
  token: { shared_link: string; expires: string };
  collections: Record<string, { permissions: string[] }>;
};

async function shareLink(service: TestService, json: object = {}, token = 'cora'): Promise<Link> {
  const made = await service.request('POST', PATH, { token, json: { title: 'Reviewers', ...json } });
  assert.equal(made.status, 200, made.text);
  return made.json<Link>();
}
const listed = async ({ request }: TestService, token = 'cora') =>
  (await request('GET', PATH, { token })).json<{ items: Link[] }>().items;
const revoke = ({ request }: TestService, { name }: { name: string }, token = 'cora', collection = 'c') =>
  request('DELETE', `/-/${collection}/shared-links/${name}`, { token });
const reads = async ({ request }: TestService, token: string, url = '/c/records/p/Person') =>
  (await request('GET', url, { token })).status;

test('a shared link reads the curated records of its collection, and its secret is on record nowhere', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { request } = service;
  await request('POST', '/c/curated/record/Person', { token: 'cora', json: person('ada') });
  const { secret, ...link } = await shareLink(service, { until: tomorrow() });
  assert.equal(link.by, 'cora@example.org');
  assert.equal(await reads(service, secret), 200);
  assert.equal((await request('GET', '/c/record?pid=labid:ada', { token: secret })).status, 200);
  assert.equal(await reads(service, secret, '/d/records/p/Person'), 401);
  const me = (await request('GET', '/-/me', { token: secret })).json<Me>();
  assert.deepEqual(me.token, {
    name: link.name,
    expires: tomorrow(),
    replaced: false,
    shared_link: 'Reviewers',
  });
  assert.deepEqual(
    Object.entries(me.collections).map(([name, { permissions }]) => [name, permissions]),
    [['c', ['read_curated']]],
  );
  const [own] = await listed(service);
  assert.match(own?.last_used ?? '', /^\d{4}-/);
  assert.deepEqual({ ...own, last_used: null }, link);
  const texts = await Promise.all(
    ['/-/history', '/tokens', PATH].map(async (url) => (await request('GET', url, { token: ADMIN })).text),
  );
  assert.ok(texts[0]?.includes(link.name) && texts[1]?.includes(link.name));
  assert.ok(!texts.some((text) => text.includes(secret)));
});

test('a shared link is let in where a request without a token may be, and nowhere else', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { secret } = await shareLink(service);
  await judge([service], [{ token: secret, mode: 'r...', as: 'shared' }]);
});

test('a shared link has the policies of all readers, whatever its curator sees', async (t) => {
  const policies = {
    policy_annotation_tag: 'lab:policy',
    default_policy: 'members',
    policy_mapping: [{ auth_source: '*', user_id: '*', authorized_by: ['sample'] }],
  };
  const service = await testApp(t, { ...CONFIGURATION, collections: { c: policies } });
  const { request } = service;
  for (const json of [person('ada', { annotations: { 'lab:policy': 'sample' } }), person('bea')])
    await request('POST', '/c/curated/record/Person', { token: 'cora', json });
  const { secret } = await shareLink(service);
  const { text } = await request('GET', '/c/records/p/Person', { token: secret });
  assert.match(text, /labid:ada/);
  assert.doesNotMatch(text, /labid:bea/);
});

test('a shared link ends on its day, and at once when it is revoked', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const service = await testApp(t, CONFIGURATION);
  const [first, second, third] = [
    await shareLink(service),
    await shareLink(service, {}, ADMIN),
    await shareLink(service),
  ];
  assert.equal((await revoke(service, first)).status, 200);
  assert.equal(await reads(service, first.secret), 401);
  const again = await revoke(service, first);
  assert.deepEqual([again.status, again.headers['accession-error']], [404, 'shared_link_unknown']);
  assert.equal((await revoke(service, second, ADMIN)).status, 200);

  assert.equal(await reads(service, third.secret), 200);
  t.mock.timers.tick(31 * 86_400_000);
  assert.equal(await reads(service, third.secret), 401);
  assert.deepEqual(await listed(service), []);
  await shareLink(service);
  const tokens = (await service.request('GET', '/tokens', { token: ADMIN })).json<{ name: string }[]>();
  assert.ok(!tokens.some(({ name }) => name === third.name), 'what has ended is deleted with the next one');
});

test('curators share, list and revoke links of their own collection alone, and no other tokens', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const link = await shareLink(service);
  for (const token of ['rea', link.secret]) {
    assert.equal((await service.request('POST', PATH, { token, json: { title: 'x' } })).status, 403);
    assert.equal((await service.request('GET', PATH, { token })).status, 403);
    assert.equal((await revoke(service, link, token)).status, 403);
  }
  assert.equal((await revoke(service, link, 'dora')).status, 401);
  assert.equal((await revoke(service, link, 'dora', 'd')).status, 404);
  assert.equal((await revoke(service, { name: 'rea' })).status, 404);
  const { name } = link;
  const token = (await service.request('GET', `/tokens/${name}`, { token: ADMIN })).json<{
    collections: object;
  }>();
  const json = { ...token, collections: { ...token.collections, d: { mode: 'READ_CURATED' } } };
  assert.equal((await service.request('PUT', `/tokens/${name}`, { token: ADMIN, json })).status, 201);
  assert.equal((await revoke(service, link)).status, 404, 'what an administrator has extended is theirs');
});

test('a link that would not work, or is one too many, is refused', async (t) => {
  const service = await testApp(t, {
    ...CONFIGURATION,
    collections: { c: {}, forge: { auth_sources: [FORGE] } },
  });
  const refusals: readonly [object, RegExp][] = [
    [{}, /title/],
    [{ title: '' }, /title/],
    [{ title: 'x', until: '2001-01-01' }, /within 366 days, found '2001-01-01'/],
    [{ title: 'x', until: 'soon' }, /within 366 days, found 'soon'/],
    [{ title: 'x', until: '2999-01-01' }, /within 366 days/],
    [{ title: 'x', mode: 'CURATOR' }, /mode/],
  ];
  for (const [json, message] of refusals) {
    const { status, text } = await service.request('POST', PATH, { token: 'cora', json });
    assert.equal(status, 422, text);
    assert.match(text, message);
  }
  const unused = await service.request('POST', '/-/forge/shared-links', {
    token: ADMIN,
    json: { title: 'x' },
  });
  assert.deepEqual([unused.status, unused.headers['accession-error']], [409, 'shared_links_unused']);
  for (let n = 0; n < 100; n++) await shareLink(service);
  const more = await service.request('POST', PATH, { token: 'cora', json: { title: 'x' } });
  assert.equal(more.status, 422);
  assert.match(more.text, /at most 100 shared links/);
});

test('guesses of a secret end as those of tokens do', async (t) => {
  stopDurations(t);
  const service = await testApp(t, CONFIGURATION, { limits: { refusedTokens: 5 } });
  const statuses = [];
  for (let n = 0; n < 7; n++) {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const guess = { token: `guess-${n}`, headers };
    statuses.push((await service.request('GET', '/c/records/p/Person', guess)).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
});

test('the client library shares, lists and revokes links', async (t) => {
  const { app } = await testApp(t, CONFIGURATION);
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const links = connect({ url, token: 'cora' }).collection('c').use(share);
  const { secret, ...link } = await links.create({ title: 'Reviewers' });
  assert.equal(typeof secret, 'string');
  assert.deepEqual(await links.list(), [link]);
  await links.revoke(link.name);
  assert.deepEqual(await links.list(), []);
});

test('a shared link works while a service runs without the module, and ends there as any token', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { name, secret } = await shareLink(service);
  await service.app.close();
  const modules = MODULES.filter((one) => one.name !== module.name);
  const without = await testApp(t, {}, { store: service.store, modules });
  assert.equal((await without.request('GET', PATH, { token: 'cora' })).status, 404);
  assert.equal(await reads(without, secret), 200);
  assert.equal((await without.request('DELETE', `/tokens/${name}`, { token: ADMIN })).status, 200);
  assert.equal(await reads(without, secret), 401);
});

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
}
