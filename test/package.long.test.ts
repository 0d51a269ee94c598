/** The package as it would be published: packed, installed in an empty folder with its dependencies, and run. */
import assert from 'node:assert/strict';
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { RUNS } from './cli/package-runs.ts';

const root = resolve(import.meta.dirname, '..');

test('the package, the same to the byte when it is built twice, is installed in an empty folder, and every command runs', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const packed = run('npm', ['run', '--silent', 'pack:twice', '--', folder], root);
  const [first, second] = packed.trim().split('\n');
  assert.match(first as string, /^[0-9a-f]{64} {2}accession-/);
  assert.equal(first, second);
  const [tarball] = readdirSync(folder);
  const app = join(folder, 'app');
  mkdirSync(app);
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', [...install, '--omit=dev', join(folder, tarball as string)], app);
  const unpacked = join(app, 'node_modules/accession');
  assert.deepEqual(
    globSync('src/**/*.*', { cwd: unpacked }).filter((file) => !file.endsWith('/README.md')),
    [],
    'of the sources, only the pages of modules are shipped',
  );
  assert.ok(existsSync(join(unpacked, 'dist/threads.js')), 'what runs in threads');
  assert.ok(readdirSync(join(unpacked, 'dist/ui')).includes('app.js'), 'the desk is in the package');

  const bill = JSON.parse(readFileSync(join(unpacked, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bill.bomFormat, 'CycloneDX');
  const { dependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const parts = new Set(bill.components.map(({ name }: { name: string }) => name));
  for (const name of Object.keys(dependencies))
    assert.ok(parts.has(name), `${name} is in the bill of materials`);

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(run(process.execPath, ['bin/accession.js', '--version'], unpacked).trim(), version);
  // With changes, expansion, vocabularies, the whole desk with its editor of schemas and its facets, pages from templates, releases, what harvesters
  // read, signing in, overviews, the reader of workbooks for browsers with the code pages of old ones, and the modules of the LinkML engine with their comments.
  assert.ok(sizeOf(unpacked) < 9_250_000, `${sizeOf(unpacked)} bytes unpacked`);

  assert.equal(run(join(app, 'node_modules/.bin/accession'), ['--version'], app).trim(), version);

  // All pages of help are in the one file of the command; `test/cli/commands.test.ts` reads each of them.
  const help = run(process.execPath, ['bin/accession.js', 'help', 'review', 'accept'], unpacked);
  assert.match(help, /^Usage: accession review accept /);
  const modules = readdirSync(join(unpacked, 'dist/cli')).filter((name) => name.endsWith('.js'));
  assert.deepEqual(modules, ['main.js'], 'the command is one file');
  // Each module of a command is loaded: what is missing in the package would only show when the command runs.
  for (const [args, status] of RUNS) {
    const ran = spawnSync(process.execPath, ['bin/accession.js', ...args], {
      cwd: unpacked,
      encoding: 'utf8',
      env: { ...process.env, XDG_CONFIG_HOME: folder },
    });
    assert.equal(ran.status, status, `${args.join(' ')}: ${ran.stderr}`);
    assert.doesNotMatch(ran.stderr, /ERR_MODULE|at file:/, args.join(' '));
  }
  // A service imports stores with it: in this folder there is none.
  const importing = fork(join(unpacked, 'bin/adopt-store.js'), { serialization: 'advanced' });
  importing.send({ modules: ['peer'], isOwner: false, root: folder, file: join(folder, 'none.db') });
  const [answer] = await once(importing, 'message');
  assert.deepEqual(answer, { adopted: undefined });
  importing.kill();

  const client =
    "import { connect } from 'accession/client'; console.log(typeof connect({ url: 'http://x' }).me)";
  assert.equal(run(process.execPath, ['--input-type=module', '-e', client], unpacked), 'function\n');

  const service = spawn(process.execPath, ['bin/accession.js', 'serve', '../first', '--port', '0'], {
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

/** The bytes of all files below a folder, without its dependencies. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  return files.reduce((total, entry) => {
    const path = join(folder, entry.name);
    return total + (entry.isDirectory() ? sizeOf(path) : statSync(path).size);
  }, 0);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}
