/** Compares the codes of `src/errors.ts`, the statuses of `src/http/reply.ts`, and the pages of errors. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { STATUS_OF_CODE } from '../../src/http/reply.ts';

const root = resolve(import.meta.dirname, '../..');
const source = readFileSync(resolve(root, 'src/errors.ts'), 'utf8');
const page = ['docs/errors.md', 'docs/errors-administration.md']
  .map((name) => readFileSync(resolve(root, name), 'utf8'))
  .join('\n');

const union = source.split('export type ErrorCode =')[1]?.split(';')[0] ?? '';
const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
/** Code → the text below its heading. */
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((text) => [/^`(\w+)`/.exec(text)?.[1], text]),
);

test('every error code is explained, and every explained code exists', () => {
  assert.ok(codes.length > 30);
  assert.deepEqual([...sections.keys()].sort(), codes.toSorted());
});

test('every explanation names the status that the code is answered with', () => {
  for (const [code, text] of sections) {
    const status = STATUS_OF_CODE[code as keyof typeof STATUS_OF_CODE];
    assert.ok(text.includes(`**${status}`), `${code}: ${status}`);
  }
});

test('every code is in use', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/(errors|\.test)\.ts$/.test(file));
  const texts = files.map((file) => readFileSync(resolve(root, file), 'utf8'));
  // `internal` is the code of unexpected errors, which are not thrown with a code.
  const unused = codes.filter(
    (code) => code !== 'internal' && !texts.some((text) => text.includes(`'${code}'`)),
  );
  assert.deepEqual(unused, []);
});
