/** The pattern language against a naive reading of its definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '#linkml/folding.ts';
import { compileLikePattern } from './matching.ts';
import { compilePiece } from './matching-piece.ts';

/** The definition, character by character, without any cleverness. */
function naive(pattern: string[], text: string[]): boolean {
  const [sign, ...rest] = pattern;
  if (sign === undefined) return text.length === 0;
  if (sign === '%') return naive(rest, text) || (text.length > 0 && naive(pattern, text.slice(1)));
  const [character, ...others] = text;
  if (character === undefined) return false;
  return (sign === '_' || sameLetter(sign, character)) && naive(rest, others);
}

const sameLetter = (a: string, b: string) =>
  a === b || new RegExp(`^${a.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`, 'iu').test(b);

/** Few letters, so that patterns match often; and what SQL, FTS5, JSON and regular expressions take for signs. */
const LETTERS = [...'aAbBäÄßẞsSσςΣ', '😀', ...'_"\'*^-()\\.+?[]{}|$/:, ', '\n', '\0'];
const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 8 }).map((signs) => signs.join(''));
const pattern = fc
  .array(fc.constantFrom(...LETTERS, '%', '%', '_', 'OR', 'NEAR'), { maxLength: 7 })
  .map((signs) => signs.join(''));

test('a pattern matches what its definition says', () => {
  const property = fc.property(pattern, text, (source, value) => {
    const expected = source !== '' && naive([...source], [...value]);
    assert.equal(compileLikePattern(source).matchesValue(value), expected);
  });
  fc.assert(property, { numRuns: 5000 });
});

test('a pattern made from a text matches that text', () => {
  const property = fc.property(text, fc.array(fc.nat(8), { maxLength: 3 }), (value, holes) => {
    const signs = [...value];
    for (const hole of holes) if (hole < signs.length) signs[hole] = hole % 2 ? '%' : '_';
    const source = signs.join('');
    assert.ok(source === '' || compileLikePattern(source).matchesValue(value), source);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('a piece is found at the first position where it fits, however long it is', () => {
  const piece = pattern
    .map((source) => source.replaceAll('%', '').repeat(7))
    .filter((source) => source !== '');
  const padded = fc.array(text, { maxLength: 4 });
  const property = fc.property(piece, padded, (source, parts) => {
    const value = parts.join(source.replaceAll('_', 'x').toLowerCase());
    const { endAt, endOf } = compilePiece(source);
    let expected = -1;
    for (let at = 0; at < value.length && expected < 0; at += value.codePointAt(at)! > 0xffff ? 2 : 1)
      expected = endAt(value, at);
    assert.equal(endOf(value, 0), expected);
  });
  fc.assert(property, { numRuns: 3000 });
});

test('a pattern is refused if a long piece of it almost fits at every position of a long string', () => {
  const long = 'a'.repeat(3_000_000);
  for (const part of [`${'a_'.repeat(400)}p`, `${'a'.repeat(900)}b`]) {
    assert.throws(() => compileLikePattern(`%${part}%`).matchesValue(long), {
      code: 'parameter_invalid',
      message: /at most 32 characters between two %/,
    });
    assert.ok(compileLikePattern(`%${part}%`).matchesValue(`${'a'.repeat(2000)}b${'a'.repeat(900)}p`), part);
  }
  for (const part of [`${'a%'.repeat(30)}b`, `${'a'.repeat(31)}b`, `${'_a'.repeat(15)}b`]) {
    const { matchesValue } = compileLikePattern(`%${part}%`);
    assert.ok(!matchesValue(long), part);
    assert.ok(matchesValue(`${long}b${long}p`), part);
  }
  assert.ok(!compileLikePattern(`${'_%'.repeat(30)}b`).matchesValue(long));
});

test('a pattern of more than 1,000 characters is refused', () => {
  assert.ok(compileLikePattern('😀'.repeat(1000)).matchable);
  assert.throws(() => compileLikePattern('a'.repeat(1001)), { code: 'parameter_invalid' });
});

test('whatever letters a pattern takes for the same, the index folds to the same', () => {
  const variants = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
  const letters: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    if (variants.test(letter)) letters.push(letter);
  }
  const everyLetter = letters.join('');
  for (const letter of letters) {
    for (const other of everyLetter.match(new RegExp(letter, 'giu')) ?? []) {
      assert.equal(fold(letter), fold(other), `${letter} and ${other}`);
    }
  }
});
