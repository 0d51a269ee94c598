/** The package as it would be published: packed, unpacked elsewhere, and run. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');

test('the packed package runs without the sources', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  run('npm', ['pack', '--silent', '--pack-destination', folder], root);
  const [tarball] = readdirSync(folder);
  run('tar', ['-xzf', join(folder, tarball as string), '-C', folder], folder);
  const unpacked = join(folder, 'package');
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'));
  assert.ok(!readdirSync(unpacked).includes('src'));
  const bill = JSON.parse(readFileSync(join(unpacked, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bill.bomFormat, 'CycloneDX');
  const { dependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const parts = new Set(bill.components.map(({ name }: { name: string }) => name));
  for (const name of Object.keys(dependencies))
    assert.ok(parts.has(name), `${name} is in the bill of materials`);

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(run(process.execPath, ['bin/accession.js', '--version'], unpacked).trim(), version);

  mkdirSync(join(folder, 'store'));
  const service = spawn(process.execPath, ['bin/accession.js', 'serve', '../store', '--port', '0'], {
    cwd: unpacked,
    env: { ...process.env, ACCESSION_ADMIN_TOKEN: 'of-this-test' },
  });
  t.after(() => service.kill('SIGKILL'));
  const [line] = await once(service.stderr, 'data');
  const address = /http:\S+/.exec(String(line))?.[0];
  for (const path of ['/-/health', '/server', '/docs', '/openapi.json']) {
    assert.equal((await fetch(address + path)).status, 200, path);
  }
  service.kill('SIGTERM');
  assert.deepEqual(await once(service, 'exit'), [0, null]);
});

test('a package that is built twice is the same to the byte', () => {
  const [first, second] = run('npm', ['run', '--silent', 'pack:twice'], root).trim().split('\n');
  assert.match(first as string, /^[0-9a-f]{64} {2}accession-/);
  assert.equal(first, second);
});

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
