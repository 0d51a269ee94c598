import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRow, plainCell, readCsv } from './csv.ts';

const FORMULAS = [
  '=1+1',
  '+1 555',
  '-2+3',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  "'=1",
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("https://example.org","x")',
];
const OTHERS = ['-5', '+1.5e-3', '12', "'tis", "O'Hara", '', 'a=1'];

/** The cells of one row, as a program sees them that reads the file without us. */
const rowOf = (line: string) => [...readCsv(line)][0] ?? [];

test('no cell of a written table begins like a formula, and reading returns the value', () => {
  for (const cell of rowOf(csvRow(FORMULAS))) assert.match(cell, /^'/);
  assert.deepEqual(rowOf(csvRow(FORMULAS)).map(plainCell), FORMULAS);
});

test('numbers and other values are written as they are', () => {
  assert.deepEqual(rowOf(csvRow(OTHERS)), OTHERS);
  assert.deepEqual(OTHERS.map(plainCell), OTHERS);
});
