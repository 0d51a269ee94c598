/** Links between the documents of the project lead somewhere. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

test('every link to a file of the project has its file', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
  ];
  const broken: string[] = [];
  for (const document of documents.filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(join(root, document), 'utf8');
    for (const [, target] of text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)) {
      const file = resolve(root, dirname(document), target as string);
      if (!existsSync(file)) broken.push(`${document} → ${relative(root, file)}`);
    }
  }
  assert.deepEqual(broken, []);
});
