/** A clock that was ahead, or is set back: neither hides a change from those who follow or read former states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '../../src/core/durations.ts';
import { withClock, YEAR } from '../support/clock.ts';

test('a write while the clock was ahead hides no later one', async (t) => {
  const { request, now, put, at, set } = await withClock(t);
  await put('before');
  set(now + YEAR);
  await put('ahead');
  set(now + 10 * MINUTE);
  await put('new');
  await put('before', 'Renamed');
  set(now + 20 * MINUTE);
  await put('last');
  set(now + 30 * MINUTE);
  assert.equal(await at(now + 5 * MINUTE), 'before');
  assert.equal(await at(now + 15 * MINUTE), 'ahead before new');
  assert.equal(await at(now + 30 * MINUTE), 'ahead before last new');
  const changes = await request('GET', '/-/c/curated/changes', { token: 'cleo' });
  assert.equal(changes.json<{ items: unknown[] }>().items.length, 5);
  const { problems } = (await request('GET', '/-/health')).json<{ problems?: string[] }>();
  assert.match(String(problems), /the last change is dated 364 days in the future/);
  // The real time passes the false date.
  set(now + 2 * YEAR);
  assert.equal(await at(now + 15 * MINUTE), 'ahead before new');
  await put('after');
  set(now + 3 * YEAR);
  assert.equal(await at(now + 5 * MINUTE), 'before');
  assert.equal(await at(now + 15 * MINUTE), 'ahead before new');
  assert.equal(await at(now + YEAR + MINUTE), 'ahead before last new');
});

test('a former state is restored by the time of its entry, also if that is ahead of the clock', async (t) => {
  const { request, now, put, set } = await withClock(t);
  set(now + YEAR);
  await put('a', 'first');
  set(now);
  await put('a', 'second');
  const history = await request('GET', '/-/c/history?pid=labid:a', { token: 'cleo' });
  const [first] = history.json<{ time_stamp: string }[]>();
  const url = `/-/c/history/record?pid=labid:a&at=${encodeURIComponent(first!.time_stamp)}`;
  assert.match((await request('GET', url, { token: 'cleo' })).text, /first/);
});

test('changes while the clock is set back have their order', async (t) => {
  const { now, put, at, set } = await withClock(t);
  await put('one');
  set(now - YEAR);
  await put('two');
  set(now + MINUTE);
  await put('three');
  // The second one shows that the first one was made before.
  assert.equal(await at(now - YEAR - MINUTE), '');
  assert.equal(await at(now - YEAR + 1000), 'one two');
  assert.equal(await at(now + 1000), 'one two');
});
