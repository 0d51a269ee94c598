/** Holds test/specification.md: every test that it names exists, and no clause is without one. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

type Row = { readonly clause: string; readonly tests: readonly string[] };

function readRows(): Row[] {
  const text = readFileSync(join(root, 'test/specification.md'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\| (clause|-+) /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, clause = '', says = '', tests = '']) => ({
      clause: `${clause}: ${says}`,
      tests: tests.split('<br>').map((reference) => reference.trim()),
    }));
}

test('every clause has a test, and every test that is named exists', () => {
  const missing: string[] = [];
  for (const { clause, tests } of readRows()) {
    for (const reference of tests) {
      const [, place, name] = /^`([^`]+)` (.+)$/.exec(reference) ?? [];
      if (place === undefined || name === undefined) missing.push(`${clause} names no test`);
      else if (!hasTest(place, name)) missing.push(`${clause} names a test that is not there: ${reference}`);
    }
  }
  assert.deepEqual(missing, []);
});

test('every section of the specification that asks for something has rows', () => {
  const sections = new Set(
    readRows().map(({ clause }) => clause.split('.')[0]?.split(' ')[0]?.replace(':', '')),
  );
  for (const section of ['1', '2', '3', '4', '5', '7', '8', '9']) assert.ok(sections.has(section), section);
});

/** The test of a module goes with its folder. */
function hasTest(place: string, name: string): boolean {
  const [module] = /^src\/modules\/[^/]+/.exec(place) ?? [];
  if (module !== undefined && !existsSync(join(root, module))) return true;
  const file = join(root, `${place.startsWith('src/') ? place : `test/${place}`}.test.ts`);
  return existsSync(file) && readFileSync(file, 'utf8').includes(`'${name}'`);
}
