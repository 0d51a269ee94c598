import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blocksOf, headingsOf, idOf, inlinesOf } from './markdown.ts';

test('a page has headings, paragraphs, lists and tables', () => {
  const page =
    '# Title\n\nOne\nline.\n\n![A picture](x.png)\n\n## If it ends\n\n- a\n  b\n- c\n\n| h | i |\n|---|---|\n| `1` | 2 |\n';
  assert.deepEqual(blocksOf(page), [
    { kind: 'paragraph', text: 'One line.' },
    { kind: 'heading', text: 'If it ends' },
    { kind: 'list', items: ['a b', 'c'] },
    { kind: 'table', head: ['h', 'i'], rows: [['`1`', '2']] },
  ]);
  assert.equal(idOf('If it ends'), 'if-it-ends');
});

test('code, emphasis and links are parts of a line', () => {
  assert.deepEqual(inlinesOf('Type `a_b_c` in _My page_, see [this](x.md#y), not snake_case_names.'), [
    { kind: 'text', text: 'Type ' },
    { kind: 'code', text: 'a_b_c' },
    { kind: 'text', text: ' in ' },
    { kind: 'emphasis', text: 'My page' },
    { kind: 'text', text: ', see this, not snake_case_names.' },
  ]);
});

const english = readFileSync(new URL('../../docs/desk.md', import.meta.url), 'utf8');
const german = readFileSync(new URL('./desk.de.md', import.meta.url), 'utf8');

test('the page of the desk has nothing else, and the parts that help leads to', () => {
  const blocks = blocksOf(english);
  const texts = blocks.flatMap((one) =>
    'text' in one ? [one.text] : 'items' in one ? one.items : one.rows.flat(),
  );
  assert.deepEqual(
    texts.filter((text) => /^(#|```|>|\d+\. )/.test(text)),
    [],
  );
  const ids = headingsOf(english).map(idOf);
  for (const id of ['sign-in', 'browse', 'submit', 'stewardship', 'review', 'administer'])
    assert.ok(ids.includes(id), id);
});

test('the German page has the parts of the English one, with as many names and keys in each', () => {
  const partsOf = (page: string) => {
    const headings = headingsOf(page);
    let heading = 0;
    return blocksOf(page).map((block) => {
      if (block.kind === 'heading') heading = headings.indexOf(block.text);
      const texts =
        'text' in block ? [block.text] : 'items' in block ? block.items : [block.head, ...block.rows].flat();
      const marked = texts.map((text) => inlinesOf(text).filter(({ kind }) => kind !== 'text').length);
      return { part: idOf(headingsOf(english)[heading]!), kind: block.kind, marked };
    });
  };
  assert.deepEqual(partsOf(german), partsOf(english));
});
