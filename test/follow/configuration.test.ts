/** Changes of the configuration apply to a process that only reads the store, too. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, LABORATORY, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { change, get, pair } from './pair.ts';

test('tokens, collections and maintenance are followed', async (t) => {
  const { owner, follower } = await pair(t, 'sqlite');
  const administer = (method: string, path: string, json?: unknown) =>
    change(owner, method, path, json, ADMIN);
  const status = async (path: string, token?: string) => (await get(follower, path, token)).status;
  assert.equal(await status('/lab/records/', 'reader'), 200);
  await administer('DELETE', '/tokens/reader');
  await eventually('a token is revoked', async () => (await status('/lab/records/', 'reader')) === 401);

  const schema = join(owner.store, 'schema.yaml');
  writeFileSync(schema, readFileSync(LABORATORY));
  const notes = {
    name: 'notes',
    schema,
    default_token: 'nobody',
    curated: 'notes/curated',
    incoming: 'notes/in',
    backend: { type: 'record_dir' },
  };
  await administer('POST', '/collections', notes);
  await administer('POST', '/tokens', {
    name: 'new',
    user_id: 'new',
    representation: 'new',
    collections: { notes: { mode: 'CURATOR', incoming_label: 'new' } },
  });
  await eventually('a collection is added', async () => (await status('/notes/records/', 'new')) === 200);
  await change(owner, 'POST', '/notes/record/Person', person('ada'), 'new');
  assert.match((await get(follower, '/notes/records/', 'new')).text, /labid:ada/);

  const lab = follower.app.registry.collection('lab');
  const known = follower.app.registry.collection('notes');
  writeFileSync(schema, readFileSync(LABORATORY, 'utf8').replaceAll('Person', 'Human'));
  await administer('PUT', '/collections', notes);
  await eventually(
    'a collection is set to what it was, with a changed schema',
    async () => (await status('/notes/records/Human', 'new')) === 200,
  );
  assert.notEqual(follower.app.registry.collection('notes'), known);
  assert.equal(follower.app.registry.collection('lab'), lab, 'a collection that was not set runs on');

  await change(owner, 'POST', '/maintenance', { collection: 'lab', active: true });
  await eventually('maintenance begins', async () => (await status('/lab/records/', 'writer')) === 503);
  await change(owner, 'POST', '/maintenance', { collection: 'lab', active: false });
  await eventually('maintenance ends', async () => (await status('/lab/records/', 'writer')) === 200);
  await administer('DELETE', '/collections/notes');
  await eventually('a collection is removed', async () => (await status('/notes/records/', 'new')) === 404);
  assert.equal(
    (await get(follower, '/-/history', ADMIN)).text,
    (await get(owner, '/-/history', ADMIN)).text,
    'the history of the configuration',
  );
});

test('a store without a configuration has nothing to follow', async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-empty-'));
  t.after(() => rmSync(store, { recursive: true }));
  await assert.rejects(testApp(t, {}, { store, readOnly: true }), {
    code: 'config_invalid',
    message: /start the service that owns it first/,
  });
  assert.deepEqual(readdirSync(store), [], 'and nothing is made in it');
});
