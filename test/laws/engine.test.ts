/** Holds that the LinkML engine and its tests import nothing of the service, and that it runs in browsers. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ENGINE = 'packages/linkml';
const files = globSync(`${ENGINE}/{src,test}/**/*.ts`);
const isTest = (file: string) => file.endsWith('.test.ts') || file.startsWith(`${ENGINE}/test/`);

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^\s*\/\/.*$/gm, '');
  return [...text.matchAll(/^(?:import|export)\b[^;']*?from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, path = '', dynamic = path]) => (dynamic.startsWith('.') ? join(dirname(file), dynamic) : dynamic),
  );
}

test('the engine imports its own files, RE2 and N3, and nothing of Node', () => {
  const sources = files.filter((file) => !isTest(file));
  const allowed = new Set([...sources, 're2js', 'n3']);
  assert.ok(sources.length > 100);
  const offences = sources.flatMap((file) =>
    importsOf(file)
      .filter((path) => !allowed.has(path))
      .map((path) => `${file} imports ${path}`),
  );
  assert.deepEqual(offences, []);
});

test('tests of the engine import nothing of the service', () => {
  const allowed = new Set([...files, 're2js', 'n3', 'fast-check']);
  const offences = files.filter(isTest).flatMap((file) =>
    importsOf(file)
      .filter((path) => !path.startsWith('node:') && !allowed.has(path))
      .map((path) => `${file} imports ${path}`),
  );
  assert.deepEqual(offences, []);
});

test('the service imports the engine as `#linkml/…`', () => {
  const offences = globSync('{src,ui,scripts,bench,test}/**/*.{ts,tsx}').flatMap((file) =>
    importsOf(file)
      .filter((path) => path.startsWith(`${ENGINE}/`))
      .map((path) => `${file} imports ${path}`),
  );
  assert.deepEqual(offences, []);
});
