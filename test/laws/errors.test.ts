/** Compares the codes of the core and of modules, their statuses, and the pages that explain them. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { CORE_STATUSES } from '../../src/core/http/reply.ts';
import { MODULES } from '../../src/modules.ts';

const root = resolve(import.meta.dirname, '../..');
const statuses: Readonly<Record<string, number>> = Object.assign(
  {},
  CORE_STATUSES,
  ...MODULES.map(({ codes }) => codes),
);
const page = ['docs/errors.md', ...globSync('src/modules/*/README.md', { cwd: root })]
  .map((name) => readFileSync(resolve(root, name), 'utf8'))
  .join('\n');

const codes = Object.keys(statuses);
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
    const status = statuses[code ?? ''];
    assert.ok(text.includes(`**${status}`), `${code}: ${status}`);
  }
});

/** Codes of the core that only modules respond with: several do, so none of them owns it. */
const OF_SEVERAL_MODULES = ['already_undone', 'merge_conflict'];

test('every code is in use', () => {
  const files = globSync('{packages/*/src,src}/**/*.ts', { cwd: root }).filter(
    (file) => !/(errors|codes|\.test)\.ts$/.test(file),
  );
  const texts = files.map((file) => readFileSync(resolve(root, file), 'utf8'));
  // `internal` is the code of unexpected errors, which are not thrown with a code.
  const unused = codes.filter(
    (code) =>
      code !== 'internal' &&
      !OF_SEVERAL_MODULES.includes(code) &&
      !texts.some((text) => text.includes(`'${code}'`)),
  );
  assert.deepEqual(unused, []);
});

test('errors are recognized by `isServiceError`: those of the LinkML engine are of another class', () => {
  const offences = globSync('{src,scripts,test,bench}/**/*.ts', { cwd: root }).filter(
    (file) =>
      file !== 'src/core/errors.ts' &&
      !file.startsWith('test/laws/') &&
      readFileSync(resolve(root, file), 'utf8').includes('instanceof ServiceError'),
  );
  assert.deepEqual(offences, []);
});
