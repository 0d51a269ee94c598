import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { keptHealth, logProblem } from './health.ts';
import type { HealthState } from './service.ts';

/** The tests pass their own state, so the parts are not used. */
const PARTS = {} as Parameters<typeof keptHealth>[0];
const state = (text: string): HealthState => ({ accepts: true, text });

test('the state is found once in an interval, however many ask', async () => {
  let found = 0;
  const health = keptHealth(PARTS, 60_000, async () => {
    found += 1;
    await nextTurn();
    return state('ok');
  });
  await Promise.all(Array.from({ length: 100 }, health));
  for (let n = 0; n < 100; n++) assert.equal((await health()).text, 'ok');
  assert.equal(found, 1);
});

test('while the next state cannot be found, the last one is returned', async () => {
  const states = [Promise.resolve(state('first')), new Promise<HealthState>(() => {})];
  const health = keptHealth(PARTS, 1e-9, () => states.shift()!);
  assert.equal((await health()).text, 'first');
  assert.equal((await health()).text, 'first');
  assert.equal((await health()).text, 'first');
  assert.equal(states.length, 0);
});

test('after a failure, the state is looked for again', async () => {
  const states = [Promise.reject(new Error('no connection')), Promise.resolve(state('ok'))];
  const health = keptHealth(PARTS, 60_000, () => states.shift()!);
  await assert.rejects(health(), /no connection/);
  assert.equal((await health()).text, 'ok');
});

test('a long log of the database is a problem', () => {
  assert.deepEqual([null, 0, 2 ** 30].map(logProblem), [[], [], []]);
  assert.match(logProblem(5_008_000_000)[0] ?? '', /^the log of the database has 4\.7 GiB/);
});
