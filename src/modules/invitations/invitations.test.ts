/** Invitations: a secret that is exchanged for a token once, by one of several instances, until a time. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../../../test/support/app.ts';
import { stopDurations } from '../../../test/support/clock.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { sha256 } from '../../core/access/config-tokens.ts';

const PATH = '/-/c/invitations';
const CONFIGURATION: TestConfiguration = {
  collections: { c: {}, d: {} },
  tokens: { nobody: {}, ann: { c: 'WRITE_COLLECTION' } },
};
const BEA = { name: 'bea', user_id: 'bea@example.org', mode: 'WRITE_COLLECTION', incoming_label: 'bea' };

type Item = { id: number; name: string; state: string; ended_by: string | null; secret: string; by: string };
type Me = { user_id: string; collections: Record<string, { permissions: string[]; label: string }> };

async function invite({ request }: TestService, json: object = BEA): Promise<Item> {
  const answer = await request('POST', PATH, { token: ADMIN, json });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<Item>();
}

const accept = ({ request }: TestService, secret: string, path = PATH) =>
  request('POST', `${path}/accept`, { token: secret });
const listed = async ({ request }: TestService) =>
  (await request('GET', PATH, { token: ADMIN })).json<{ items: Item[] }>().items;

test('an invitation is exchanged for a token once, and both are on record without their secrets', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { secret, state, by } = await invite(service);
  assert.equal(state, 'open');
  assert.equal((await service.request('GET', '/-/me', { token: secret })).status, 401);
  const accepted = await accept(service, secret);
  assert.equal(accepted.status, 200, accepted.text);
  const { representation: token } = accepted.json<{ representation: string }>();
  assert.notEqual(token, secret);
  const me = (await service.request('GET', '/-/me', { token })).json<Me>();
  assert.equal(me.user_id, 'bea@example.org');
  assert.deepEqual(Object.keys(me.collections), ['c']);
  assert.deepEqual(me.collections.c?.permissions, ['read_curated', 'read_zone', 'write_zone']);
  assert.equal(me.collections.c?.label, 'bea');

  const again = await accept(service, secret);
  assert.equal(again.status, 401);
  assert.equal(again.headers['accession-error'], 'invitation_refused');
  assert.match(again.text, /The invitation is accepted\. Ask for another one\./);
  const [item] = await listed(service);
  assert.equal(item?.state, 'accepted');
  assert.equal(item?.ended_by, 'bea@example.org');
  const history = await service.request('GET', '/-/history', { token: ADMIN });
  const [last] = history.json<{ items: { author_id: string; changes: { path: string }[] }[] }>().items;
  assert.equal(last?.author_id, by);
  assert.match(last?.changes[0]?.path ?? '', /^\/tokens\/bea/);
  for (const hidden of [secret, token])
    assert.ok(![history.text, JSON.stringify(item)].some((text) => text.includes(hidden)));
});

test('a path without a number is refused with what it has', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const id of ['abc', '-1', '1e3', '9'.repeat(20)]) {
    const { status, text } = await service.request('DELETE', `${PATH}/${id}`, { token: ADMIN });
    assert.equal(status, 422, text);
    assert.ok(text.includes(`expected a number such as 12, found \\"${id}\\"`), text);
  }
});

test('an invitation that was revoked, has ended, or is of another collection is refused', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { id, secret } = await invite(service);
  assert.equal((await accept(service, secret, '/-/d/invitations')).status, 401);
  assert.equal((await accept(service, 'guess')).status, 401);
  const revoke = () => service.request('DELETE', `${PATH}/${id}`, { token: ADMIN });
  assert.equal((await revoke()).status, 200);
  assert.equal((await revoke()).headers['accession-error'], 'invitation_unknown');
  assert.match((await accept(service, secret)).text, /is revoked/);
  assert.equal((await listed(service))[0]?.state, 'revoked');

  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const ending = await invite(service, { ...BEA, until: new Date(Date.now() + 1500).toISOString() });
  t.mock.timers.tick(1600);
  assert.match((await accept(service, ending.secret)).text, /is expired/);
  assert.equal((await listed(service))[0]?.state, 'expired');
  await invite(service);
});

test('an invitation that could not become a token is refused at once', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const refusals: readonly [object, number, RegExp][] = [
    [{ ...BEA, name: 'ann' }, 409, /already exists/],
    [{ ...BEA, incoming_label: '' }, 406, /requires an `incoming_label`/],
    [{ ...BEA, mode: 'OWNER' }, 422, /mode/],
    [{ ...BEA, user_id: '\u0000' }, 422, /user_id/],
    [{ ...BEA, until: '2001-01-01' }, 422, /within the next 90 days, found '2001-01-01'/],
    [{ ...BEA, until: 'soon' }, 422, /within the next 90 days, found 'soon'/],
    [{ ...BEA, expires: 'later' }, 422, /expires/],
    [{ ...BEA, secret: 'x' }, 422, /secret/],
  ];
  for (const [json, status, message] of refusals) {
    const answer = await service.request('POST', PATH, { token: ADMIN, json });
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, message);
  }
  await invite(service);
  const second = await service.request('POST', PATH, { token: ADMIN, json: BEA });
  assert.equal(second.status, 409);
  assert.match(second.text, /An open invitation is for the token 'bea'/);
  assert.equal((await service.request('POST', PATH, { token: 'ann', json: BEA })).status, 401);
});

test('an invitation waits if its token was made by other means meanwhile', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { secret } = await invite(service);
  const json = { name: 'bea', user_id: 'b', collections: {} };
  await service.request('POST', '/tokens', { token: ADMIN, json });
  assert.equal((await accept(service, secret)).status, 409);
  await service.request('DELETE', '/tokens/bea', { token: ADMIN });
  assert.equal((await accept(service, secret)).status, 200);
});

test('an invitation ends with its collection, and with the admin token that made it', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const first = await invite(service);
  assert.equal((await service.request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  const post = await service.request('POST', '/collections', {
    token: ADMIN,
    json: { name: 'c', ...config },
  });
  assert.equal(post.status, 201, post.text);
  assert.equal((await accept(service, first.secret)).status, 401);

  const json = { name: 'boss', representation: sha256('boss-secret') };
  const boss = await service.request('POST', '/admin_tokens', { token: ADMIN, json });
  assert.equal(boss.status, 201, boss.text);
  const second = await service.request('POST', PATH, { token: 'boss-secret', json: BEA });
  assert.equal(second.status, 200, second.text);
  assert.equal((await service.request('DELETE', '/admin_tokens/boss', { token: ADMIN })).status, 200);
  const { secret } = second.json<{ secret: string }>();
  assert.equal((await accept(service, secret)).status, 401);
});

test('guesses of an address end as those of tokens do', async (t) => {
  stopDurations(t);
  const service = await testApp(t, CONFIGURATION, { limits: { refusedTokens: 5 } });
  const guess = () =>
    service.request('POST', `${PATH}/accept`, {
      token: `guess-${Math.random()}`,
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
  const statuses = [];
  for (let n = 0; n < 7; n++) statuses.push((await guess()).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
});

async function onTwoInstances(t: TestContext): Promise<TestService[]> {
  const databaseUrl = await ownDatabase();
  const backend = { type: 'postgresql+stl' };
  const stored = { ...CONFIGURATION, collections: { c: { backend } } };
  return [await testApp(t, stored, { databaseUrl }), await testApp(t, {}, { databaseUrl })];
}

for (const database of ['SQLite', 'PostgreSQL'] as const)
  test(`${database}: of several requests at once, one gets the token`, async (t) => {
    const services = database === 'SQLite' ? [await testApp(t, CONFIGURATION)] : await onTwoInstances(t);
    const { secret } = await invite(services[0]!);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => accept(services[n % services.length]!, secret)),
    );
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)]);
  });
