/** Inboxes that curators make by storing into them (peer release 6.4), and labels that lead nowhere. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';

for (const type of ['record_dir+stl', 'sqlite']) {
  test(`with ${type}, only a store makes the inbox of an unknown label`, async (t) => {
    const service = await testApp(t, {
      collections: { lab: { backend: { type } } },
      tokens: { cur: { lab: 'CURATOR' }, ann: { lab: 'WRITE_COLLECTION' } },
    });
    const zone = '/lab/incoming/in box';
    const ask = async (method: string, path: string, token = 'cur', json?: object) => {
      const { status, text } = await service.request(method, encodeURI(zone + path), {
        token,
        ...(json && { json }),
      });
      return `${status} ${text.startsWith('{"detail"') ? '' : text}`;
    };
    assert.equal(await ask('GET', '/records/'), '200 []');
    assert.equal(await ask('GET', '/records/Thing'), '200 []');
    assert.match(await ask('GET', '/records/p/'), /^200 .*"total":0/);
    assert.equal(await ask('GET', '/record?pid=labid:1'), '200 null');
    assert.equal(await ask('DELETE', '/record?pid=labid:1'), '404 ');
    assert.equal(await ask('POST', '/record/Thing', 'cur', { pid: 'no pid' }), '400 ');
    assert.equal(await ask('POST', '/record/Nothing', 'cur', { pid: 'labid:1' }), '404 ');
    assert.equal(await ask('POST', '/record/Thing', 'ann', { pid: 'labid:1' }), '403 ');
    assert.equal(await ask('POST', '/record/Thing', 'unknown', { pid: 'labid:1' }), '401 ');
    const labels = async () =>
      (await service.request('GET', '/lab/incoming/', { token: 'cur' })).json<string[]>();
    assert.deepEqual(await labels(), ['ann', 'cur']);
    assert.equal(await ask('POST', '/record/Thing', 'cur', { pid: 'labid:1' }), '200 null');
    assert.deepEqual(await labels(), ['ann', 'cur', 'in box']);
    const json = {
      name: 'bob',
      user_id: 'bob',
      representation: 'bob',
      collections: { lab: { mode: 'WRITE_COLLECTION', incoming_label: 'in box' } },
    };
    assert.equal((await service.request('POST', '/tokens', { token: ADMIN, json })).status, 201);
    assert.match(
      (await service.request('GET', '/lab/records/', { token: 'bob' })).text,
      /labid:1/,
      'of a token that gets the label',
    );
    await service.restart();
    assert.deepEqual(await labels(), ['ann', 'cur', 'in box']);
  });
}

test('labels that are not plain names are refused, and nothing is written', async (t) => {
  const service = await testApp(t, { collections: { lab: {} }, tokens: { cur: { lab: 'CURATOR' } } });
  const before = filesOf(service.store);
  for (const label of [
    '...',
    '.git',
    '..\\..\\x',
    'a\\b',
    'a\0b',
    'a\nb',
    'x'.repeat(256),
    '../x',
    '../../x',
    'a/b',
  ]) {
    const escaped = encodeURIComponent(label).replaceAll('.', '%2E');
    for (const [method, rest] of [
      ['POST', 'record/Thing'],
      ['GET', 'records/'],
      ['GET', 'record?pid=labid:1'],
      ['DELETE', 'record?pid=labid:1'],
    ] as const) {
      const body = method === 'POST' ? { json: { pid: 'labid:1' } } : {};
      const { status } = await service.request(method, `/lab/incoming/${escaped}/${rest}`, {
        token: 'cur',
        ...body,
      });
      assert.equal(status, 404, `${method} ${JSON.stringify(label)}`);
    }
    const json = { name: 'x', user_id: 'x', collections: { lab: { mode: 'SUBMIT', incoming_label: label } } };
    assert.equal(
      (await service.request('POST', '/tokens', { token: ADMIN, json })).status,
      422,
      JSON.stringify(label),
    );
  }
  assert.deepEqual(filesOf(service.store), before);
});

test('a collection without incoming zones has none for any label', async (t) => {
  const service = await testApp(t, {
    collections: { lab: { incoming: null } },
    tokens: { cur: { lab: 'CURATOR' } },
  });
  for (const [method, rest] of [
    ['POST', 'record/Thing'],
    ['GET', 'records/'],
  ] as const) {
    const body = method === 'POST' ? { json: { pid: 'labid:1' } } : {};
    const { status } = await service.request(method, `/lab/incoming/x/${rest}`, { token: 'cur', ...body });
    assert.equal(status, 404);
  }
});

/** The files and folders that are not of the database. */
function filesOf(store: string): string[] {
  return [...readdirSync(store, { recursive: true, encoding: 'utf8' }), ...readdirSync(join(store, '..'))]
    .filter((path) => !path.startsWith('accession.db'))
    .sort();
}
