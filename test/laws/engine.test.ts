/** Holds that the LinkML engine and its tests import nothing of the service, and that it runs in browsers. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** What the service makes of the engine: schemas from disk and network, with records. */
const OF_SERVICE =
  /^src\/schema\/(schema|record-classes|vocabulary-files|remote|schema-hosts|schema-map|load\/(remote|download|address-guard|schema-map))\b/;
const FILES = 'src/{schema,yaml,formats/turtle,vocabularies}/**/*.ts';
/** The YAML library only writes YAML for people and locates values, for the service. */
const OF_YAML = /^src\/yaml\/(dump|locate)\.ts$/;

const engine = [...globSync(FILES), ...globSync('src/{json,position,folding}{,.test}.ts')].filter(
  (file) => !OF_SERVICE.test(file) && !OF_YAML.test(file),
);
const isTest = (file: string) => file.endsWith('.test.ts');

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^\s*\/\/.*$/gm, '');
  return [...text.matchAll(/^(?:import|export)\b[^;']*?from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, path = '', dynamic = path]) => (dynamic.startsWith('.') ? join(dirname(file), dynamic) : dynamic),
  );
}

test('the engine imports its own files, RE2 and N3, and nothing of Node', () => {
  const allowed = new Set([...engine, 're2js', 'n3']);
  const sources = engine.filter((file) => !isTest(file));
  assert.ok(sources.length > 100);
  const offences = sources.flatMap((file) =>
    importsOf(file)
      .filter((path) => !allowed.has(path))
      .map((path) => `${file} imports ${path}`),
  );
  assert.deepEqual(offences, []);
});

test('tests of the engine import nothing of the service', () => {
  const support = globSync('packages/linkml/test/*.ts');
  const allowed = new Set([...engine, ...support, 're2js', 'n3', 'fast-check']);
  const offences = [...engine.filter(isTest), ...support].flatMap((file) =>
    importsOf(file)
      .filter((path) => !path.startsWith('node:') && !allowed.has(path))
      .map((path) => `${file} imports ${path}`),
  );
  assert.deepEqual(offences, []);
});
