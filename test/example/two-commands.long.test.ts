/**
 * The two commands of the README beside each other: tests pass, and change nothing, in a checkout that is served, in a path with
 * blanks and letters, with an empty home, in another language and time zone.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { ROOT, startExample, stopExample } from './example.ts';

/** The files whose tests run commands, read the configuration, and format and sort for people. */
const EXPOSED = [
  'test/cli',
  'test/docs',
  'test/check-command',
  'test/api/relative-schemas',
  'src/core/config',
  // Of its desk, what reads the dates and numbers of files.
  ...globSync('src/modules/tables/*.test.ts', { cwd: ROOT }),
  'src/modules/tables/desk/read-file',
];
const PORT = 8000;

/** A copy of the files that git has or would add, as a repository. */
function copyOf(checkout: string): void {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of list.split('\0').filter((name) => name !== ''))
    cpSync(join(ROOT, file), join(checkout, file), { verbatimSymlinks: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: checkout });
  execFileSync('git', ['add', '--all'], { cwd: checkout });
  execFileSync('git', [...identity, 'commit', '--quiet', '--message=The checkout'], { cwd: checkout });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}

test('tests pass in a checkout that is served, and change nothing below it', async (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession two commands ä '));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [checkout, home] = [join(folder, 'my checkout'), join(folder, 'home')];
  mkdirSync(home);
  copyOf(checkout);
  const isDefault = await isFree(PORT);
  const served = await startExample(checkout, isDefault ? PORT : await freePort());
  t.after(() => stopExample(served.process));
  await t.test(
    `a service has the port ${PORT}`,
    { skip: isDefault ? false : 'another program has it' },
    async () => {
      assert.equal((await fetch(`http://127.0.0.1:${PORT}/-/health`)).status, 200);
    },
  );

  const {
    TMPDIR: _,
    NODE_TEST_CONTEXT: __,
    ACCESSION_TEST_RUN_DATABASE_URL: ___,
    ...inherited
  } = process.env;
  const locale = { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr' };
  const child = spawn(process.execPath, ['scripts/test.ts', ...EXPOSED], {
    cwd: checkout,
    env: { ...inherited, ...locale, HOME: home, USER: 'nobody', LOGNAME: 'nobody' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const failed = stdout.slice(Math.max(0, stdout.indexOf('failing tests')));
  assert.equal(status, 0, `${failed.slice(0, 8000)}\n${stderr.slice(-2000)}`);
  assert.match(stdout, /^ℹ pass [1-9]\d{2,}$/m);

  const changed = execFileSync('git', ['status', '--porcelain', '--ignored'], {
    cwd: checkout,
    encoding: 'utf8',
  });
  assert.deepEqual(
    changed
      .split('\n')
      // The desk is bundled into dist/.
      .filter((line) => line !== '' && line !== '!! dist/')
      .sort(),
    ['!! data/', '!! node_modules'],
  );
  const written = readdirSync(home, { recursive: true }).map(String);
  assert.deepEqual(written, [], 'nothing is written into the home directory');
  await stopExample(served.process);
  const again = await startExample(checkout, await freePort());
  await stopExample(again.process);
});
