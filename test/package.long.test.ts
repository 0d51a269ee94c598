/** The package as it would be published: packed, installed in an empty folder with its dependencies, and run. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { allCommands } from '../src/cli/main.ts';
import { GENERATED } from '../src/cli/offline/commands.ts';
import { commandLines } from './cli/command-lines.ts';
import { vocabularyFile } from './support/vocabularies.ts';

const root = resolve(import.meta.dirname, '..');

test('the packed package is installed in an empty folder, and every command runs', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  run('npm', ['pack', '--silent', '--pack-destination', folder], root);
  const [tarball] = readdirSync(folder);
  const app = join(folder, 'app');
  mkdirSync(app);
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', [...install, '--omit=dev', join(folder, tarball as string)], app);
  const unpacked = join(app, 'node_modules/accession');
  assert.ok(!readdirSync(unpacked).includes('src'));
  assert.ok(existsSync(join(unpacked, 'dist/worker.js')), 'what runs in threads');
  assert.ok(readdirSync(join(unpacked, 'dist/ui')).includes('app.js'), 'the desk is in the package');

  const bill = JSON.parse(readFileSync(join(unpacked, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bill.bomFormat, 'CycloneDX');
  const { dependencies } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  const parts = new Set(bill.components.map(({ name }: { name: string }) => name));
  for (const name of Object.keys(dependencies))
    assert.ok(parts.has(name), `${name} is in the bill of materials`);

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(run(process.execPath, ['bin/accession.js', '--version'], unpacked).trim(), version);
  // With changes, expansion, vocabularies of collections and the steward's half of the desk.
  assert.ok(sizeOf(unpacked) < 5_900_000, `${sizeOf(unpacked)} bytes unpacked`);

  assert.equal(run(join(app, 'node_modules/.bin/accession'), ['--version'], app).trim(), version);

  const names = commandLines(allCommands()).map(({ name }) => name);
  for (const name of names) {
    const help = run(process.execPath, ['bin/accession.js', 'help', ...name.split(' ')], unpacked);
    assert.match(help, new RegExp(`^Usage: accession ${name}[ |]`));
  }
  const modules = readdirSync(join(unpacked, 'dist/cli')).filter((name) => name.endsWith('.js'));
  assert.deepEqual(modules, ['main.js'], 'the command is one file');
  // `serve` runs below; every other command has a line.
  const lines = RUNS.map(([args]) => args.join(' '));
  const never = names.filter((name) => !lines.some((line) => `${line} `.startsWith(`${name} `)));
  assert.deepEqual(never, ['serve']);
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

test('a package that is built twice is the same to the byte', () => {
  const [first, second] = run('npm', ['run', '--silent', 'pack:twice'], root).trim().split('\n');
  assert.match(first as string, /^[0-9a-f]{64} {2}accession-/);
  assert.equal(first, second);
});

const SCHEMA = 'examples/laboratory/schema.yaml';
const VOCABULARY = vocabularyFile('cl');
/** No service listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** Commands with the status that they end with in a folder that has a store in `../first`. */
const RUNS: [args: string[], status: number][] = [
  [['init', '../first'], 0],
  [['check', '../first'], 0],
  [['doctor', '../first'], 0],
  [['check-database', '../first'], 2],
  [['validate', '../first'], 0],
  [['backup', '../first', '../first.tar.gz'], 0],
  [['restore', '--verify', '../first.tar.gz'], 0],
  [['audit', 'report', '../first', 'laboratory'], 0],
  [['config', 'diff', '../first', '../first'], 0],
  [['diff', '../first@1', '../first'], 2],
  [['schema', 'show', SCHEMA], 0],
  [['schema', 'check', SCHEMA], 0],
  [['schema', 'diff', SCHEMA, SCHEMA], 0],
  [['schema', 'merge', SCHEMA], 0],
  ...GENERATED.map((name): [string[], number] => [['schema', 'generate', name, SCHEMA], 0]),
  [['vocabulary', 'add', VOCABULARY, '-o', '../cells.terms'], 0],
  [['vocabulary', 'refresh', '../cells.terms', '--dry-run'], 0],
  [['vocabulary', 'check', '../cells.terms'], 0],
  [['template', 'Person', '--schema', SCHEMA, '-o', '../p.xlsx'], 0],
  [['hash-token'], 1],
  [['help', 'check'], 0],
  [['copy-store', '../first', '../second'], 1],
  [['export-store', '../first', '../exported'], 0],
  [['follow', NOWHERE, '../copy', '--once'], 1],
  [['rehearse', '../first', '--schema', SCHEMA], 0],
  [['review', 'forget', '../first', 'laboratory', '--user', 'none@example.org'], 0],
  [['login', NOWHERE], 1],
  [['logout', NOWHERE], 1],
  [['maintenance', NOWHERE, 'laboratory', 'on'], 1],
  [['get', NOWHERE, 'laboratory', 'labid:a'], 1],
  [['delete', NOWHERE, 'laboratory', 'labid:a'], 1],
  [['put', NOWHERE, 'laboratory', 'Person', 'package.json'], 1],
  [['import', NOWHERE, 'laboratory', '../p.xlsx'], 1],
  ...['list', 'export', 'submissions', 'review list', 'review decisions'].map((name): [string[], number] => [
    [...name.split(' '), NOWHERE, 'laboratory'],
    1,
  ]),
  ...['show', 'accept', 'defer'].map((name): [string[], number] => [
    ['review', name, NOWHERE, 'laboratory', 'ann', 'labid:a'],
    1,
  ]),
  [['review', 'reject', NOWHERE, 'laboratory', 'ann', 'labid:a', '--reason', 'No.'], 1],
  [['review', 'undo', NOWHERE, 'laboratory', 'x'], 1],
  [['status', '--url', NOWHERE], 1],
  [['api', 'GET', '/server', '--url', NOWHERE], 1],
  ...['changes', 'dangling', 'faults', 'duplicates', 'moves', 'settings', 'schema changes'].map(
    (name): [string[], number] => [[...name.split(' '), 'laboratory', '--url', NOWHERE], 1],
  ),
  ...['distinct', 'rename', 'merge'].map((name): [string[], number] => [
    [name, 'laboratory', 'labid:a', 'labid:b', '--url', NOWHERE],
    1,
  ]),
  [['schema', 'switch', 'laboratory', SCHEMA, '--url', NOWHERE], 1],
  [['schema', 'undo', 'laboratory', 'x', '--url', NOWHERE], 1],
  [['config', 'download', NOWHERE], 1],
  [['config', 'upload', NOWHERE, 'package.json'], 1],
];

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
