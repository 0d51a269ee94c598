import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visits } from './visits.ts';

test('a wait ends when those who were there have left, although others have entered', () => {
  const visits = new Visits();
  const ended: string[] = [];
  const [first, second] = [visits.enter(), visits.enter()];
  visits.whenGone(() => ended.push('a'));
  const third = visits.enter();
  first();
  assert.deepEqual(ended, []);
  second();
  assert.deepEqual(ended, ['a']);
  assert.equal(visits.present, 1);
  visits.whenGone(() => ended.push('b'));
  assert.deepEqual(ended, ['a']);
  third();
  assert.deepEqual(ended, ['a', 'b']);
  visits.whenGone(() => ended.push('c'));
  assert.deepEqual(ended, ['a', 'b', 'c']);
});

test('a wait ends after those of earlier waits', () => {
  const visits = new Visits();
  const ended: string[] = [];
  const first = visits.enter();
  visits.whenGone(() => ended.push('a'));
  const second = visits.enter();
  visits.whenGone(() => ended.push('b'));
  second();
  assert.deepEqual(ended, [], 'the first request may have found what the second wait is about');
  first();
  assert.deepEqual(ended, ['a', 'b']);
});
