import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../client/types.ts';
import type { RehearsedRecord } from '../client.ts';
import { correctionsFrom, wrongSlots } from './corrections.ts';

const item: RehearsedRecord = {
  pid: 'ex:a',
  class: 'Person',
  in: 'curated',
  outcome: 'newly_invalid',
  problems: [
    { type: 'missing', loc: ['body', 'age'], msg: 'age is required' },
    { type: 'pattern', loc: ['body', 'phone'], msg: 'phone is wrong' },
    { type: 'too_short', loc: ['body', 'phone'], msg: 'phone is short' },
    { type: 'type', loc: ['body', 'emails', 0], msg: 'emails is wrong' },
    { type: 'all_of', loc: ['body'], msg: 'a rule' },
  ],
  draft: { class: 'Person', record: { phone: '12', emails: ['a'] } },
};

test('problems of one slot are one line, and those of the whole record have no field', () => {
  assert.deepEqual(wrongSlots(item), [
    { slot: 'age', messages: ['age is required'], text: '' },
    { slot: 'phone', messages: ['phone is wrong', 'phone is short'], text: '12' },
    { slot: 'emails', messages: ['emails is wrong'], text: 'a' },
    { slot: undefined, messages: ['a rule'], text: '' },
  ]);
});

test('a text stays a text, other values are JSON, and an empty field corrects nothing', () => {
  assert.deepEqual(correctionsFrom({ 'ex:a': { age: '41', phone: '123', name: ' ' } }, [item]), {
    'ex:a': { age: 41, phone: '123' },
  });
  assert.deepEqual(correctionsFrom({ 'ex:a': { emails: '["b"]' } }, [item]), { 'ex:a': { emails: ['b'] } });
  assert.deepEqual(correctionsFrom({ 'ex:a': { age: '' } }, [item]), {});
});

test('several values are a line with bars, unless one of them has a bar or parts', () => {
  const typed = (emails: Json, line: string) => {
    const one = { ...item, draft: { class: 'Person', record: { emails } } };
    const [, , wrong] = wrongSlots(one);
    return [wrong?.text, correctionsFrom({ 'ex:a': { emails: line } }, [one])['ex:a']?.emails];
  };
  assert.deepEqual(typed(['a', '1'], 'b | 2 |'), ['a | 1', ['b', '2']]);
  assert.deepEqual(typed([1, 2], '3|4'), ['1 | 2', [3, 4]]);
  assert.deepEqual(typed(['a|b'], '["c|d"]'), ['["a|b"]', ['c|d']]);
  assert.deepEqual(typed([{ at: 'x' }], '[{"at": "y"}]'), ['[{"at":"x"}]', [{ at: 'y' }]]);
});

test('words for a slot that has no problem any more correct nothing', () => {
  assert.deepEqual(correctionsFrom({ 'ex:a': { name: 'A', age: '41' }, 'ex:b': { age: '1' } }, [item]), {
    'ex:a': { age: 41 },
  });
});
