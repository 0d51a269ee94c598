/** One word, one meaning: a name on the top level of a file has few definitions in the source. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const src = join(import.meta.dirname, '../../src');

/** Functions, constants, types and classes, exported or not; what is imported or passed on is not defined here. */
const DEFINITION =
  /^(?:export )?(?:abstract )?(?:async )?(?:function\*?|const|let|type|interface|class) ([\w$]+)/gm;

test('no name is defined on the top level of three files', () => {
  const files = new Map<string, string[]>();
  for (const file of globSync('**/*.ts', { cwd: src })) {
    if (/\.(test|contract)\.ts$|(^|\/)contract\//.test(file)) continue;
    for (const [, name = ''] of readFileSync(join(src, file), 'utf8').matchAll(DEFINITION)) {
      files.set(name, [...new Set([...(files.get(name) ?? []), file])]);
    }
  }
  assert.ok(files.size > 1000, `${files.size} names`);
  const common = [...files]
    .filter(([, of]) => of.length > 2)
    .map(([name, of]) => `${name}: ${of.join(', ')}`);
  assert.deepEqual(common, []);
});
