/** When collections read their schemas: once for an address, at the start and when an administrator asks for it. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, LABORATORY, type TestService, testApp } from '../support/app.ts';

const asAdmin = { headers: { 'x-service-token': ADMIN } };

function schemaOf(service: TestService, collection: string) {
  return service.app.registry.collection(collection).schema;
}

test('collections with the same schema address share the opened schema', async (t) => {
  const service = await testApp(t, { collections: { one: {}, two: {} } });
  assert.equal(schemaOf(service, 'one'), schemaOf(service, 'two'));
});

test('a changed schema is taken when its collection is put again, and not before', async (t) => {
  const service = await testApp(t, {});
  const file = join(service.store, 'schema.yaml');
  copyFileSync(LABORATORY, file);
  const notes = { name: 'notes', schema: file, default_token: 'nobody', curated: 'own/curated' };
  const put = async () => {
    const answer = await service.request('PUT', '/collections/notes', { ...asAdmin, json: notes });
    assert.equal(answer.status, 201, answer.text);
  };
  await put();
  const before = schemaOf(service, 'notes');
  await put();
  assert.equal(schemaOf(service, 'notes'), before, 'the same file is the same schema');

  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('\n  Project:', '\n  Proposal:\n    is_a: Thing\n  Project:'),
  );
  const token = { name: 'ann', user_id: 'ann', collections: { notes: { mode: 'READ_CURATED' } } };
  const created = await service.request('POST', '/tokens', { ...asAdmin, json: token });
  assert.equal(created.status, 201, created.text);
  assert.equal(schemaOf(service, 'notes'), before, 'another change leaves the schema alone');
  await put();
  assert.ok(schemaOf(service, 'notes').recordClasses.includes('Proposal'));
});

test('the service starts with its copy of a remote schema while the host is down', async (t) => {
  const text = readFileSync(LABORATORY);
  const host = createServer((_request, response) => response.end(text));
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
  t.after(() => host.close());
  const schema = `http://127.0.0.1:${(host.address() as AddressInfo).port}/laboratory.yaml`;
  const service = await testApp(t, { collections: { notes: { schema } } });
  host.closeAllConnections();
  await new Promise((done) => host.close(done));
  await service.restart();
  assert.ok(schemaOf(service, 'notes').recordClasses.includes('Project'));
});

test('the text of a schema is kept for a collection that is created with it, and refused if it has faults', async (t) => {
  const service = await testApp(t, {});
  const keep = (schema: string) => service.request('POST', '/-/schemas', { ...asAdmin, json: { schema } });
  const kept = await keep(readFileSync(LABORATORY, 'utf8'));
  assert.equal(kept.status, 200, kept.text);
  const { address } = kept.json<{ address: string }>();
  const notes = { name: 'notes', schema: address, default_token: 'nobody', curated: 'own/curated' };
  const created = await service.request('POST', '/collections', { ...asAdmin, json: notes });
  assert.equal(created.status, 201, created.text);
  assert.ok(schemaOf(service, 'notes').classes.has('Person'));
  const faulty = await keep('id: https://example.org/x\nname: x\nclasses:\n  Person:\n    is_a: Agent\n');
  assert.equal(faulty.status, 422);
  assert.match(faulty.text, /Agent/);
  assert.equal((await keep('classes: [')).status, 422);
});

test('a token is deleted while a schema or policy information that an edit needs does not arrive', async (t) => {
  const service = await testApp(t, {
    collections: { c: {} },
    tokens: { ann: { c: 'CURATOR' }, bob: { c: 'CURATOR' } },
  });
  const asked = new Set<string>();
  const silent = createServer(({ url = '' }) => asked.add(url));
  await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
  t.after(() => silent.close());
  const host = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const collection = { default_token: 'nobody', schema: LABORATORY };
  for (const [path, token, status, more] of [
    ['/schema.yaml', 'ann', 422, { schema: `${host}/schema.yaml` }],
    ['/policies.json', 'bob', 400, { policy_info_location: `${host}/policies.json` }],
  ] as const) {
    const json = { ...collection, ...more, name: token, curated: token };
    let isDone = false;
    const edit = service.request('POST', '/collections', { ...asAdmin, json }).finally(() => {
      isDone = true;
    });
    while (!asked.has(path)) await new Promise(setImmediate);
    assert.equal((await service.request('DELETE', `/tokens/${token}`, asAdmin)).status, 200);
    assert.ok(!isDone);
    assert.equal((await service.request('GET', '/c/records/', { token })).status, 401);
    silent.closeAllConnections();
    assert.equal((await edit).status, status);
  }
});
