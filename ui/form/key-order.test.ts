import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesInOrder } from './key-order.ts';

const keysOf = (...args: Parameters<typeof entriesInOrder>) => entriesInOrder(...args).map(([key]) => key);

test('keys keep the order in which they were edited, also those that look like integers', () => {
  assert.deepEqual(keysOf({ b: 1, 2020: 2, a: 3 }, ['b', '2020', 'a']), ['b', '2020', 'a']);
  assert.deepEqual(entriesInOrder({ b: 'x', 7: 'y' }, ['b', '7']), [
    ['b', 'x'],
    ['7', 'y'],
  ]);
});

test('keys that are unknown come last, and those that are gone are left out', () => {
  assert.deepEqual(keysOf({ b: 1, a: 2, 1: 3 }, ['gone', 'b']), ['b', '1', 'a']);
  assert.deepEqual(keysOf({ b: 1, a: 2 }, []), ['b', 'a']);
  assert.deepEqual(keysOf({}, ['a']), []);
  assert.deepEqual(keysOf({ a: 1 }, ['constructor', 'a']), ['a']);
});
