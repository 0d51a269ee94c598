/** Collections whose names have slashes, dots, blanks or other characters: every endpoint finds them in both spellings. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';

const NAMES = [
  'a/b',
  'a/b/c',
  'x y',
  'ü/数据',
  'v1.2/d.o.t',
  'c/records/x',
  'c/record/x',
  'tokens/foo',
  'docs/x',
  'a%2Fb',
  'q?#/&',
];
const MODES = { w: 'WRITE_COLLECTION', cur: 'CURATOR' };

/** A name with plain slashes, and with escaped ones. */
function spellings(name: string): string[] {
  const escaped = encodeURIComponent(name);
  return [escaped.replaceAll('%2F', '/'), escaped];
}

/** Collections with directories that are not named after them. */
function apart(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(
    names.map((name, at) => [name, { curated: `d${at}/curated`, incoming: `d${at}/incoming` }]),
  );
}

function tokensFor(names: readonly string[]): Record<string, Record<string, string>> {
  const of = (mode: string) => Object.fromEntries(names.map((name) => [name, mode]));
  return Object.fromEntries(Object.entries(MODES).map(([token, mode]) => [token, of(mode)]));
}

const ROWS: readonly (readonly [
  status: number,
  method: string,
  path: string,
  token: string,
  contains: RegExp,
])[] = [
  [200, 'POST', '/C/record/Thing', 'w', /"pid":"labid:1"/],
  [200, 'POST', '/C/validate/record/Thing', 'w', /^true$/],
  [404, 'POST', '/C/record/Nothing', 'w', /has no class/],
  [200, 'GET', '/C/record?pid=labid:1', 'w', /"pid":"labid:1"/],
  [200, 'GET', '/C/records/', 'w', /^\[\{/],
  [200, 'GET', '/C/records/Thing', 'w', /^\[\{/],
  [200, 'GET', '/C/records/p/', 'w', /"total":1/],
  [200, 'GET', '/C/records/p/Thing', 'w', /"total":1/],
  [200, 'GET', '/C/records/p%2FThing', 'w', /"total":1/],
  [307, 'GET', '/C/records', 'w', /^$/],
  [307, 'GET', '/C/incoming', 'cur', /^$/],
  [405, 'PUT', '/C/records/', 'w', /PUT/],
  [200, 'GET', '/C/incoming/', 'cur', /"w"/],
  [200, 'GET', '/C/incoming/w/records/', 'cur', /^\[\{/],
  [200, 'GET', '/C/incoming/w/record?pid=labid:1', 'cur', /"pid":"labid:1"/],
  [404, 'GET', '/C/incoming/a%2Fw/records/', 'cur', /collection/],
  [200, 'POST', '/C/curated/record/Thing', 'cur', /^null$/],
  [200, 'GET', '/C/curated/records/p/Thing', 'cur', /"total":1/],
  [200, 'GET', '/-/C/history', 'cur', /"items":\[\{/],
  [200, 'GET', '/-/C/incoming/w/history', 'cur', /"items":\[\{/],
  [200, 'GET', '/-/C/classes', 'cur', /Thing/],
  [200, 'DELETE', '/C/curated/record?pid=labid:1', 'cur', /^true$/],
  [200, 'DELETE', '/C/record?pid=labid:1', 'w', /^true$/],
];

test('every kind of endpoint serves collections of all kinds of names, in both spellings', async (t) => {
  const service = await testApp(t, { collections: apart(NAMES), tokens: tokensFor(NAMES) });
  const ask = async (name: string, spelling: string) => {
    for (const [status, method, path, token, contains] of ROWS) {
      const body = method === 'POST' ? { json: { pid: 'labid:1' } } : {};
      const answer = await service.request(
        method,
        path.replace('C', () => spelling),
        { token, ...body },
      );
      assert.equal(answer.status, status, `${method} ${path} as ${spelling}: ${answer.text}`);
      assert.match(answer.text, contains, `${method} ${path} as ${spelling}`);
    }
    const { status, text } = await service.request('GET', `/collections/${spelling}`, { token: ADMIN });
    assert.equal(status, 200, text);
    assert.ok(text.includes(`"d${NAMES.indexOf(name)}/curated"`), text);
  };
  for (const name of NAMES) for (const spelling of spellings(name)) await ask(name, spelling);
});

test('maintenance and the description of the API have the names of collections as they are', async (t) => {
  const service = await testApp(t, { collections: apart(NAMES), tokens: tokensFor(NAMES) });
  const { paths } = (await service.request('GET', '/openapi.json')).json<{ paths: object }>();
  for (const name of NAMES) {
    const set = { json: { collection: name, active: true }, token: 'cur' };
    assert.equal((await service.request('POST', '/maintenance', set)).status, 200);
    assert.equal(
      (await service.request('GET', `/${spellings(name)[0]}/records/`, { token: 'w' })).status,
      503,
    );
    const template = name.replace(/[?#%]/g, encodeURIComponent);
    assert.ok(`/${template}/record/Thing` in paths, 'clients find the classes of a collection in the paths');
  }
});

test('administrators create, replace and delete a collection with slashes, whose Location leads to it', async (t) => {
  const service = await testApp(t, { collections: { lab: {} } });
  const lab = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  const json = { ...lab, name: 'team one/a', curated: 'd/curated', incoming: 'd/incoming' };
  const created = await service.request('POST', '/collections', { token: ADMIN, json });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.location, '/collections/team%20one%2Fa');
  assert.equal((await service.request('GET', created.headers.location, { token: ADMIN })).status, 200);
  const { name: _, ...unnamed } = json;
  for (const path of ['/collections/team%20one/a', '/collections/new/one']) {
    const replaced = await service.request('PUT', path, {
      token: ADMIN,
      json: path.endsWith('a') ? unnamed : { ...unnamed, curated: 'e/c', incoming: 'e/i' },
    });
    assert.equal(replaced.status, 201, replaced.text);
  }
  assert.equal(
    existsSync(join(service.store, 'team one')),
    false,
    'nothing on disk is named after a collection',
  );
  for (const path of ['/collections/team%20one/a', '/collections/new%2Fone'])
    assert.equal((await service.request('DELETE', path, { token: ADMIN })).status, 200);
  assert.equal((await service.request('GET', '/collections/team%20one/a', { token: ADMIN })).status, 404);
});

test('a token of a collection has no rights in one below it', async (t) => {
  const service = await testApp(t, { collections: { c: {}, 'c/d': {} }, tokens: { ann: { c: 'CURATOR' } } });
  assert.equal((await service.request('GET', '/c/records/', { token: 'ann' })).status, 200);
  assert.equal((await service.request('GET', '/c/d/records/', { token: 'ann' })).status, 401);
});

test('a path without a collection is 404, whatever its depth', async (t) => {
  const service = await testApp(t, { collections: { c: {} } });
  for (const path of [
    '/n/records/',
    '/n/m/records/',
    '/n%2Fm/records/',
    '/c/d/records/',
    '/-/n/m/history',
    '/n/m/record/p',
  ])
    assert.equal((await service.request('GET', path)).status, path.endsWith('p') ? 405 : 404, path);
  const moved = await service.request('GET', '/n%2Fm/records?format=ttl');
  assert.equal(moved.status, 307);
  assert.match(moved.headers.location ?? '', /\/n\/m\/records\/\?format=ttl$/);
});

test('names of a file that administration refuses are served where nothing hides them', async (t) => {
  const names = ['c', 'c/curated', 'e/curated', 'c/incoming/z', 'collections/foo', '-/x', '/y', 'n//m'];
  const service = await testApp(t, { collections: apart(names), tokens: tokensFor(names) });
  const store = (path: string, token: string, pid: string) =>
    service.request('POST', path, { token, json: { pid } });
  for (const path of ['e/curated', 'collections/foo', '-/x', '%2Fy', 'n//m']) {
    assert.equal((await store(`/${path}/record/Thing`, 'w', 'labid:1')).status, 200, path);
    assert.match((await service.request('GET', `/${path}/records/`, { token: 'w' })).text, /labid:1/, path);
  }
  assert.equal((await store('/c/curated/record/Thing', 'w', 'labid:1')).status, 403, 'the curated area of c');
});
