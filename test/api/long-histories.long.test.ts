/** Long histories are answered with memory for a part of them: what a client does not read yet is not made yet. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ADMIN, type TestService, testApp } from '../support/app.ts';

const CONFIGURATION = {
  collections: {
    tables: { backend: { type: 'sqlite+stl' } },
    files: { backend: { type: 'record_dir+stl' } },
  },
  tokens: { cleo: { tables: 'CURATOR', files: 'CURATOR' } },
};
const VERSIONS = 12;

type Entry = {
  changes: { op: string; path: string; before?: string; after?: string }[];
  record: { name: string };
};

const nameOf = (n: number) => `${n} ${'é'.repeat(400_000)}`;

async function withVersions(t: TestContext, collection: string): Promise<TestService> {
  const service = await testApp(t, CONFIGURATION);
  for (let n = 0; n < VERSIONS; n++) {
    const json = { pid: 'labid:long', family_name: 'x', name: nameOf(n) };
    const stored = await service.request('POST', `/${collection}/curated/record/Person`, {
      token: 'cleo',
      json,
    });
    assert.equal(stored.status, 200, stored.text.slice(0, 200));
  }
  return service;
}

/** The answer as a client gets it that reads as it likes. */
async function opened({ app }: TestService, url: string, token: string): Promise<Readable> {
  const headers = { 'x-service-token': token };
  return (await app.server.inject({ url, headers, payloadAsStream: true })).stream();
}

async function read(stream: Readable): Promise<unknown> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

for (const collection of ['tables', 'files']) {
  test(`${collection}: the history of a long record is made while the client reads it, and is complete`, async (t) => {
    const service = await withVersions(t, collection);
    const { started } = service.app.pool;
    const stream = await opened(service, `/-/${collection}/history?pid=labid:long`, 'cleo');
    await once(stream, 'readable');
    const compared = service.app.pool.started - started;
    assert.ok(compared > 0 && compared < VERSIONS / 2, `${compared} versions were compared`);
    const history = (await read(stream)) as Entry[];
    assert.equal(history.length, VERSIONS);
    for (const [n, { record, changes }] of history.entries()) {
      assert.equal(record.name, nameOf(n));
      if (n > 0) {
        const change = { op: 'replace', path: '/name', before: nameOf(n - 1), after: nameOf(n) };
        assert.deepEqual(changes, [change]);
      }
    }
  });
}

test('pages of long changes end early, and together have all of them', async (t) => {
  const service = await withVersions(t, 'tables');
  const names: string[] = [];
  let pages = 0;
  for (let before = ''; ; pages++) {
    const answer = await service.request('GET', `/-/tables/history?size=100${before}`, { token: 'cleo' });
    const { items, next } = answer.json<{ items: Entry[]; next: number | null }>();
    names.push(...items.map(({ record }) => record.name));
    if (next === null) break;
    before = `&before=${next}`;
  }
  assert.deepEqual(
    names,
    Array.from({ length: VERSIONS }, (_, n) => nameOf(VERSIONS - 1 - n)),
  );
  assert.ok(pages > 0);
});

test('a client that stops to read a history leaves the service as it was', async (t) => {
  const service = await withVersions(t, 'tables');
  const stream = await opened(service, '/-/tables/history?pid=labid:long', 'cleo');
  await once(stream, 'readable');
  stream.destroy();
  const again = await opened(service, '/-/tables/history?pid=labid:long', 'cleo');
  assert.equal(((await read(again)) as Entry[]).length, VERSIONS);
});

test('pages of a long configuration end early, and together have every change without secrets', async (t) => {
  const names = Array.from({ length: 5000 }, (_, n) => `user${n}`);
  const service = await testApp(t, {
    collections: { tables: { backend: { type: 'sqlite+stl' } } },
    tokens: Object.fromEntries(names.map((name) => [name, { tables: 'WRITE_COLLECTION' }])),
  });
  const edits = 8;
  for (let n = 0; n < edits; n++) {
    const json = { name: 'edited', representation: `${n}`.padStart(64, 'abc') };
    const edited = await service.request('PUT', '/admin_tokens/edited', { token: ADMIN, json });
    assert.equal(edited.status, 201);
  }
  const history: Entry[] = [];
  let pages = 0;
  for (let before = ''; ; pages++) {
    const answer = await service.request('GET', `/-/history${before}`, { token: ADMIN });
    assert.ok(answer.text.length < 8_000_000);
    assert.ok(!answer.text.includes('abcabc'));
    const { items, next } = answer.json<{ items: Entry[]; next: number | null }>();
    history.push(...items);
    if (next === null) break;
    before = `?before=${next}`;
  }
  assert.ok(pages > 0);
  assert.equal(history.length, edits + 1);
  assert.deepEqual(history[0]?.changes, [
    { op: 'replace', path: '/admin_tokens/edited/representation', before: '***', after: '***' },
  ]);
});
