/** What curators and administrators learn of policies: who sees a record, and what a change would mean. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { of, open, type Policies, readers, setPolicies, TAG, TAG_IRI } from './world.ts';

const POLICIES: Policies = {
  policy_annotation_tag: TAG,
  policy_mapping: [of('ann', 'x', 'y'), of('bob', 'x'), of('guest', 'z'), of('ann', 'd')],
};

async function fill({ request }: TestService): Promise<void> {
  const named = (name: string, annotations?: object) => person(name, annotations && { annotations });
  for (const json of [
    named('open'),
    named('x', { [TAG]: 'x' }),
    named('both', { [TAG]: 'x', [TAG_IRI]: 'y' }),
    named('z', { [TAG_IRI]: 'z' }),
    named('empty', { [TAG]: '' }),
    named('other', { 'lab:other': 'x' }),
  ])
    assert.equal((await request('POST', '/c/curated/record/Person', { token: 'cleo', json })).status, 200);
  const json = named('own', { [TAG]: 'y' });
  assert.equal((await request('POST', '/c/record/Person', { token: 'ann', json })).status, 200);
}

test('all readers have the policies of readers in reports, named ones besides their own', async (t) => {
  const service = await open(t, {}, 'sqlite');
  await fill(service);
  const json = {
    policy_annotation_tag: TAG,
    default_policy: 'd',
    policy_mapping: [readers('d', 'x'), of('ann', 'y'), of('guest', 'x')],
  };
  const dryRun = await service.request('POST', '/-/c/policies/dry-run', { token: ADMIN, json });
  const { callers, others, without_token } = dryRun.json<{
    callers: { auth_source: string; user_id: string; after: number }[];
    others: { after: number };
    without_token: { after: number };
  }>();
  assert.deepEqual(
    callers.map(({ user_id, after }) => [user_id, after]),
    [
      ['ann@example.org', 4],
      ['guest@example.org', 1],
    ],
  );
  assert.deepEqual([others.after, without_token.after], [3, 1]);
  await setPolicies(service, json);
  const found = await service.request('GET', '/-/c/curated/readers?pid=labid:both', { token: 'cleo' });
  assert.deepEqual(found.json<{ readers: object[] }>().readers, [
    { auth_source: 'config', user_id: 'ann@example.org' },
  ]);
  const unnamed = await service.request('GET', '/-/c/curated/readers?pid=labid:open', { token: 'cleo' });
  const { readers: named, everyone } = unnamed.json<{ readers: { user_id: string }[]; everyone: boolean }>();
  assert.deepEqual([named.map(({ user_id }) => user_id), everyone], [['*', 'ann@example.org'], false]);
});

test('curators see which policies a record needs, and who has them', async (t) => {
  const service = await open(t, { ...POLICIES, default_policy: 'd' }, 'sqlite');
  await fill(service);
  const readers = async (pid: string, area = 'curated') => {
    const path = `/-/c/${area}/readers?pid=labid:${pid}`;
    const { status, text, json } = await service.request('GET', path, { token: 'cleo' });
    assert.equal(status, 200, text);
    const found = json<{
      policies: string[];
      from: string;
      everyone: boolean;
      without_token: boolean;
      readers: { user_id: string }[];
      number: number;
    } | null>();
    if (!found) return null;
    const names = found.readers.map(({ user_id }) => user_id.replace('@example.org', ''));
    assert.equal(found.number, names.length);
    return [found.policies, found.from, names, found.everyone, found.without_token];
  };
  assert.deepEqual(await readers('x'), [['x'], 'record', ['ann', 'bob'], false, false]);
  assert.deepEqual(await readers('both'), [['y', 'x'], 'record', ['ann'], false, false]);
  assert.deepEqual(await readers('open'), [['d'], 'default', ['ann'], false, false]);
  assert.deepEqual(await readers('z'), [['z'], 'record', ['guest'], false, true]);
  assert.deepEqual(await readers('empty'), [[''], 'record', [], false, false]);
  assert.deepEqual(await readers('own', 'incoming/ann'), [['y'], 'record', ['ann'], false, false]);
  assert.equal(await readers('own'), null);
  assert.equal(await readers('own', 'incoming/nobody'), null);
  const overview = await service.request('GET', '/-/c/policies', { token: 'cleo' });
  assert.deepEqual(overview.json(), {
    tags: [TAG, TAG_IRI],
    default_policy: 'd',
    policies: ['d', 'x', 'y', 'z'].map((name, at) => ({ name, callers: [1, 2, 1, 1][at] })),
  });
});

test('without policies, everyone sees a record', async (t) => {
  const service = await open(t, undefined, 'sqlite');
  await fill(service);
  const answer = await service.request('GET', '/-/c/curated/readers?pid=labid:x', { token: 'cleo' });
  assert.deepEqual(answer.json(), {
    policies: [],
    from: 'none',
    everyone: true,
    without_token: true,
    readers: [],
    number: 0,
  });
  const overview = await service.request('GET', '/-/c/policies', { token: 'cleo' });
  assert.deepEqual(overview.json(), { tags: [], default_policy: null, policies: [] });
});

test('a request without a token sees nothing that the default token may not read, whatever the policies are', async (t) => {
  const { request } = await testApp(t, {
    collections: { c: { default_token: 'nothing', policy_annotation_tag: TAG } },
    tokens: { nothing: { c: 'NOTHING' }, cleo: { c: 'CURATOR' } },
  });
  const json = { pid: 'labid:x', name: 'X' };
  await request('POST', '/c/curated/record/Organization', { token: 'cleo', json });
  const readers = await request('GET', '/-/c/curated/readers?pid=labid:x', { token: 'cleo' });
  const { everyone, without_token } = readers.json<Record<string, unknown>>();
  assert.deepEqual([everyone, without_token], [true, false]);
  const dryRun = await request('POST', '/-/c/policies/dry-run', { token: ADMIN, json: POLICIES });
  assert.equal(dryRun.json<{ without_token: null }>().without_token, null);
});

test('a dry run counts what each caller gains and loses, and changes nothing', async (t) => {
  const service = await open(t, undefined, 'sqlite');
  await fill(service);
  const dryRun = async (policies: object) => {
    const { status, text, json } = await service.request('POST', '/-/c/policies/dry-run', {
      token: ADMIN,
      json: policies,
    });
    assert.equal(status, 200, text);
    return json<{ callers: object[]; others: object; restricted: object; without_token: object }>();
  };
  const change = (before: number, after: number, gained: number, lost: number) => ({
    before,
    after,
    gained,
    lost,
  });
  const caller = (name: string) => ({ auth_source: 'config', user_id: `${name}@example.org` });
  assert.deepEqual(await dryRun(POLICIES), {
    records: 6,
    restricted: { before: 0, after: 4 },
    callers: [
      { ...caller('ann'), ...change(6, 4, 0, 2) },
      { ...caller('bob'), ...change(6, 3, 0, 3) },
      { ...caller('guest'), ...change(6, 3, 0, 3) },
    ],
    changed: 3,
    unchanged: 0,
    others: change(6, 2, 0, 4),
    without_token: change(6, 3, 0, 3),
  });
  assert.equal((await service.request('GET', '/c/records/')).json<[]>().length, 6, 'nothing is changed');
  const one = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const json = { ...one, ...POLICIES };
  assert.equal((await service.request('PUT', '/collections/c', { token: ADMIN, json })).status, 201);
  const moved = { ...POLICIES, policy_mapping: [of('ann', 'x', 'y', 'd'), of('bob', 'z'), of('guest', 'z')] };
  const { callers, others } = await dryRun(moved);
  assert.deepEqual(callers, [{ ...caller('bob'), ...change(3, 3, 1, 1) }]);
  assert.deepEqual(others, change(2, 2, 0, 0));
  const another = await dryRun({ policy_annotation_tag: 'lab:other', policy_mapping: [of('ann', 'x')] });
  assert.deepEqual(another.others, change(2, 5, 4, 1), 'records are read for another tag');
  assert.deepEqual((await dryRun({})).others, change(2, 6, 4, 0));
  const folder = mkdtempSync(join(tmpdir(), 'accession-reports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const policy_info_location = join(folder, 'policies.json');
  writeFileSync(policy_info_location, JSON.stringify({ default_policy: 'n', policy_annotation_tag: TAG }));
  assert.deepEqual((await dryRun({ policy_info_location })).others, change(2, 0, 0, 2));
  const missing = { token: ADMIN, json: { policy_info_location: `${policy_info_location}x` } };
  assert.equal((await service.request('POST', '/-/c/policies/dry-run', missing)).status, 400);
});
