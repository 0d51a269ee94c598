/** Compiled code is kept where no other user can replace it, or nowhere. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'accession-cache-'));
after(() => rmSync(folder, { recursive: true }));
const bin = join(folder, 'bin');
cpSync(resolve(import.meta.dirname, '../../bin'), bin, { recursive: true });

const PROGRAM =
  "import { keepCompiledCode } from './bin/compile-cache.js'; import module from 'node:module';" +
  "keepCompiledCode(); console.log(module.getCompileCacheDir() ?? 'nowhere')";

/** The folder that a process with these variables keeps its code in. */
function cacheWith(environment: Record<string, string>): string {
  const { PATH = '' } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH, HOME: '/dev/null', ...environment },
  });
  assert.equal(stderr, '');
  return stdout.trim();
}

test('a folder of the system service comes first, then one beside the packages, then the user’s', () => {
  const service = join(folder, 'service');
  const user = join(folder, 'user');
  assert.ok(cacheWith({ CACHE_DIRECTORY: service, XDG_CACHE_HOME: user }).startsWith(service));
  assert.ok(cacheWith({ XDG_CACHE_HOME: user }).startsWith(join(folder, 'node_modules/.cache/accession')));
  rmSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'node_modules'), '');
  assert.ok(cacheWith({ XDG_CACHE_HOME: user }).startsWith(join(user, 'accession')));
});

test('a folder that others can write to is not used', { skip: process.platform === 'win32' }, () => {
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  assert.equal(cacheWith({ CACHE_DIRECTORY: open }), 'nowhere');
});

test('without a folder, nothing is kept', () => {
  assert.equal(cacheWith({}), 'nowhere');
});

test('NODE_COMPILE_CACHE names another folder', () => {
  const named = join(folder, 'named');
  assert.ok(cacheWith({ NODE_COMPILE_CACHE: named }).startsWith(named));
});
