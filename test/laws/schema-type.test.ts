/** The member `schema_type` of records is known in few files: everything else calls `src/core/schema-type.ts`. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('in src, only schema-type.ts has schema_type in its code', () => {
  assert.deepEqual(knowing('src'), ['src/core/schema-type.ts']);
});

test('in the desk, no file has schema_type in its code', () => {
  assert.deepEqual(knowing('ui'), []);
});

test('comments do not count, and every kind of code does', () => {
  assert.equal(codeOf('/** schema_type */ const a = 1; // schema_type').includes('schema_type'), false);
  for (const code of [
    "const a = 'schema_type';",
    'const { schema_type: _, ...rest } = a;',
    'const a = `"schema_type":1`;',
    "const a = 'src/**/*.ts'; type B = { schema_type: string }; // */",
    'const a = /"schema_type":/;',
  ])
    assert.ok(codeOf(code).includes('schema_type'), code);
});

/** The files of a folder, tests apart, whose code has the name. */
function knowing(folder: string): string[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
    .filter((file) => !/\.(test|contract|support|bench)\.tsx?$|\/contract\//.test(file))
    .filter((file) => codeOf(readFileSync(join(root, file), 'utf8')).includes('schema_type'))
    .sort();
}

/** A text without its comments. What begins one within a string has no space before it or after it. */
function codeOf(text: string): string {
  return text.replace(/(?<=^|\s)\/\*\*?\s[\s\S]*?\*\//g, '').replace(/(?<=^|\s)\/\/\s.*$/gm, '');
}
