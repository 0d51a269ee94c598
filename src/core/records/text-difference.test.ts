import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textDifference, textParts } from './text-difference.ts';

const LONG = 'She wrote the first program, for a machine that was never built.';

test('Words that differ in a long string are marked by the string that has them', () => {
  const changed = LONG.replace('machine', 'big engine');
  assert.deepEqual(textDifference(LONG, changed), [
    { text: 'She wrote the first program, for a ', in: 'both' },
    { text: 'machine', in: 'curated' },
    { text: 'big engine', in: 'submitted' },
    { text: ' that was never built.', in: 'both' },
  ]);
});

test('Short strings, equal strings and other values have no marked words', () => {
  assert.equal(textDifference('Ada', 'Ada Byron'), undefined);
  assert.equal(textDifference(LONG, LONG), undefined);
  assert.equal(textDifference(LONG, 5), undefined);
  assert.equal(textDifference(undefined, LONG), undefined);
});

test('The parts of each side make up its string', () => {
  const text = fc
    .array(fc.constantFrom('one', 'two', ' ', ', ', 'three', 'é', '🜚', '\n'), {
      minLength: 20,
      maxLength: 90,
    })
    .map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (curated, submitted) => {
      const parts = textDifference(curated, submitted);
      if (!parts) return;
      const of = (side: string) =>
        parts
          .filter((part) => part.in === 'both' || part.in === side)
          .map((part) => part.text)
          .join('');
      assert.equal(of('curated'), curated);
      assert.equal(of('submitted'), submitted);
    }),
  );
});

test('Texts of a hundred thousand words are compared without a table of their size', () => {
  const [a = '', b = ''] = [0, 1].map((odd) =>
    Array.from({ length: 100_000 }, (_, i) => `w${i * 2 + odd}`).join(' '),
  );
  assert.equal(textDifference(a, b), undefined);
  assert.ok(textParts(a, b).length <= 4);
});

test('Of texts with many different words, the lines are marked', () => {
  const lines = Array.from({ length: 900 }, (_, i) => `line ${i} ${'word '.repeat(4)}\n`);
  const changed = lines.map((line, i) => (i % 300 === 1 ? `other ${i}\n` : line));
  const parts = textParts(lines.join(''), changed.join(''));
  assert.equal(parts.filter((part) => part.in === 'submitted').length, 3);
});
