/** A collection that can't be opened does not keep the others from being served. */

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JobStatus } from '../../src/core/work/jobs.ts';
import { ADMIN, LABORATORY, type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

async function withBrokenSchema(t: Parameters<typeof testApp>[0]) {
  const service = await testApp(t, {
    collections: { good: {}, broken: { default_token: 'ann' } },
    tokens: {
      ann: { good: 'WRITE_COLLECTION', broken: 'WRITE_COLLECTION' },
      cleo: { broken: 'CURATOR' },
    },
  });
  const file = join(service.store, 'schema.yaml');
  copyFileSync(LABORATORY, file);
  const config = (await service.request('GET', '/collections/broken', { token: ADMIN })).json<object>();
  const json = { ...config, schema: file, curated: 'own/curated', incoming: 'own/incoming' };
  const put = () => service.request('PUT', '/collections/broken', { token: ADMIN, json });
  assert.equal((await put()).status, 201);
  renameSync(file, `${file}.away`);
  await service.restart();
  return { ...service, request: service.request, service, file, put };
}

/** The collections that are retried, with the states of their jobs. */
async function retries(request: TestService['request']): Promise<[string | undefined, string][]> {
  const status = await request('GET', '/-/status', { token: ADMIN });
  const { jobs } = status.json<{ jobs: JobStatus[] }>();
  return jobs.filter(({ name }) => name === 'open').map(({ collection, state }) => [collection, state]);
}

test('the others are served, and the broken one answers 503, with the cause for those who can mend it', async (t) => {
  const { request } = await withBrokenSchema(t);
  const stored = await request('POST', '/good/record/Person', { token: 'ann', json: person('a') });
  assert.equal(stored.status, 200, stored.text);
  for (const [token, cause] of [
    ['ann', false],
    [undefined, false],
    ['cleo', true],
    [ADMIN, true],
  ] as const) {
    const { status, text } = await request('GET', '/broken/records/', { token });
    assert.equal(status, 503, `${token}: ${text}`);
    assert.equal(text.includes('schema.yaml'), cause, `${token}: ${text}`);
  }
  assert.equal((await request('GET', '/broken/records/', { token: 'stranger' })).status, 401);
  const ready = await request('GET', '/-/ready');
  assert.deepEqual(ready.json(), { status: 'ready', collections: 1, unavailable: ['broken'] });
  const explained = (await request('GET', '/-/ready', { token: ADMIN })).json<{ reasons: object }>();
  assert.match(JSON.stringify(explained.reasons), /^{"broken":".*schema\.yaml does not exist/);
  assert.equal(
    (await request('GET', '/-/ready', { token: 'cleo' })).json<{ reasons?: object }>().reasons,
    undefined,
  );
  assert.match((await request('GET', '/-/health')).text, /"degraded".*collection 'broken': not available/);
  assert.deepEqual(await retries(request), [['broken', 'waiting']]);
});

test('a service that can open none of its collections is not ready, and a new one without collections is', async (t) => {
  const { request, service } = await withBrokenSchema(t);
  assert.equal((await request('DELETE', '/collections/good', { token: ADMIN })).status, 200);
  const ready = await request('GET', '/-/ready');
  assert.equal(ready.status, 503, ready.text);
  assert.match(ready.text, /no collection can be opened \(broken\)/);
  assert.doesNotMatch(ready.text, /schema\.yaml/);
  assert.match((await request('GET', '/-/ready', { token: ADMIN })).text, /schema\.yaml does not exist/);
  assert.equal((await request('DELETE', '/collections/broken', { token: ADMIN })).status, 200);
  assert.deepEqual((await service.request('GET', '/-/ready')).json(), { status: 'ready', collections: 0 });
});

test('it is served again when it is retried, or put again, and can be deleted', async (t) => {
  const { request, service, file, put } = await withBrokenSchema(t);
  renameSync(`${file}.away`, file);
  await service.app.registry.reopen('broken');
  assert.equal((await request('GET', '/broken/records/')).status, 200);
  assert.deepEqual(await retries(request), []);
  renameSync(file, `${file}.away`);
  await service.restart();
  assert.equal((await put()).status, 422, 'an edit is refused with the cause');
  assert.equal((await request('GET', '/broken/records/')).status, 503);
  renameSync(`${file}.away`, file);
  assert.equal((await put()).status, 201);
  assert.equal((await request('GET', '/broken/records/')).status, 200);
  renameSync(file, `${file}.away`);
  await service.restart();
  // Other changes leave it as it is.
  const json = { name: 'x', user_id: 'x', collections: {} };
  assert.equal((await request('POST', '/tokens', { token: ADMIN, json })).status, 201);
  assert.equal((await request('GET', '/broken/records/')).status, 503);
  assert.equal((await request('DELETE', '/collections/broken', { token: ADMIN })).status, 200);
  assert.equal((await request('GET', '/broken/records/')).status, 404);
});

test('a collection whose path is a file is refused with 422', async (t) => {
  const { request, store } = await testApp(t, { collections: { good: {} } });
  writeFileSync(join(store, 'notes.txt'), '');
  const payload = { name: 'x', schema: LABORATORY, default_token: 'nobody', curated: 'x/curated' };
  for (const paths of [{ curated: 'notes.txt' }, { incoming: 'notes.txt' }]) {
    const json = { ...payload, ...paths };
    const { status, text } = await request('POST', '/collections', { token: ADMIN, json });
    assert.equal(status, 422, text);
    assert.match(text, /"notes.txt\\" is a file, expected a directory/);
  }
});

test('an entity tag changes with the schema', async (t) => {
  const service = await testApp(t, { tokens: { ann: {} } });
  const file = join(service.store, 'schema.yaml');
  copyFileSync(LABORATORY, file);
  const notes = { name: 'notes', schema: file, default_token: 'ann', curated: 'n/curated', incoming: 'n/in' };
  const put = () => service.request('PUT', '/collections/notes', { token: ADMIN, json: notes });
  await put();
  const token = {
    user_id: 'ann',
    representation: 'ann',
    collections: { notes: { mode: 'WRITE_COLLECTION', incoming_label: 'ann' } },
  };
  await service.request('PUT', '/tokens/ann', { token: ADMIN, json: token });
  const stored = await service.request('POST', '/notes/record/Person', { token: 'ann', json: person('a') });
  const headers = { 'if-none-match': stored.headers.etag ?? '' };
  const read = () => service.request('GET', '/notes/record?pid=labid:a', { token: 'ann', headers });
  assert.equal((await read()).status, 304);
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n# changed\n`);
  await put();
  assert.equal((await read()).status, 200);
});
