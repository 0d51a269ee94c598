/** Every mode of a token, and none, on every endpoint of a collection (specification 4.1, 4.2 and 5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../support/app.ts';

/** What a mode grants: read curated, read own zone, write own zone, curate. */
const MODES = {
  READ_CURATED: 'r...',
  READ_COLLECTION: 'rr..',
  WRITE_COLLECTION: 'rrw.',
  READ_SUBMISSIONS: '.r..',
  WRITE_SUBMISSIONS: '.rw.',
  WRITE_INCOMING: '.rw.',
  SUBMIT: 'r.w.',
  SUBMIT_ONLY: '..w.',
  NOTHING: '....',
  CURATOR: 'rrwc',
} as const;

type Need = 'read' | 'write' | 'curate' | 'curate, else 400' | 'nothing';
type Endpoint = readonly [method: string, path: string, need: Need, body?: object];

const person = (name: string) => ({ pid: `labid:${name}`, name, family_name: name });

/**
 * From the specification, not from the rows of the service, and with requests that succeed. In this order: a delete comes after the
 * store that it undoes.
 */
const ENDPOINTS: readonly Endpoint[] = [
  ['POST', '/c/record/Person', 'write', person('a')],
  ['POST', '/c/validate/record/Person', 'write', person('a')],
  ['POST', '/c/validate/Person', 'write', person('a')],
  ['GET', '/c/records/Person', 'read'],
  ['GET', '/c/records/p/Person', 'read'],
  ['GET', '/c/records/', 'read'],
  ['GET', '/c/records/p/', 'read'],
  ['GET', '/c/record?pid=labid:a', 'read'],
  ['GET', '/-/c/export', 'read'],
  ['POST', '/-/c/records/Person', 'write', [person('a')]],
  ['POST', '/-/c/validate/records/Person', 'write', [person('a')]],
  ['DELETE', '/c/record?pid=labid:a', 'write'],
  ['POST', '/c/curated/record/Person', 'curate', person('b')],
  ['GET', '/c/curated/records/Person', 'curate'],
  ['GET', '/c/curated/records/p/Person', 'curate'],
  ['GET', '/c/curated/records/', 'curate'],
  ['GET', '/c/curated/records/p/', 'curate'],
  ['GET', '/c/curated/record?pid=labid:b', 'curate'],
  ['GET', '/-/c/curated/export', 'curate'],
  ['POST', '/-/c/curated/records/Person', 'curate', [person('b')]],
  ['POST', '/-/c/curated/validate/records/Person', 'curate', [person('b')]],
  ['DELETE', '/c/curated/record?pid=labid:b', 'curate'],
  ['GET', '/c/incoming/', 'curate'],
  ['POST', '/c/incoming/zone/record/Person', 'curate', person('c')],
  ['GET', '/c/incoming/zone/records/Person', 'curate'],
  ['GET', '/c/incoming/zone/records/p/Person', 'curate'],
  ['GET', '/c/incoming/zone/records/', 'curate'],
  ['GET', '/c/incoming/zone/records/p/', 'curate'],
  ['GET', '/c/incoming/zone/record?pid=labid:c', 'curate'],
  ['GET', '/-/c/incoming/zone/export', 'curate'],
  ['POST', '/-/c/incoming/zone/records/Person', 'curate', [person('c')]],
  ['POST', '/-/c/incoming/zone/validate/records/Person', 'curate', [person('c')]],
  ['DELETE', '/c/incoming/zone/record?pid=labid:c', 'curate'],
  ['POST', '/maintenance', 'curate, else 400', { collection: 'c', active: false }],
  ['GET', '/server', 'nothing'],
];

function allows(letters: string, need: Need): boolean {
  const [readCurated, readZone, writeZone, curate] = [...letters].map((letter) => letter !== '.');
  if (need === 'read') return readCurated === true || readZone === true;
  if (need === 'write') return writeZone === true;
  return need === 'nothing' || curate === true;
}

function refusal(need: Need): number {
  return need === 'curate, else 400' ? 400 : 403;
}

/** The tokens of a test: one for each mode, and one whose zone the curation endpoints are tried on. */
const tokens = {
  ...Object.fromEntries(Object.keys(MODES).map((mode) => [mode, { c: mode }])),
  zone: { c: 'WRITE_COLLECTION' },
};

