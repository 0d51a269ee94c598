/** Collections that are made again over the directories of deleted ones, with and without an audit log, as the peer does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { ADMIN, LABORATORY, type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { person } from '../../../test/support/people.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';
import { ofTier } from '../../../test/support/tier.ts';

/** With files and without, with `schema_type` and without. */
const BACKENDS = ofTier(['record_dir+stl', 'record_dir', 'sqlite', 'sqlite+stl']);
/** The way to a store of the peer and back is in another module. */
const skip = lacks('peer');
const NAMES = BACKENDS.flatMap((type) => [`${type} logged`, type]);
const isLogged = (name: string) => name.endsWith('logged');

const configOf = (name: string) => ({
  schema: LABORATORY,
  default_token: 'nobody',
  curated: `${name}/curated`,
  incoming: `${name}/incoming`,
  backend: { type: name.split(' ')[0]! },
  audit_backends: isLogged(name) ? [{ type: 'gitaudit', path: `${name}/audit`, auto_flush_timeout: 1 }] : [],
});
const TOKENS = { cur: Object.fromEntries(NAMES.map((name) => [name, 'CURATOR'])) };

const curated = (name: string) => `/${encodeURIComponent(name)}/curated`;
async function recordsOf({ request }: TestService, name: string) {
  const answer = await request('GET', `${curated(name)}/records/`, { token: 'cur' });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ pid: string }[]>();
}

const gitIn = (store: string, name: string, ...args: string[]) =>
  execFileSync('git', ['-C', join(store, name, 'audit'), ...args], { encoding: 'utf8' }).trim();
const filesIn = (store: string, name: string) =>
  gitIn(store, name, 'ls-tree', '-r', '--name-only', 'master').split('\n');
const headOf = (store: string, name: string) => gitIn(store, name, 'rev-parse', 'master');

async function create({ request }: TestService, name: string) {
  return request('POST', '/collections', { token: ADMIN, json: { name, ...configOf(name) } });
}

/** A store of the peer with the directories and logs of deleted collections, and the records that they had. */
async function storeWithDeleted(t: TestContext) {
  const service = await testApp(t, {
    collections: Object.fromEntries(NAMES.map((name) => [name, configOf(name)])),
    tokens: TOKENS,
  });
  const { request, store } = service;
  for (const name of NAMES)
    for (const [method, query, json] of [
      ['POST', '/Person', person('ada')],
      ['POST', '/Person', person('gone')],
      ['DELETE', '?pid=labid:gone'],
      ['POST', '/Person', person('emmy')],
    ] as const) {
      const url = `${curated(name)}/record${query}`;
      assert.equal((await request(method, url, { token: 'cur', ...(json && { json }) })).status, 200);
    }
  const before = Object.fromEntries(
    await Promise.all(NAMES.map(async (name) => [name, await recordsOf(service, name)] as const)),
  );
  // The log of a deleted collection is closed in the background, which may take longer than its export.
  for (const name of NAMES.filter(isLogged))
    await eventually(
      `the log of ${name} has its three records`,
      () =>
        globSync('refs/heads/master', { cwd: join(store, name, 'audit') }).length > 0 && filesIn(store, name),
      (files) => files !== false && files.filter((path) => path.endsWith('.log')).length === 3,
    );
  for (const name of NAMES)
    assert.equal(
      (await request('DELETE', `/collections/${encodeURIComponent(name)}`, { token: ADMIN })).status,
      200,
    );
  const folder = mkdtempSync(join(tmpdir(), 'accession-deleted-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const exported = join(folder, 'exported');
  const { status, stderr } = await accession(['export-store', store, exported]);
  assert.equal(status, 0, stderr);
  return { service, before, exported };
}

test('a deleted collection is made again with its records, and its log gets none of them again', {
  skip,
}, async (t) => {
  const { service, before, exported } = await storeWithDeleted(t);
  const other = await testApp(t, { tokens: TOKENS, collections: {} }, { store: exported });
  for (const [where, one, store] of [
    ['the same store', service, service.store],
    ['a store of the peer', other, exported],
  ] as const)
    for (const name of NAMES) {
      const what = `${name} in ${where}`;
      const logged = isLogged(name) ? headOf(store, name) : '';
      const made = await create(one, name);
      assert.equal(made.status, 201, `${what}: ${made.text}`);
      // Files without an audit log are read in the background.
      await eventually(
        what,
        () => recordsOf(one, name),
        (records) => records.length === 2,
      );
      assert.deepEqual(await recordsOf(one, name), before[name], what);
      const stored = { token: 'cur', json: person('later') };
      assert.equal((await one.request('POST', `${curated(name)}/record/Person`, stored)).status, 200, what);
      if (!isLogged(name)) continue;
      await eventually(
        `${what}: the change is logged`,
        async () => headOf(store, name),
        (head) => head !== logged,
      );
      const changed = gitIn(store, name, 'diff', '--name-only', logged, 'master').split('\n');
      assert.equal(changed.filter((path) => path.endsWith('.yaml')).length, 1, `${what}: ${changed}`);
    }
});

test('a directory that was emptied is one, whatever its log has, and a log without its directory is not used', {
  skip,
}, async (t) => {
  const { exported } = await storeWithDeleted(t);
  const lost = `${exported} lost`;
  cpSync(exported, lost, { recursive: true });
  // Releases of the peer do not log what curators delete.
  for (const name of NAMES) {
    const area = join(exported, name, 'curated');
    for (const file of globSync('*/**/*.yaml', { cwd: area })) rmSync(join(area, file));
    const table = join(area, '__sqlite-records.db');
    if (!existsSync(table)) continue;
    const database = sqliteAt(table);
    database.exec('DELETE FROM thing');
    database.close();
  }
  const service = await testApp(t, { tokens: TOKENS, collections: {} }, { store: exported });
  for (const name of NAMES) {
    const made = await create(service, name);
    assert.equal(made.status, 201, `${name}: ${made.text}`);
    assert.deepEqual(await recordsOf(service, name), []);
  }
  await service.app.close();

  for (const name of NAMES) rmSync(join(lost, name, 'curated'), { recursive: true });
  const without = await testApp(t, { tokens: TOKENS, collections: {} }, { store: lost });
  for (const name of NAMES) {
    const { status, text } = await create(without, name);
    assert.equal(status, isLogged(name) ? 400 : 201, `${name}: ${text}`);
    if (isLogged(name)) assert.match(text, /is empty, but its audit log .* has records\. Restore/);
  }
});
