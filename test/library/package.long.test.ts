/** The package of the engine as it would be published: packed, installed in an empty folder, compiled and run. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { buildClient } from '../../scripts/library-builds.ts';
import { CHROMIUM, skip } from '../support/chromium.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => JSON.parse(readFileSync(resolve(root, path), 'utf8'));

/** What a user writes in TypeScript, with an interface and a value from elsewhere. */
const PROGRAM = `
import { type CheckProblem, LinkmlError, openLinkml, type ProblemType } from 'accession-linkml';
import { typescriptTypes } from 'accession-linkml/generate';

interface Person {
  id: string;
  age?: number | undefined;
}
const schema = await openLinkml({
  id: 'https://example.org/person',
  imports: ['linkml:types'],
  classes: { Person: { attributes: { id: { identifier: true }, age: { range: 'integer' } } } },
});
const ada: Person = { id: 'ada', age: undefined };
const value: unknown = JSON.parse('{"id": "ada", "age": "many"}');
const { valid } = schema.check('Person', ada);
const checked = schema.check('Person', value);
const problems: readonly CheckProblem[] = checked.valid ? [] : checked.problems;
const types: ProblemType[] = problems.map(({ type }) => type);
const refused = await openLinkml('[]').catch((error: unknown) => error instanceof LinkmlError && error.name);
const generated = Object.keys({ typescriptTypes }).length;
console.log(JSON.stringify({ valid, types, refused, generated }));
`;

const QUIETLY = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];

/** An empty folder with the package of the engine, and the packages that it needs. */
const folder = mkdtempSync(join(tmpdir(), 'accession-linkml-'));
after(() => rmSync(folder, { recursive: true }));

before(() => {
  npm(['pack', '--silent', '--pack-destination', folder], join(root, 'packages/linkml'));
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  npm(['install', ...QUIETLY, `./${tarball}`], folder);
});

function npm(args: readonly string[], cwd: string): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

test('the package of the engine brings one other package, is typed, and runs', () => {
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed, ['accession-linkml', 're2js']);

  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2024', '--module', 'nodenext'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, [...strict, '--types', '', '--lib', 'es2024,dom', 'program.ts'], {
    cwd: folder,
    stdio: 'inherit',
  });
  const output = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' });
  assert.deepEqual(JSON.parse(output), {
    valid: true,
    types: ['int_parsing'],
    refused: 'LinkmlError',
    generated: 1,
  });
});

/** The examples of the page as one module that exports what they show, and what their comments expect. */
function examples() {
  const page = readFileSync(resolve(root, 'packages/linkml/README.md'), 'utf8');
  const code = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n');
  const expected = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, value]) => value);
  assert.ok(expected.length > 5);
  return {
    module: `export const shown = [];\nconst console = { log: (value) => shown.push(value) };\n${code}`,
    expected: runInNewContext(`JSON.stringify([${expected.join(', ')}])`) as string,
  };
}

/** Node of the oldest release that the package supports, if it is on this machine. */
const OLDEST = process.env.ACCESSION_OLDEST_NODE ?? '/usr/bin/node';

test('the examples of its page run in Node, and in a browser', { skip }, async () => {
  const { module, expected } = examples();
  npm(['install', ...QUIETLY, 'n3'], folder);
  writeFileSync(join(folder, 'examples.mjs'), module);
  const show = "import('./examples.mjs').then(({ shown }) => console.log(JSON.stringify(shown)))";
  for (const node of [process.execPath, OLDEST].filter((program) => existsSync(program)))
    assert.equal(execFileSync(node, ['-e', show], { cwd: folder, encoding: 'utf8' }).trim(), expected, node);

  const { outputFiles } = await build({
    entryPoints: [join(folder, 'examples.mjs')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    write: false,
    absWorkingDir: folder,
    logLevel: 'silent',
    supported: { 'top-level-await': true },
  });
  const server = createServer((request, response) => {
    const isScript = request.url === '/examples.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]!.contents : '<!doctype html><title>examples</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const shown = await page.evaluate("import('/examples.js').then(({ shown }) => JSON.stringify(shown))");
    assert.equal(shown, expected);
  } finally {
    await browser.close();
    server.close();
  }
});

/** What a user of the client writes, with types of requests and responses. */
const CLIENT_PROGRAM = `
import { type ClassDescription, connect, type RecordChange, type SlotRange } from './dist/client/client.js';

const laboratory = connect({ url: 'https://records.example.org' }).collection('laboratory');
export async function followed(): Promise<RecordChange['kind'] | undefined> {
  for await (const { kind } of laboratory.changes()) return kind;
}
export const ranges = ({ slots }: ClassDescription): SlotRange[] => slots.map(({ range }) => range);
// @ts-expect-error: a response has no such member
export const wrong = (change: RecordChange) => change.nothing;
`;

test('the types of the client need no types of other packages, nor skipLibCheck', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  await buildClient(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'program.ts'), CLIENT_PROGRAM);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2024', '--module', 'nodenext'];
  execFileSync(
    join(root, 'node_modules/.bin/tsc'),
    [...strict, '--types', '', '--lib', 'es2024,dom', 'program.ts'],
    {
      cwd: folder,
      stdio: 'inherit',
    },
  );
});

test('both packages have the same version, exports and dependencies', () => {
  const service = read('package.json');
  const engine = read('packages/linkml/package.json');
  assert.equal(engine.version, service.version);
  for (const [name, range] of Object.entries({ ...engine.dependencies, ...engine.peerDependencies }))
    assert.equal(range, service.dependencies[name], name);
  for (const [path, files] of Object.entries(engine.exports))
    if (path !== './package.json')
      assert.deepEqual(
        service.exports[path.replace('.', './linkml')],
        JSON.parse(JSON.stringify(files).replaceAll('./dist/', './dist/linkml/')),
        path,
      );
});
