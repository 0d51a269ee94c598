/** Strings that fold to the same one; each character folds by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../test/any-character.ts';
import { fold, scalarsIn } from './folding.ts';
import { parseJson } from './json.ts';

test('case, accents and differences of width fold away, and so do letters that are not decomposed', () => {
  const rows = [
    ...[['ÅNGSTRÖM', 'angstrom'] as const, ['Ångström', 'angstrom'] as const, ['Weiß', 'WEISS'] as const],
    ...[['Øresund', 'oresund'] as const, ['Œuvre', 'oeuvre'] as const, ['Łódź', 'lodz'] as const],
    ...[['ΟΔΟΣ', 'οδος'] as const, ['ﬁn', 'FIN'] as const, ['ＡＢ１', 'ab1'] as const, ['ı', 'I'] as const],
  ];
  for (const [a, b] of rows) assert.equal(fold(a), fold(b), `${a} and ${b}`);
  assert.notEqual(fold('a'), fold('b'));
});

test('the fold of a part is a part of the fold', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 12 });
  const property = fc.property(text, text, (a, b) => {
    assert.equal(fold(a + b), fold(a) + fold(b));
    assert.equal(fold(fold(a)), fold(a));
  });
  fc.assert(property, { numRuns: 1000 });
});

test('the scalars of a value are its strings, its numbers as they were written, and its booleans', () => {
  const value = parseJson('{"a":["x",{"b":5.0,"c":[true,null]}],"d":123456789012345678901}');
  assert.deepEqual(scalarsIn(value).sort(), ['123456789012345678901', '5.0', 'true', 'x']);
});
