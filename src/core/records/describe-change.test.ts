import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '#linkml/json.ts';
import { type RecordDifference, recordDifferences } from './describe-change.ts';

const ROWS: readonly (readonly [
  string,
  JsonValue | undefined,
  JsonValue | undefined,
  readonly RecordDifference[],
])[] = [
  ['a new record', undefined, { a: 1 }, [{ op: 'add', path: '', after: { a: 1 } }]],
  ['a deleted record', { a: 1 }, undefined, [{ op: 'remove', path: '', before: { a: 1 } }]],
  ['no difference', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  [
    'values added, removed and replaced',
    { a: 1, b: 2, 'x/~y': 'old' },
    { b: 3, c: null, 'x/~y': 'new' },
    [
      { op: 'remove', path: '/a', before: 1 },
      { op: 'replace', path: '/b', before: 2, after: 3 },
      { op: 'add', path: '/c', after: null },
      { op: 'replace', path: '/x~1~0y', before: 'old', after: 'new' },
    ],
  ],
  [
    'an item put into the middle',
    { l: [1, 2, 3] },
    { l: [1, 9, 2, 3] },
    [{ op: 'add', path: '/l/1', after: 9 }],
  ],
  ['an item taken out', { l: [1, 2, 3] }, { l: [2, 3] }, [{ op: 'remove', path: '/l/0', before: 1 }]],
  [
    'a value within an item',
    { l: [{ a: 1, b: 1 }, 5] },
    { l: [{ a: 2, b: 1 }, 5] },
    [{ op: 'replace', path: '/l/0/a', before: 1, after: 2 }],
  ],
];

for (const [name, before, after, expected] of ROWS) {
  test(`differences of a record: ${name}`, () =>
    assert.deepEqual(recordDifferences(before, after), expected));
}
