/** A store that has used audit logs, in a service without them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { exportStore } from '../../../test/support/export-store.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { person } from '../../../test/support/people.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';
import { MODULES } from '../../modules.ts';
import { audit } from './module.ts';
import { git, logged } from './parts.support.ts';

const WITHOUT = MODULES.filter(({ name }) => name !== audit.name);
/** The way to a store of the peer and back is in another module. */
const skip = lacks('peer');
const BACKEND = { type: 'gitaudit', path: 'c/audit', auto_flush_timeout: 1 };
const CONFIGURATION = {
  collections: { c: { audit_backends: [BACKEND] } },
  tokens: { cora: { c: 'CURATOR' } },
};
const admin = { token: ADMIN };
const curator = { token: 'cora' };

const shown = async ({ request }: TestService) =>
  (await request('GET', '/collections/c', admin)).json<Record<string, unknown>>();

async function put({ request }: TestService, pid: string, name = pid): Promise<void> {
  const answer = await request('POST', '/c/curated/record/Person', {
    ...curator,
    json: person(pid, { name }),
  });
  assert.equal(answer.status, 200, answer.text);
}

const headOf = (service: TestService, log: string) => git(join(service.store, log), 'rev-parse', 'master');

test('a service without audit logs keeps their configuration, and what it stores is in the logs when they are back', async (t) => {
  const service = await testApp(t, CONFIGURATION, { keepEntries: 30, modules: MODULES });
  const { request } = service;
  const logs = ['c/audit', '__dump_things__/config_audit'];
  const heads = () => Promise.all(logs.map((log) => headOf(service, log)));
  await put(service, 'before');

  await service.restart({ modules: WITHOUT });
  const before = await heads();
  const { audit_backends: hidden, ...others } = await shown(service);
  assert.equal(hidden, undefined);
  const set = (more: object) =>
    request('PUT', '/collections/c', { ...admin, json: { ...others, name: 'c', ...more } });
  assert.match((await set({ audit_backends: [BACKEND] })).text, /audit_backends.*unknown key/);
  assert.equal((await set({ use_classes: ['Person'] })).status, 201);
  for (const name of ['one', 'two', 'three']) await put(service, 'during', name);
  assert.equal((await request('DELETE', '/c/curated/record?pid=labid:before', curator)).status, 200);
  assert.equal((await request('GET', '/-/health')).json<{ status: string }>().status, 'ok');
  await service.app.close();
  const database = sqliteAt(join(service.store, 'accession.db'));
  database.exec('UPDATE accession_entry SET time = time - 31 * 86400000000 WHERE revision IN (2, 3)');
  database.close();
  // Entries that a log may need are kept, whatever their age.
  await service.restart({ modules: WITHOUT });
  assert.deepEqual(await heads(), before);

  await service.restart({ modules: MODULES });
  assert.deepEqual((await shown(service)).audit_backends, [BACKEND]);
  await put(service, 'after');
  const changes = (pid: string) => logged(join(service.store, 'c/audit'), pid);
  await eventually('the last change is logged', async () => (await changes('labid:after')).length === 1);
  assert.deepEqual(
    (await changes('labid:during')).map(({ record }) => record?.name),
    ['one', 'two', 'three'],
  );
  assert.deepEqual(
    (await changes('labid:before')).map(({ record }) => record?.name),
    ['before', undefined],
  );
  await service.app.close();
  assert.notEqual(await headOf(service, logs[1]!), before[1]);
});

test('a store of the peer is adopted without audit logs: its records are there, and its logs are followed when they are back', {
  skip,
}, async (t) => {
  const first = await testApp(t, CONFIGURATION);
  await put(first, 'before');
  await first.app.close();
  const store = exportStore(first.store);
  const service = await testApp(t, CONFIGURATION, { store, modules: WITHOUT });
  assert.equal((await service.request('GET', '/c/record?pid=labid:before', curator)).status, 200);
  assert.equal((await shown(service)).audit_backends, undefined);
  await service.restart({ modules: MODULES });
  assert.deepEqual((await shown(service)).audit_backends, [BACKEND]);
  await put(service, 'after');
  await service.app.close();
  const changes = await Promise.all(
    ['labid:before', 'labid:after'].map((pid) => logged(join(store, 'c/audit'), pid)),
  );
  assert.deepEqual(
    changes.map((of) => of.length),
    [1, 1],
  );
});
