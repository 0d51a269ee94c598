/** YAML is read and written in one room. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('only the yaml room uses the YAML library', () => {
  const users = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    /from 'yaml'/.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(
    users.filter((file) => !file.startsWith('src/yaml/')),
    [],
  );
  assert.ok(users.includes('src/yaml/read.ts'));
});
