/** A store with record directories in a service without the module: its files stay as they are, and follow when it is back. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { exportStore } from '../../../test/support/export-store.ts';
import { person } from '../../../test/support/people.ts';
import { filesOf } from '../../../test/support/record-directory.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';
import { MODULES } from '../../modules.ts';
import { peer } from './module.ts';

const WITHOUT = MODULES.filter(({ name }) => name !== peer.name);
const CONFIGURATION = {
  collections: { c: { backend: { type: 'record_dir+stl', mapping_method: 'after-last-colon' } } },
  tokens: { cora: { c: 'CURATOR' } },
};
const curator = { token: 'cora' };

async function put({ request }: TestService, pid: string, name: string): Promise<void> {
  const answer = await request('POST', '/c/curated/record/Person', {
    ...curator,
    json: person(pid, { name }),
  });
  assert.equal(answer.status, 200, answer.text);
}

const healthOf = async ({ request }: TestService) =>
  (await request('GET', '/-/health')).json<{ status: string; problems?: string[] }>();

test('a service without the module leaves files as they are, and says so; they are the records when it is back', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const directory = join(service.store, 'c/curated');
  const read = (name: string) => readFileSync(join(directory, `Person/${name}.yaml`), 'utf8');
  for (const pid of ['kept', 'changed', 'removed', 'edited']) await put(service, pid, 'before');

  await service.restart({ modules: WITHOUT });
  const files = filesOf(directory);
  await put(service, 'changed', 'during');
  await put(service, 'made', 'during');
  assert.equal((await service.request('DELETE', '/c/curated/record?pid=labid:removed', curator)).status, 200);
  assert.deepEqual(filesOf(directory), files);
  const health = await healthOf(service);
  assert.equal(health.status, 'degraded');
  assert.match(JSON.stringify(health), /collection 'c': 1 fault/);
  writeFileSync(join(directory, 'Person/edited.yaml'), read('edited').replace('before', 'by hand'));

  await service.restart({ modules: MODULES });
  await eventually('files are as the records', async () => {
    assert.deepEqual(readdirSync(join(directory, 'Person')).sort(), [
      'changed.yaml',
      'edited.yaml',
      'kept.yaml',
      'made.yaml',
    ]);
    return /during/.test(read('changed')) && /during/.test(read('made'));
  });
  await eventually('the edit of a file is a change', async () => {
    const { text } = await service.request('GET', '/c/record?pid=labid:edited', curator);
    return /by hand/.test(text);
  });
  assert.equal((await healthOf(service)).status, 'ok');
});

test('commands refuse a store that only a service without the module has opened, and say what to do', async (t) => {
  const service = await testApp(t, CONFIGURATION, { modules: WITHOUT });
  for (const words of [
    ['check', service.store],
    ['export-store', service.store, join(scratch(t), 'out')],
  ]) {
    const { status, stderr } = await accession(words);
    assert.equal(status, 1);
    assert.match(stderr, /no tables of 'peer': start the service that owns the store first/);
  }
  await service.restart({ modules: MODULES });
  assert.equal((await accession(['check', service.store])).status, 0);
});

test('a service without the module starts on a new store, whose records have files when it is back', async (t) => {
  const service = await testApp(t, CONFIGURATION, { modules: WITHOUT });
  await put(service, 'first', 'during');
  assert.equal((await healthOf(service)).status, 'ok');
  await service.app.close();
  const database = sqliteAt(join(service.store, 'accession.db'), { readOnly: true });
  t.after(() => database.close());
  assert.deepEqual(database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'accession_file'").all(), []);
  await service.restart({ modules: MODULES });
  await eventually('the file is there', () =>
    [...filesOf(join(service.store, 'c/curated')).keys()].includes('Person/first.yaml'),
  );
});

test('a store that would have to be imported is refused without the module, and left as it is', async (t) => {
  const first = await testApp(t, CONFIGURATION);
  await put(first, 'one', 'before');
  await first.app.close();
  const store = exportStore(first.store);
  const before = readdirSync(store, { recursive: true }).sort();
  await assert.rejects(testApp(t, CONFIGURATION, { store, modules: WITHOUT }), {
    code: 'store_incompatible',
    message:
      /has a store of dump-things-service .* expected a service with a module that imports such stores/,
  });
  assert.deepEqual(readdirSync(store, { recursive: true }).sort(), before);
  const service = await testApp(t, CONFIGURATION, { store });
  assert.equal((await service.request('GET', '/c/record?pid=labid:one', curator)).status, 200);
});
