/** Links of the documents lead to files, headings and pictures that exist. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const documents = globSync(
  [
    '*.md',
    'docs/**/*.md',
    'src/modules/*/README.md',
    'packages/*/README.md',
    'bench/README.md',
    'test/README.md',
  ],
  {
    cwd: root,
  },
);

/** A document without code and comments. */
function proseOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`\n]*`(?!\])/g, 'x');
}

/** The anchors of a document's headings, as forges make them. */
function anchorsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every link to a file or a heading of the project resolves', () => {
  const broken: string[] = [];
  for (const document of documents) {
    const source = resolve(root, document);
    for (const [, target = ''] of proseOf(source).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)/g)) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? source : resolve(dirname(source), path);
      if (!existsSync(file)) broken.push(`${document} → ${relative(root, file)}`);
      else if (anchor !== undefined && !anchorsOf(file).includes(anchor))
        broken.push(`${document} → ${relative(root, file)}#${anchor}`);
    }
  }
  assert.deepEqual(broken, []);
});

const INDEX = resolve(root, 'docs/README.md');
const [before = '', table = '', behind = ''] = proseOf(INDEX).split(/^## (?:Find|Modules)$/m);

/** The pages of the documentation that a part of its index has no link to. */
function missingIn(text: string): string[] {
  const linked = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) =>
    relative(root, resolve(dirname(INDEX), target)),
  );
  return documents.filter(
    (name) => name.startsWith('docs/') && name !== 'docs/README.md' && !linked.includes(name),
  );
}

test('every page is linked from the index of the documentation, and found there by a word', () => {
  assert.deepEqual(missingIn(before + behind), []);
  assert.deepEqual(missingIn(table), []);
  const words = [...table.matchAll(/^\| ([^|]*?) *\|/gm)].slice(2).map(([, word = '']) => word);
  assert.deepEqual(
    words,
    words.toSorted((a, b) => a.localeCompare(b, 'en')),
  );
});
