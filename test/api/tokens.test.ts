/** Tokens over time: they expire, get another secret, and say when they were last used. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MOST_FORMER_SECRETS } from '../../src/core/access/config-tokens.ts';
import { ADMIN, testApp } from '../support/app.ts';

const CONFIGURATION = { collections: { c: {} }, tokens: { ann: { c: 'WRITE_COLLECTION' } } };
const admin = { token: ADMIN };
type Token = { representation: string; previous?: { until: string }; expires?: string };

const bob = { user_id: 'bob', hashed: true, collections: { c: { mode: 'READ_CURATED' } } };

test('the service makes the secret of a hashed token, shows it once, and keeps the hash alone', async (t) => {
  const { request, store } = await testApp(t, CONFIGURATION);
  const { representation: secret } = (
    await request('PUT', '/tokens/bob', { ...admin, json: bob })
  ).json<Token>();
  assert.match(secret, /^[0-9a-f]{48}$/);
  assert.equal((await request('GET', '/c/records/', { token: secret })).status, 200);
  const shown = await request('GET', '/tokens/bob', admin);
  assert.ok(!shown.text.includes(secret));
  const files = filesBelow(store).join();
  assert.match(files, /bob/);
  assert.ok(!files.includes(secret));
});

test('a token that has expired is refused, also over restarts', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { request } = service;
  for (const [expires, status] of [
    ['2000-01-01', 401],
    ['2999-12-31', 200],
    ['2999-12-31T10:00:00Z', 200],
  ] as const) {
    const json = { ...bob, hashed: false, representation: 'secret', expires };
    assert.equal((await request('PUT', '/tokens/bob', { ...admin, json })).status, 201);
    const answer = await request('GET', '/c/records/', { token: 'secret' });
    assert.equal(answer.status, status, `${expires}: ${answer.text}`);
    if (status === 401) assert.match(answer.text, /the token has expired/);
  }
  await service.restart();
  assert.equal((await request('GET', '/tokens/bob', admin)).json<Token>().expires, '2999-12-31T10:00:00Z');
  for (const expires of ['soon', '2026-13-45']) {
    const answer = await request('PUT', '/tokens/bob', { ...admin, json: { ...bob, expires } });
    assert.equal(answer.status, 422, expires);
    assert.match(answer.text, /expected a (string like 2027-12-31|day or a time in ISO 8601)/);
  }
});

test('during a rotation both secrets are accepted, and the owner learns that there is a newer one', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { request } = service;
  const first = (await request('PUT', '/tokens/bob', { ...admin, json: bob })).json<Token>().representation;
  const rotated = await request('POST', '/tokens/bob/rotate?keep_days=3', admin);
  assert.equal(rotated.status, 200, rotated.text);
  const second = rotated.json<Token>().representation;
  assert.notEqual(second, first);
  await service.restart();
  for (const token of [first, second]) {
    assert.equal((await request('GET', '/c/records/', { token })).status, 200);
    const own = (await request('GET', '/-/me', { token })).json<{
      token: { name: string; replaced: boolean };
    }>();
    assert.equal(own.token.name, 'bob');
    assert.equal(own.token.replaced, token === first);
  }
  const third = await request('POST', '/tokens/bob/rotate?keep_days=0', admin);
  assert.equal((await request('GET', '/c/records/', { token: second })).status, 401);
  assert.equal((await request('GET', '/c/records/', { token: first })).status, 401);
  assert.equal(
    (await request('GET', '/c/records/', { token: third.json<Token>().representation })).status,
    200,
  );
  assert.equal((await request('POST', '/tokens/none/rotate', admin)).status, 404);
  assert.equal((await request('POST', '/tokens/bob/rotate', { token: 'ann' })).status, 401);
});

test('a rotation that is repeated, since its answer was lost, ends no secret that is in use', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const { request } = service;
  const rotate = async (days: number) => {
    const answer = await request('POST', `/tokens/bob/rotate?keep_days=${days}`, admin);
    assert.equal(answer.status, 200, answer.text);
    return answer.json<Token>();
  };
  const inUse = (await request('PUT', '/tokens/bob', { ...admin, json: bob })).json<Token>().representation;
  const lost = await rotate(3);
  const again = await rotate(3);
  await service.restart();
  const read = async (token: string) => (await request('GET', '/c/records/', { token })).status;
  assert.deepEqual([await read(inUse), await read(again.representation)], [200, 200]);
  const own = (await request('GET', '/-/me', { token: inUse })).json<{ token: object }>();
  assert.deepEqual(own.token, {
    name: 'bob',
    expires: lost.previous!.until,
    replaced: true,
    shared_link: null,
  });
  const status = await request('GET', '/-/status', admin);
  const { tokens } = status.json<{ tokens: { name: string; rotating_until: string | null }[] }>();
  assert.equal(tokens.find(({ name }) => name === 'bob')!.rotating_until, again.previous!.until);
  for (let rotations = 2; rotations < MOST_FORMER_SECRETS; rotations++) await rotate(1);
  const refused = await request('POST', '/tokens/bob/rotate', admin);
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /expected 0, which ends the 20 former secrets that are accepted, found 7/);
  const last = await rotate(0);
  assert.deepEqual([await read(inUse), await read(again.representation)], [401, 401]);
  assert.equal(await read(last.representation), 200);
});

test('a rotation takes keep_days in its body, too, and refuses what it does not know', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const first = (await request('PUT', '/tokens/bob', { ...admin, json: bob })).json<Token>().representation;
  for (const [query, json] of [
    ['?keep_day=0', undefined],
    ['', { keep_day: 0 }],
    ['', { keep_days: 91 }],
  ] as const) {
    const { status, text } = await request('POST', `/tokens/bob/rotate${query}`, { ...admin, json });
    assert.equal(status, 422, text);
  }
  assert.equal((await request('GET', '/c/records/', { token: first })).status, 200);
  const ended = await request('POST', '/tokens/bob/rotate', { ...admin, json: { keep_days: 0 } });
  assert.equal(ended.json<Token>().previous, undefined);
  assert.equal((await request('GET', '/c/records/', { token: first })).status, 401);
  const week = await request('POST', '/tokens/bob/rotate', admin);
  const days = (Date.parse(week.json<Token>().previous!.until) - Date.now()) / 86_400_000;
  assert.ok(6.9 < days && days <= 7, String(days));
});

test('a token that would get a secret which has expired already is refused', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const json = { ...bob, expires: '2020-01-01' };
  const refused = await request('POST', '/tokens', { ...admin, json: { name: 'bob', ...json } });
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /expires.*expected a time to come, found '2020-01-01'/);
  const kept = await request('PUT', '/tokens/bob', {
    ...admin,
    json: { ...json, hashed: false, representation: 'x' },
  });
  assert.equal(kept.status, 201, kept.text);
});

test('the minute of the last use is known to administrators, also after a restart', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const before = Math.floor(Date.now() / 60_000) * 60_000;
  assert.equal(service.app.registry.tokens.lastUses().get('ann'), undefined);
  await service.request('GET', '/c/records/', { token: 'ann' });
  await service.restart();
  const used = service.app.registry.tokens.lastUses().get('ann') ?? '';
  assert.match(used, /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
  assert.ok(Date.parse(used) >= before && Date.parse(used) <= Date.now(), used);
});

test('a token with the name of a deleted one was never used, also after a restart', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const lastUse = () => service.app.registry.tokens.lastUses().get('ann');
  const ann = (await service.request('GET', '/tokens/ann', admin)).json<object>();
  await service.request('GET', '/c/records/', { token: 'ann' });
  await service.restart();
  assert.notEqual(lastUse(), undefined);
  await service.request('DELETE', '/tokens/ann', admin);
  await service.request('PUT', '/tokens/ann', { ...admin, json: { ...ann, representation: 'another' } });
  assert.equal(lastUse(), undefined);
  await service.restart();
  assert.equal(lastUse(), undefined);
});

test('a secret that no header can carry is refused', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  for (const representation of [' a', 'a ', 'a\nb', 'a\u0000', '\u4e2d']) {
    const json = { ...bob, hashed: false, representation };
    assert.equal((await request('PUT', '/tokens/bob', { ...admin, json })).status, 422, representation);
  }
});

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

test('deleting a collection names the tokens that would reach another one of the same name, or revokes them', async (t) => {
  const { request } = await testApp(t, { ...CONFIGURATION, collections: { c: {}, d: {} } });
  const config = (await request('GET', '/collections/c', admin)).json<object>();
  const gone = await request('DELETE', '/collections/c', admin);
  assert.deepEqual([gone.text, gone.headers['accession-tokens']], ['null', 'ann']);
  await request('PUT', '/collections/c', { ...admin, json: config });
  assert.equal((await request('GET', '/c/records/', { token: 'ann' })).status, 200);
  const revoked = await request('DELETE', '/collections/c?revoke=true', admin);
  assert.deepEqual([revoked.text, revoked.headers['accession-revoked-tokens']], ['null', 'ann']);
  await request('PUT', '/collections/c', { ...admin, json: config });
  assert.equal((await request('GET', '/c/records/', { token: 'ann' })).status, 401);
  assert.equal((await request('DELETE', '/collections/d', admin)).headers['accession-tokens'], undefined);
});

test('no user has a NUL in the name, which databases cannot store', async (t) => {
  const { request } = await testApp(t, { ...CONFIGURATION, tokens: { cleo: { c: 'CURATOR' } } });
  const put = await request('PUT', '/tokens/bob', { ...admin, json: { ...bob, user_id: 'a\0b' } });
  assert.equal(put.status, 422, put.text);
  for (const query of ['author_id=a%00b', 'author_id=%00']) {
    const json = { pid: 'labid:a', name: 'A', family_name: 'A' };
    const stored = await request('POST', `/c/curated/record/Person?${query}`, { token: 'cleo', json });
    assert.equal(stored.status, 422, stored.text);
  }
  for (const name of ['batch', 'message']) {
    const json = { pid: 'labid:a', name: 'A', family_name: 'A' };
    const stored = await request('POST', `/c/record/Person?${name}=a%00`, { token: 'cleo', json });
    assert.equal(stored.status, 422, stored.text);
  }
});
