import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf } from './clipboard.ts';

test('cells are separated by tabs and line breaks of all systems', () => {
  for (const end of ['\n', '\r\n', '\r'])
    for (const last of ['', end])
      assert.deepEqual(cellsOf(`a\tb${end}\t${end}c\td${last}`), [
        ['a', 'b'],
        ['', ''],
        ['c', 'd'],
      ]);
  assert.deepEqual(cellsOf('alone'), [['alone']]);
  assert.deepEqual(cellsOf('a\t'), [['a', '']]);
  assert.deepEqual(cellsOf('a\n\n'), [['a'], ['']]);
});

test('a cell in quotes has tabs, line breaks and quotes', () => {
  assert.deepEqual(cellsOf('"one\n""two"""\t"three\tfour"\r\n"five\r\nsix"\t""\r\n'), [
    ['one\n"two"', 'three\tfour'],
    ['five\nsix', ''],
  ]);
});

test('quotes within a cell, and one that is not closed, are text', () => {
  assert.deepEqual(cellsOf('5"\ta "word"\n"x" y\t"open\nnext'), [
    ['5"', 'a "word"'],
    ['"x" y', '"open'],
    ['next'],
  ]);
});
