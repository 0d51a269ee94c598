/** What tests use in place of calls that fail once in a thousand runs. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

/** The files of tests and of what they share that match an expression. */
function filesWith(pattern: RegExp): string[] {
  const files = globSync('{packages,src,test,ui}/**/*.{test,support,contract}.ts', { cwd: root });
  const shared = globSync('test/**/*.ts', { cwd: root });
  return [...new Set([...files, ...shared])].filter((file) =>
    pattern.test(readFileSync(resolve(root, file), 'utf8')),
  );
}

test('tests of the desk hold and answer requests by `intercept`, which waits until the page is intercepted', () => {
  assert.deepEqual(filesWith(/\b(?:page|context|tab|other)\.route\(/), ['test/support/desk.ts']);
});

test('tests of the desk wait for what is `settled`: half a second without a request is no more on a busy machine', () => {
  assert.deepEqual(filesWith(/'networkidle['"]/), []);
});

test('a port that is used later is a `freePort`: the system assigns one that was freed to another test', () => {
  assert.deepEqual(filesWith(/^(export )?(async )?function freePort/m), ['test/support/free-port.ts']);
});

test('a file of a service is opened by `sqliteAt`, which waits for a lock: an idle service still stores what it found', () => {
  assert.deepEqual(filesWith(/\bnew DatabaseSync\b/), ['test/support/sqlite.ts']);
});
