/** `accession check` on the store of a service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { accession, LABORATORY } from './cli/accession.ts';
import { testApp } from './support/app.ts';
import { person } from './support/people.ts';
import { ownDatabase } from './support/postgresql.ts';
import { longTest, test } from './support/tier.ts';

const COMMAND = resolve(import.meta.dirname, '../bin/accession.js');

/** In a process of its own, beside the service. */
function inProcess(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

longTest('a store that the user may not read is not called damaged or missing', async (t) => {
  const { store } = await testApp(t, { collections: { c: {} } });
  const isRoot = process.getuid?.() === 0;
  const other = isRoot ? { uid: 65534, gid: 65534 } : {};
  if (spawnSync(process.execPath, [COMMAND, '--version'], other).status !== 0)
    return t.skip('no other user may read the checkout');
  for (let path = store; path !== tmpdir() && isRoot; path = dirname(path)) chmodSync(path, 0o755);
  for (const [path, command, mode] of [
    [join(store, 'accession.db'), ['check', store], 0o600],
    [store, ['check', store], 0o700],
    [store, ['serve', store, '--port', '0'], 0o700],
  ] as const) {
    chmodSync(path, isRoot ? mode : 0);
    const { stderr } = spawnSync(process.execPath, [COMMAND, ...command], {
      encoding: 'utf8',
      timeout: 30_000,
      ...other,
    });
    chmodSync(path, path === store && isRoot ? 0o755 : mode);
    const said = /may not be read by the user \d+\. Run the command as the owner of the store\./;
    assert.match(stderr, said, command.join(' '));
    assert.ok(stderr.includes(path), stderr);
  }
});

test('a database whose schema is in the directory of an instance is checked without it, with a warning', async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  const schema = join(store, 'schema.yaml');
  copyFileSync(LABORATORY, schema);
  const databaseUrl = await ownDatabase();
  await testApp(
    t,
    { collections: { c: { schema, backend: { type: 'postgresql' } } } },
    { store, databaseUrl },
  );
  const found = async () => {
    const { status, stdout } = await accession(['check', databaseUrl, '--json']);
    return [status, stdout.split('\n').filter((line) => line.includes('"check":"schema"'))] as const;
  };
  assert.deepEqual(await found(), [0, []]);
  renameSync(schema, `${schema}.away`);
  const [status, [finding = '', ...further]] = await found();
  assert.equal(status, 0);
  assert.match(finding, /"severity":"warning".*the records of the collection were not checked/);
  assert.deepEqual(further, []);
  renameSync(`${schema}.away`, schema);
});

test('the first five findings of a kind in an area are printed, and the number of the others', async (t) => {
  const { store, request } = await testApp(t, {
    collections: { c: {} },
    tokens: { cur: { c: 'CURATOR' } },
  });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    await request('POST', '/c/curated/record/Person', {
      token: 'cur',
      json: { ...person(name), affiliations: ['labid:nowhere'] },
    });
  const lines = async (...options: string[]) => {
    const { stdout, stderr } = await accession(['check', store, ...options]);
    return { found: stdout.match(/^warning references .*/gm), end: stderr };
  };
  const missing = (name: string) =>
    `warning references c/curated: labid:${name} refers to labid:nowhere, which does not exist.`;
  const { found, end } = await lines();
  const shown = ['a', 'b', 'c', 'd', 'e'].map(missing);
  assert.deepEqual(found, [...shown, 'warning references c/curated: 2 more']);
  assert.match(end, /\n--all prints each finding\n$/);
  const all = await lines('--all');
  assert.deepEqual(all.found, [...shown, missing('f'), missing('g')]);
  assert.doesNotMatch(all.end, /--all/);
});

test('policies are reported, since former releases of the peer refuse them', async (t) => {
  const { store } = await testApp(t, {
    collections: { open: {}, c: { policy_annotation_tag: 'lab:policy' } },
  });
  const { status, stdout } = await accession(['check', store, '--json']);
  assert.equal(status, 0);
  const found = stdout.split('\n').filter((line) => line.includes('"policies"'));
  assert.equal(found.length, 1, stdout);
  assert.match(found[0]!, /'c' has policies \(policy_annotation_tag\)/);
});

test('commands of former releases name what replaces them', async (t) => {
  const service = await testApp(t, { collections: { c: {} } });
  for (const [command, instead] of [
    ['rebuild-index', /check/],
    ['check-pids', /check/],
  ] as const) {
    const former = await accession([command, service.store]);
    assert.equal(former.status, 2);
    assert.match(former.stderr, instead, 'what replaces it');
  }
});

test('a path that is not a store is one plain line', async () => {
  const { status, stderr } = inProcess('check', '/no/such/store');
  assert.equal(status, 1);
  assert.match(stderr, /^accession: The store directory .* does not exist\.\n$/);
  const file = await accession(['check', import.meta.filename]);
  assert.match(
    file.stderr,
    /^accession: The store .*check-command.test.ts is a file, expected a directory\.\n$/,
  );
});