test('each mode is accepted by exactly the endpoints that it grants', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens });
  for (const [mode, letters] of Object.entries(MODES)) {
    for (const [method, path, need, json] of ENDPOINTS) {
      const { status, text } = await service.request(method, path, { token: mode, json });
      const expected = allows(letters, need) ? 200 : refusal(need);
      assert.equal(status, expected, `${mode} ${method} ${path}: ${text}`);
    }
  }
});

test('without a token the default token applies, except to curation endpoints', async (t) => {
  const service = await testApp(t, {
    collections: Object.fromEntries(Object.keys(MODES).map((mode) => [mode, { default_token: mode }])),
    tokens: Object.fromEntries(
      Object.entries(tokens).map(([name, { c }]) => [
        name,
        Object.fromEntries(Object.keys(MODES).map((mode) => [mode, c])),
      ]),
    ),
  });
  for (const [mode, letters] of Object.entries(MODES)) {
    for (const [method, path, need, body] of ENDPOINTS) {
      const url = path.replace('/c/', `/${mode}/`);
      const json = path === '/maintenance' ? { ...body, collection: mode } : body;
      const { status, text } = await service.request(method, url, { json });
      const expected =
        need === 'curate' ? 401 : need === 'curate, else 400' ? 400 : allows(letters, need) ? 200 : 403;
      assert.equal(status, expected, `default ${mode} ${method} ${path}: ${text}`);
    }
  }
});

test('the user permissions of the default token are added to those of every token', async (t) => {
  const service = await testApp(t, { collections: { c: { default_token: 'READ_CURATED' } }, tokens });
  for (const [mode, letters] of Object.entries(MODES)) {
    const widened = `r${letters.slice(1)}`;
    for (const [method, path, need, json] of ENDPOINTS) {
      const { status, text } = await service.request(method, path, { token: mode, json });
      const expected = allows(widened, need) ? 200 : refusal(need);
      assert.equal(status, expected, `${mode} over READ_CURATED, ${method} ${path}: ${text}`);
    }
  }
});

test('an unknown token is refused on every endpoint of a collection, whatever the default token grants', async (t) => {
  const service = await testApp(t, { collections: { c: { default_token: 'CURATOR' } }, tokens });
  for (const [method, path, need, json] of ENDPOINTS) {
    const { status, text } = await service.request(method, path, { token: 'stranger', json });
    assert.equal(status, need === 'nothing' ? 200 : 401, `${method} ${path}: ${text}`);
    assert.ok(!text.includes('stranger'), 'the answer repeats the token');
  }
});

test('in maintenance mode every endpoint is open to curators only', async (t) => {
  const service = await testApp(t, { collections: { c: { default_token: 'READ_CURATED' } }, tokens });
  const maintenance = (active: boolean) =>
    service.request('POST', '/maintenance', { token: 'CURATOR', json: { collection: 'c', active } });
  assert.equal((await maintenance(true)).status, 200);
  for (const token of [...Object.keys(MODES), undefined]) {
    for (const [method, path, need, json] of ENDPOINTS) {
      if (path === '/maintenance') continue;
      const { status, text } = await service.request(method, path, { token, json });
      const open = token === 'CURATOR' || need === 'nothing';
      const expected = open ? 200 : token === undefined && need === 'curate' ? 401 : 503;
      assert.equal(status, expected, `${token} ${method} ${path}: ${text}`);
    }
  }
  assert.equal((await maintenance(false)).status, 200);
  assert.equal((await service.request('GET', '/c/records/')).status, 200);
});

test('where a collection has no zones, a token with a label reads the curated area', async (t) => {
  const { request } = await testApp(t, {
    collections: { c: { incoming: null } },
    tokens: { both: { c: 'READ_COLLECTION' }, zone: { c: 'READ_SUBMISSIONS' } },
  });
  for (const [token, status] of [
    ['both', 200],
    ['zone', 403],
  ] as const) {
    for (const path of ['/c/records/', '/c/records/p/', '/c/record?pid=labid:a', '/-/c/export'])
      assert.equal((await request('GET', path, { token })).status, status, `${token} ${path}`);
    assert.equal((await request('POST', '/c/record/Person', { token, json: person('a') })).status, 403);
  }
});
