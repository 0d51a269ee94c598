import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RehearsedRecord } from '../client.ts';
import {
  correctedRecord,
  correctionsOf,
  correctionsTo,
  correctionTo,
  withCorrections,
  wrongSlots,
} from './corrections.ts';

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

test('problems of one slot are one line, and those of the whole record have no slot', () => {
  assert.deepEqual(
    wrongSlots(item, ({ msg }) => msg),
    [
      { slot: 'age', messages: ['age is required'] },
      { slot: 'phone', messages: ['phone is wrong', 'phone is short'] },
      { slot: 'emails', messages: ['emails is wrong'] },
      { slot: undefined, messages: ['a rule'] },
    ],
  );
});

test('a value of a slot is a correction if the record has another one, and null removes that', () => {
  const correctedTo = (slot: string, value?: string) => correctionTo(item, slot, value).value;
  assert.equal(correctedTo('phone', '123'), '123');
  assert.equal(correctedTo('phone', '12'), undefined);
  assert.equal(correctedTo('phone'), null);
  assert.equal(correctedTo('age'), undefined);
});

test('corrections lead from a record to the one of its form, and back', () => {
  const record = { age: 41, emails: ['a', 'b'] };
  const values = withCorrections({ 'ex:b': { age: 1 } }, correctionsTo(item, record, {}));
  assert.deepEqual(values, { 'ex:a': { age: 41, emails: ['a', 'b'], phone: null }, 'ex:b': { age: 1 } });
  assert.deepEqual(correctedRecord(item, values), record);
  const again = withCorrections(values, correctionsTo(item, { phone: '12', emails: ['a'] }, values));
  assert.deepEqual(again, { 'ex:b': { age: 1 } });
});

test('only records that can be corrected are', () => {
  const { draft: _, ...gone } = { ...item, pid: 'ex:c', outcome: 'unreachable' };
  const values = { 'ex:a': { age: 41 }, 'ex:b': { age: 1 }, 'ex:c': { age: 2 } };
  assert.deepEqual(correctionsOf(values, [item, gone]), { 'ex:a': { age: 41 } });
});
