/** Services whose clocks a test sets or stops. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { DAY } from '../../src/core/durations.ts';
import { testApp } from './app.ts';
import { person } from './people.ts';

export const YEAR = 365 * DAY;

/** Stops the clock that measures durations, such as that by which allowances fill: a busy machine has long pauses between requests. */
export function stopDurations(t: TestContext): void {
  t.mock.method(performance, 'now', () => 0);
}

/** On PostgreSQL: with SQLite, a thread with a clock of its own dates the changes. */
export async function withClock(t: TestContext, tokens: object = {}) {
  const service = await testApp(t, {
    collections: { c: { default_token: 'guest', backend: { type: 'postgresql' } } },
    tokens: { guest: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' }, ...tokens },
  });
  const { app, request } = service;
  const now = Math.floor(Date.now() / 1000) * 1000;
  t.mock.timers.enable({ apis: ['Date'], now });
  const put = async (name: string, label = name) => {
    const json = person(name, { name: label });
    const { status, text } = await request('POST', '/c/curated/record/Person', { token: 'cleo', json });
    assert.equal(status, 200, text);
  };
  const at = async (time: number) => {
    const url = `/-/c/curated/export?at=${new Date(time).toISOString()}`;
    const { text } = await request('GET', url, { token: 'cleo' });
    return [...text.matchAll(/"pid":"labid:([^"]*)"/g)].map(([, name]) => name).join(' ');
  };
  return { app, request, now, put, at, set: (to: number) => t.mock.timers.setTime(to) };
}
