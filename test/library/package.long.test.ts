/** The package of the engine as it would be published: packed, installed in an empty folder, compiled and run. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { buildLibraries, LIBRARIES } from '../../scripts/libraries.ts';

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

test('the package of the engine brings one other package, is typed, and runs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-linkml-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  npm(['pack', '--silent', '--pack-destination', folder], join(root, 'packages/linkml'));
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', `./${tarball}`], folder);
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
  await buildLibraries(join(folder, 'dist'), LIBRARIES);
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
      assert.deepEqual(service.exports[path.replace('.', './linkml')], files, path);
});
