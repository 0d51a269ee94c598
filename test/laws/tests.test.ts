/** What tests use in place of calls that fail once in a thousand runs. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

test('tests of the desk hold and answer requests by `intercept`, which waits until the page is intercepted', () => {
  const files = globSync('{src,test}/**/*.test.ts', { cwd: root });
  const direct = files.filter((file) =>
    /\b(?:page|context|tab|other)\.route\(/.test(readFileSync(resolve(root, file), 'utf8')),
  );
  assert.deepEqual(direct, []);
});
