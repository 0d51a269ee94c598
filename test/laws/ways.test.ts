/** Checks "Three requests, file by file" in docs/architecture.md: the files exist, are few, and lead forward only. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const src = resolve(import.meta.dirname, '../../src');
const page = readFileSync(resolve(src, '../docs/architecture.md'), 'utf8');

type Step = { readonly file: string; readonly contract: string | undefined };

/** A heading with the most files that the way may have, and steps like "1. `http/server`". */
const ways = [...page.matchAll(/^### (.+), at most (\d+) files\n\n((?:.+\n)+)/gm)].map(
  ([, name = '', most, list = '']) => ({
    name,
    most: Number(most),
    steps: [...list.matchAll(/^\d+\. `([\w/-]+)`(?:, behind `([\w/-]+)`)?/gm)].map(
      ([, file, contract]): Step => ({ file: `${file}.ts`, contract: contract && `${contract}.ts` }),
    ),
  }),
);

test('three ways are described', () => {
  assert.deepEqual(
    ways.map(({ most }) => most),
    [10, 37, 22],
  );
});

for (const { name, most, steps } of ways) {
  test(`${name}: few files, each imported by one before it, and none imports one before it`, () => {
    assert.ok(steps.length > 5 && steps.length <= most, `${steps.length} files`);
    const wrong: string[] = [];
    for (const [index, { file, contract }] of steps.entries()) {
      if (!existsSync(join(src, file))) {
        wrong.push(`${file} does not exist`);
        continue;
      }
      const before = steps.slice(0, index).map((step) => step.file);
      const door = contract ?? file;
      const isReached = before.some((earlier) => earlier === door || importsOf(earlier).includes(door));
      if (index > 0 && !isReached) wrong.push(`${file}: no file before it imports ${door}`);
      if (contract && !importsOf(file).includes(contract)) wrong.push(`${file} does not import ${contract}`);
      for (const target of importsOf(file)) {
        if (before.includes(target) && target !== contract) wrong.push(`${file} goes back to ${target}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

/** The files of `src` that a file imports, relative to `src`, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/from '(\.[^']*)'/g)].map(([, target = '']) =>
    relative(src, resolve(dirname(join(src, file)), target)),
  );
}
