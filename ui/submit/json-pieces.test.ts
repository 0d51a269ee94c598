import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../shared/json.ts';
import { jsonPieces } from './json-pieces.ts';

const record: Json = {
  pid: 'ex:a',
  name: 'A "quoted" name',
  sizes: [{ number: 1, unit: 'm' }, { number: 2 }],
  none: [],
  empty: {},
  open: true,
  gone: null,
};

test('the pieces are the text of the record', () => {
  const text = jsonPieces(record, new Set())
    .map((piece) => piece.text)
    .join('');
  assert.equal(text, JSON.stringify(record, null, 2));
});

test('values with problems are marked, of objects their bracket', () => {
  const faults = new Set(['name', 'sizes/1/number', 'sizes/0', 'missing']);
  assert.deepEqual(
    jsonPieces(record, faults)
      .filter(({ isFault }) => isFault)
      .map(({ text }) => text),
    ['"A \\"quoted\\" name"', '{', '2'],
  );
});
