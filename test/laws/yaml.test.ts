/** The engine reads and writes YAML of records and schemas; a library does what is for people. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('the YAML library only writes YAML for people and locates values', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const users = sources.filter((file) => /from 'yaml'/.test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(users.sort(), ['src/cli/offline/locate.ts', 'src/core/formats/dump-yaml.ts']);
});
