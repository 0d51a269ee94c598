/** `accession check` on the store of a service. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { accession } from './cli/accession.ts';
import { testApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { person } from './support/people.ts';

const COMMAND = resolve(import.meta.dirname, '../bin/accession.js');

/** In a process of its own, beside the service. */
function inProcess(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('a store that the user may not read is not called damaged or missing', async (t) => {
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

test('faults are listed by collection, area and file', async (t) => {
  const backend = { type: 'sqlite' };
  const service = await testApp(t, {
    collections: { files: {}, rows: { backend } },
    tokens: { ann: { files: 'WRITE_COLLECTION', rows: 'WRITE_COLLECTION' } },
  });
  for (const collection of ['files', 'rows']) {
    const stored = await service.request('POST', `/${collection}/record/Person`, {
      token: 'ann',
      json: person('a'),
    });
    assert.equal(stored.status, 200, stored.text);
  }
  const sound = inProcess('check', service.store);
  assert.equal(sound.status, 0);
  assert.doesNotMatch(sound.stdout, /error/);

  const zone = join(service.store, 'files/incoming/ann');
  mkdirSync(join(zone, 'Project'), { recursive: true });
  writeFileSync(join(zone, 'Project/broken.yaml'), 'pid: [');
  await service.restart();
  const list = await service.request('GET', '/files/records/', { token: 'ann' });
  assert.equal(list.json<unknown[]>().length, 1, 'the others are served');
  const health = (await service.request('GET', '/-/health')).json<{ status: string; problems: string[] }>();
  assert.equal(health.status, 'degraded');
  assert.match(health.problems.join(), /^collection 'files': 1 fault in stored records/);
  const { status, stdout } = await accession(['check', service.store, '--json']);
  assert.equal(status, 2);
  const errors = stdout.split('\n').filter((line) => line.includes('"error"'));
  assert.equal(errors.length, 1, stdout);
  const { check, area, message } = JSON.parse(errors[0]!);
  assert.deepEqual([check, area], ['files', 'files/incoming/ann']);
  assert.match(message, /Project\/broken\.yaml: /);

  for (const [command, instead] of [
    ['rebuild-index', /check/],
    ['check-pids', /check/],
  ] as const) {
    const former = await accession([command, service.store]);
    assert.equal(former.status, 2);
    assert.match(former.stderr, instead, 'what replaces it');
  }
  assert.ok(readdirSync(zone).includes('Project'));
});

test('a file that is missing is called a delete, and is written again if the directory is without its description', async (t) => {
  const service = await testApp(t, {
    collections: { c: {} },
    tokens: { cora: { c: 'CURATOR' }, nobody: { c: 'READ_CURATED' } },
  });
  const json = person('a');
  await service.request('POST', '/c/curated/record/Person', { token: 'cora', json });
  await service.restart();
  const directory = join(service.store, 'c/curated');
  const [name] = readdirSync(join(directory, 'Person'));
  const file = join(directory, 'Person', name ?? '');
  await service.app.close();
  rmSync(file);
  const { stdout } = await accession(['check', service.store]);
  assert.match(
    stdout,
    /The record labid:a has no file .*\n +The service takes this for a delete of the record\./,
  );
  rmSync(join(directory, '.dumpthings.yaml'));
  await service.restart();
  await eventually('the file', () => existsSync(file));
  const read = await service.request('GET', '/c/record?pid=labid:a', { token: 'nobody' });
  assert.equal(read.json<{ pid: string }>().pid, 'labid:a');
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
