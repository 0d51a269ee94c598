/**
 * Stores of releases 0.1 and 0.2 are taken in, and exported for 0.1 again. That in `test/fixtures/upgrade/store-0.1.tar.gz`
 * was made by 0.1: two collections, records, a changed and a deleted one, a zone, audit logs, tokens. The other one was
 * served by 0.2.1 afterwards, which added and deleted a record in each area.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RealService, startService } from '../support/real-service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The commit of release 0.1. */
const RELEASE = '4475f15248bdbac5f773837a16850c3af0a6d629';
const hasRelease = spawnSync('git', ['cat-file', '-e', `${RELEASE}:bin`], { cwd: ROOT }).status === 0;
const COLLECTIONS = ['database', 'files'];

function unpacked(t: TestContext, release: string): string {
  const archive = resolve(import.meta.dirname, `../fixtures/upgrade/store-${release}.tar.gz`);
  const folder = mkdtempSync(join(tmpdir(), 'accession-upgrade-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return folder;
}

/** The command of release 0.1: its source from the history, with the packages of today. */
function previousRelease(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-0.1-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const script = `git archive ${RELEASE} src bin package.json | tar -x -C "$0"`;
  const { status, stderr } = spawnSync('sh', ['-c', script, folder], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  // It looks for the files of its documentation page when it starts; the page is not asked for here.
  mkdirSync(join(packages, 'swagger-ui-dist'), { recursive: true });
  writeFileSync(join(packages, 'swagger-ui-dist/package.json'), '{"name": "swagger-ui-dist"}');
  return join(folder, 'bin/accession.js');
}

type Person = {
  readonly pid: string;
  readonly name: string;
  readonly family_name: string;
  readonly email?: string;
};

const asker =
  ({ url }: RealService) =>
  async <T>(method: string, path: string, token: string, body?: object): Promise<T> => {
    const answer = await fetch(url + path, {
      method,
      headers: { 'X-Service-Token': token, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };

async function pidsOf(service: RealService, path: string, token = 'of-the-curator'): Promise<string[]> {
  const { items } = await asker(service)<{ items: Person[] }>('GET', `${path}/records/p/Person`, token);
  return items.map(({ pid }) => pid);
}

async function assertFirstState(service: RealService): Promise<void> {
  const ask = asker(service);
  for (const name of COLLECTIONS) {
    assert.deepEqual(
      await pidsOf(service, `/${name}/curated`),
      ['labid:ada', 'labid:emmy', 'labid:grace'],
      name,
    );
    assert.deepEqual(await pidsOf(service, `/${name}/incoming/student`), ['labid:grace', 'labid:hedy'], name);
    const ada = await ask<Person>('GET', `/${name}/record?pid=labid:ada`, 'of-anyone');
    assert.equal(ada.email, 'ada@example.org', name);
    const grace = await ask<Person>('GET', `/${name}/record?pid=labid:grace`, 'of-the-student');
    assert.equal(grace.email, 'grace@example.org', name);
  }
  assert.equal((await ask<object[]>('GET', '/collections', 'of-root')).length, 2);
}

const newPerson = { pid: 'labid:rosalind', name: 'rosalind', family_name: 'rosalind' };

for (const release of ['0.1', '0.2']) {
  test(`a store of release ${release} is served with its records, tokens and histories, and takes writes`, async (t) => {
    const folder = unpacked(t, release);
    const service = await startService(['store'], { directory: folder });
    t.after(() => service.kill());
    await assertFirstState(service);
    const ask = asker(service);
    for (const name of COLLECTIONS) {
      const history = await ask<object>('GET', `/-/${name}/history?pid=labid:ada`, 'of-the-curator');
      assert.equal(
        JSON.stringify(history).match(/"curator@example\.org"/g)?.length,
        4,
        JSON.stringify(history),
      );
      await ask('POST', `/${name}/curated/record/Person`, 'of-the-curator', newPerson);
      await ask('POST', `/${name}/record/Person`, 'of-the-student', { ...newPerson, pid: 'labid:new' });
    }
    assert.equal(await service.stop(), 0, service.output());
    for (const name of COLLECTIONS) {
      const log = ['--git-dir', join(folder, 'store', name, 'audit'), 'log', '--all', '-p'];
      const { stdout } = spawnSync('git', log, { encoding: 'utf8' });
      for (const pid of ['labid:ada', 'labid:lise', 'labid:rosalind'])
        assert.ok(stdout.includes(pid), `${name}: ${pid}`);
      assert.equal(stdout.match(/^\+pid: labid:rosalind$/gm)?.length, 1, name);
    }
    const again = await startService(['store'], { directory: folder });
    t.after(() => again.kill());
    assert.ok((await pidsOf(again, '/files/curated')).includes('labid:rosalind'));
    assert.equal(await again.stop(), 0);
  });
}

type HistoryEntry = { readonly committer_id: string | null; readonly author_id: string | null };

test('entries of release 0.2 are taken in with their actors, behind those of the log before it', async (t) => {
  const folder = unpacked(t, '0.2');
  const service = await startService(['store'], { directory: folder });
  t.after(() => service.kill());
  for (const name of COLLECTIONS) {
    const entriesOf = async (pid: string) => {
      const path = `/-/${name}/history?pid=${pid}`;
      const entries = await asker(service)<HistoryEntry[]>('GET', path, 'of-the-curator');
      return entries.map(({ author_id, committer_id }) => [author_id, committer_id]);
    };
    const curator = 'curator@example.org';
    assert.deepEqual((await entriesOf('labid:marie')).sort(), [
      [curator, curator],
      [curator, curator],
      ['somebody@example.org', curator],
    ]);
    // Those by which 0.2 began are of nobody, and repeat the log.
    for (const [, committer] of await entriesOf('labid:ada')) assert.equal(committer, curator);
  }
  assert.equal(await service.stop(), 0);
});

test('a store that this release has written to is exported for release 0.1', {
  skip: !hasRelease && 'the history of this checkout does not reach back to release 0.1',
}, async (t) => {
  const folder = unpacked(t, '0.1');
  const service = await startService(['store'], { directory: folder });
  t.after(() => service.kill());
  for (const name of COLLECTIONS) {
    await asker(service)('POST', `/${name}/curated/record/Person`, 'of-the-curator', newPerson);
    await asker(service)('DELETE', `/${name}/curated/record?pid=labid:emmy`, 'of-the-curator');
  }
  assert.equal(await service.stop(), 0);
  const command = [join(ROOT, 'bin/accession.js'), 'export-store', 'store', 'exported'];
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const old = await startService(['exported'], { directory: folder, command: previousRelease(t) });
  t.after(() => old.kill());
  for (const name of COLLECTIONS) {
    assert.deepEqual(
      await pidsOf(old, `/${name}/curated`),
      ['labid:ada', 'labid:grace', 'labid:rosalind'],
      name,
    );
    const history = await asker(old)<object>('GET', `/-/${name}/history?pid=labid:emmy`, 'of-the-curator');
    assert.match(JSON.stringify(history), /labid:emmy/);
  }
  assert.equal(await old.stop(), 0, old.output());
});
