/** Audit logs of a running service: what administrators configure, and what is in the repository. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN, LABORATORY, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';
import { longTest, test } from '../../../test/support/tier.ts';
import { MODULES } from '../../modules.ts';
import { git } from './parts.support.ts';

const logAt = (path: string) => ({ type: 'gitaudit', path });

const CONFIGURATION = {
  collections: { c: { audit_backends: [logAt('c/audit')] }, plain: {} },
  tokens: { curator: { c: 'CURATOR', plain: 'CURATOR' } },
};
const curator = { token: 'curator' };
const admin = { token: ADMIN };

type Entry = { readonly time_stamp: string };

/** A collection that is sent by administrators. */
const notes = (more: object = {}) => ({
  name: 'notes',
  schema: LABORATORY,
  default_token: 'none',
  curated: 'notes/curated',
  incoming: 'notes/incoming',
  ...more,
});

test('a collection has no audit logs by default, and its logs are shown with their defaults', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const shown = async (name: string) =>
    (await request('GET', `/collections/${name}`, admin)).json<{ audit_backends: unknown }>().audit_backends;
  assert.deepEqual(await shown('plain'), []);
  assert.deepEqual(await shown('c'), [{ ...logAt('c/audit'), auto_flush_timeout: 60 }]);
});

test('an audit log is in the store, and in no area of a collection', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const put = (more: object) => request('PUT', '/collections', { ...admin, json: notes(more) });
  const out = await put({ audit_backends: [logAt('../a')] });
  assert.equal(out.status, 406, out.text);
  assert.match(out.text, /leads out of the store/);
  for (const places of [
    { curated: 'c/audit/records' },
    { incoming: 'c/audit' },
    { audit_backends: [logAt('c/curated/audit')] },
    { audit_backends: [logAt('c/audit/more')] },
  ])
    assert.equal((await put(places)).status, 422, JSON.stringify(places));
  assert.equal((await put({})).status, 201);
});

test('a collection whose log cannot be opened leaves nothing behind', async (t) => {
  const { request, store } = await testApp(t, CONFIGURATION);
  mkdirSync(join(store, 'taken'));
  writeFileSync(join(store, 'taken/file'), 'not an audit log');
  const before = readdirSync(store);
  const post = (more: object) => request('POST', '/collections', { ...admin, json: notes(more) });
  const refused = await post({ audit_backends: [logAt('notes/audit'), logAt('taken')] });
  assert.equal(refused.status, 400, refused.text);
  assert.deepEqual(readdirSync(store), before);
  assert.deepEqual(readdirSync(join(store, 'taken')), ['file']);
  assert.equal((await post({ backend: 'sqlite' })).status, 201);
});

test('metrics have the changes that a log lacks', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  await request('POST', '/c/curated/record/Person', { ...curator, json: person('a') });
  const { text } = await request('GET', '/-/metrics', admin);
  assert.match(text, /^accession_audit_backlog\{collection="c"\} [01]$/m);
  assert.match(text, /^accession_audit_backlog\{collection="plain"\} 0$/m);
});

test('entries older than --keep-entries go, and the log of the area has them', async (t) => {
  const service = await testApp(t, CONFIGURATION, { keepEntries: 30 });
  const { request } = service;
  for (const collection of ['c', 'plain']) {
    for (const name of ['a', 'b', 'c']) {
      await request('POST', `/${collection}/curated/record/Person`, {
        ...curator,
        json: person('a', { name }),
      });
    }
  }
  await service.app.close();
  const database = sqliteAt(join(service.store, 'accession.db'));
  database.exec('UPDATE accession_entry SET time = time - 31 * 86400000000 WHERE revision < 3');
  database.close();
  await service.restart();
  const lengths = async () => {
    const all = [];
    for (const collection of ['c', 'plain']) {
      const history = await request('GET', `/-/${collection}/history?pid=labid:a`, curator);
      all.push(history.json<Entry[]>().length);
    }
    return all;
  };
  await eventually('both have both', async () => (await lengths()).every((length) => length === 2));
  const log = join(service.store, 'c/audit');
  assert.match(await git(log, 'grep', '--count', 'time_stamp', 'master', '--', '*.log'), /:3\n$/);
});

test('a log belongs to one collection, which can be replaced while it is in use', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const { name: _, ...c } = (await request('GET', '/collections/c', admin)).json<{ name: string }>();
  await request('POST', '/c/curated/record/Person', { ...curator, json: person('a') });
  const other = await request('POST', '/collections', {
    ...admin,
    json: { ...c, name: 'other', curated: 'other' },
  });
  assert.equal(other.status, 400);
  assert.match(other.text, /belongs to the collection 'c'. Give 'other' a separate path/);
  const replaced = await request('PUT', '/collections/c', {
    ...admin,
    json: { ...c, name: 'c', ignore_classes: ['Event'] },
  });
  assert.equal(replaced.status, 201);
  await request('POST', '/c/curated/record/Person', { ...curator, json: person('a', { name: 'new' }) });
  assert.equal((await request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>().length, 2);
});

test('entries, and changes of the configuration, are in their repositories when the service has stopped', async (t) => {
  const service = await testApp(t, CONFIGURATION, { modules: MODULES });
  await service.request('POST', '/c/curated/record/Person', { ...curator, json: person('a') });
  assert.equal((await service.request('PUT', '/collections', { ...admin, json: notes() })).status, 201);
  await service.restart();
  const history = (await service.request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>();
  assert.equal(history.length, 1);
  const subjects = (log: string) => git(join(service.store, log), 'log', '--format=%s', 'master');
  assert.match(await subjects('c/audit'), /^Add .*\nadd README.txt\n$/);
  assert.match(await subjects('__dump_things__/config_audit'), /^Update .*\nAdd .*\nadd README.txt\n$/);
});

longTest('a locked repository is reported by the health, keeps every entry, and catches up', async (t) => {
  const audit = { ...logAt('c/audit'), auto_flush_timeout: 1 };
  const configuration = {
    ...CONFIGURATION,
    collections: { c: { audit_backends: [audit] } },
    tokens: { curator: { c: 'CURATOR' } },
  };
  const service = await testApp(t, configuration);
  const { request } = service;
  await request('POST', '/c/curated/record/Person', { ...curator, json: person('a') });
  await service.restart();
  const lock = join(service.store, 'c/audit/refs/heads/master.lock');
  writeFileSync(lock, '');
  const stored = await request('POST', '/c/curated/record/Person', {
    ...curator,
    json: person('a', { name: 'b' }),
  });
  assert.equal(stored.status, 200);
  const health = () =>
    request('GET', '/-/health').then((answer) => answer.json<{ status: string; problems?: string[] }>());
  await eventually('a degraded service', async () => (await health()).status === 'degraded');
  assert.match(
    (await health()).problems?.join() ?? '',
    /^collection 'c': audit entries are missing in the repository/,
  );
  assert.equal((await request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>().length, 2);
  rmSync(lock);
  await service.restart();
  assert.equal((await health()).status, 'ok');
  assert.equal((await request('GET', '/-/c/history?pid=labid:a', curator)).json<Entry[]>().length, 2);
});
