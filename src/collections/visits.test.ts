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
  assert.equal(ended.join(), '');
  second();
  assert.equal(ended.join(), 'a');
  assert.equal(visits.present, 1);
  visits.whenGone(() => ended.push('b'));
  assert.equal(ended.join(), 'a');
  third();
  assert.equal(ended.join(), 'a,b');
  visits.whenGone(() => ended.push('c'));
  assert.equal(ended.join(), 'a,b,c');
});

test('a wait ends after those of earlier waits', () => {
  const visits = new Visits();
  const ended: string[] = [];
  const first = visits.enter();
  visits.whenGone(() => ended.push('a'));
  const second = visits.enter();
  visits.whenGone(() => ended.push('b'));
  second();
  assert.equal(ended.join(), '', 'the first request may have found what the second wait is about');
  first();
  assert.equal(ended.join(), 'a,b');
});
