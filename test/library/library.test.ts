/** The package entry `accession/linkml` as its users have it: from a folder of their own, in Node and in a browser. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { buildEngine } from '../../scripts/library-builds.ts';
import { CHROMIUM, skip } from '../support/chromium.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'accession-library-'));

/** What a user of the library writes; the last value is what the tests look at. */
const PROGRAM = `
import { compileExpression, openLinkml, parseJson } from 'accession/linkml';
import { readTurtle, writeTurtle } from 'accession/linkml/turtle';
import { openSnapshot, takeSnapshot } from 'accession/linkml/vocabularies';

const files = { 'https://example.org/s/core.yaml': 'id: https://example.org/s/core\\nname: core\\nclasses: {Base: {attributes: {id: {identifier: true, range: uriorcurie}}}}' };
const schema = await openLinkml(\`
id: https://example.org/s/person
name: person
prefixes: {ex: https://example.org/, linkml: https://w3id.org/linkml/}
default_prefix: ex
imports: [linkml:types, ./core]
classes:
  Person: {is_a: Base, attributes: {name: {required: true, pattern: '^\\\\w+$'}, age: {range: integer}}}
\`, { url: new URL('https://example.org/s/person.yaml'), load: async (url) => files[url.href] });
const person = parseJson('{"id": "ex:ada", "name": "Ada", "age": "36"}');
const checked = schema.check('Person', person);
const turtle = writeTurtle(JSON.stringify(checked.record), 'Person', schema);
const table = new TextEncoder().encode('id,label,parents\\nex:metal,metal,\\nex:steel,steel,ex:metal');
const materials = openSnapshot(await takeSnapshot([table], { source: 'materials.csv' }));
const part = await openLinkml({
  id: 'https://example.org/s/part',
  imports: ['linkml:types'],
  classes: { Part: { attributes: { of: { range: 'Metal' } } } },
  enums: { Metal: { reachable_from: { source_ontology: 'materials', source_nodes: ['ex:metal'] } } },
}, { terms: { materials } });
export const result = {
  terms: ['ex:steel', 'ex:metal', 'steel'].map((of) => part.check('Part', { of }).problems?.[0].type ?? 'valid'),
  record: checked.record,
  strict: schema.check('Person', person, { strict: true }).valid,
  anyIdentifier: schema.check('Person', { id: 'nowhere:x', name: 'X' }).valid,
  unresolved: schema.check('Person', { id: 'nowhere:x', name: 'X' }, { identifiers: 'resolve' }).valid,
  slots: [...schema.classes.get('Person').slots.keys()],
  iri: schema.expand('ex:ada'),
  pattern: schema.jsonSchema('Person').properties.name.pattern,
  back: readTurtle(turtle, 'Person', schema),
  sum: compileExpression('{a} + {b}')({ a: 1, b: 2 }),
  digest: schema.digest.length,
};
`;

const EXPECTED = {
  terms: ['valid', 'term_outside', 'term_unknown'],
  record: { age: 36, id: 'ex:ada', name: 'Ada' },
  strict: false,
  unresolved: false,
  anyIdentifier: true,
  slots: ['name', 'age', 'id'],
  iri: 'https://example.org/ada',
  pattern: '^[\\p{L}\\p{N}_]+(?=\\n?(?![\\s\\S]))',
  back: { age: 36, id: 'ex:ada', name: 'Ada' },
  sum: 3,
  digest: 64,
};

before(() => {
  const library = join(folder, 'node_modules/accession');
  mkdirSync(library, { recursive: true });
  copyFileSync(join(root, 'package.json'), join(library, 'package.json'));
  buildEngine(join(library, 'dist/linkml'));
  for (const name of ['re2js', 'n3'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
});
after(() => rmSync(folder, { recursive: true }));

test('the library runs in Node from a folder that has nothing else', async () => {
  const show = "import('./program.mjs').then(({ result }) => console.log(JSON.stringify(result)))";
  const { stdout } = await run(process.execPath, ['-e', show], { cwd: folder });
  assert.deepEqual(JSON.parse(stdout), EXPECTED);
});

test('the library runs in a browser', { skip }, async () => {
  const { outputFiles } = await bundle(join(folder, 'program.mjs'));
  const server = createServer((request, response) => {
    const isScript = request.url === '/program.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]!.contents : '<!doctype html><title>library</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const result = await page.evaluate("import('/program.js').then(({ result }) => result)");
    assert.deepEqual(result, EXPECTED);
  } finally {
    await browser.close();
    server.close();
  }
});

test('without Turtle the library has less than 105 kB with gzip', async () => {
  const entry = join(folder, 'entry.mjs');
  writeFileSync(entry, "export * from 'accession/linkml';");
  const { outputFiles, metafile } = await bundle(entry);
  const { contents } = outputFiles[0]!;
  assert.ok(gzipSync(contents).length < 105_000, `${gzipSync(contents).length} bytes`);
  assert.ok(!Object.keys(metafile.inputs).some((file) => /fastify|\/n3\//.test(file)));
});

test('a program that imports one function bundles little more', async () => {
  const entry = join(folder, 'one.mjs');
  writeFileSync(entry, "export { readYaml } from 'accession/linkml';");
  const { length } = (await bundle(entry)).outputFiles[0]!.contents;
  assert.ok(length < 60_000, `${length} bytes`);
});

/** As a user bundles for browsers: a module of Node in it would be an error. */
async function bundle(entry: string) {
  return await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'esnext',
    metafile: true,
    write: false,
    absWorkingDir: folder,
    logLevel: 'silent',
  });
}
