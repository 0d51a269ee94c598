import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfter } from './retry-after.ts';

const SENT = 'Sun, 06 Nov 1994 08:49:37 GMT';

test('seconds and dates by the clock of the sender are milliseconds, and all else is nothing', () => {
  const rows: [value: string | null | undefined, expected: number | undefined][] = [
    [undefined, undefined],
    [null, undefined],
    ['', undefined],
    ['0', 0],
    ['120', 120_000],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['Sun, 06 Nov 1994 08:49:57 GMT', 20_000],
    ['Sunday, 06-Nov-94 08:49:57 GMT', 20_000],
    ['Sun Nov  6 08:49:57 1994 GMT', 20_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Sun, 99 Nov 1994 08:49:57 GMT', undefined],
  ];
  for (const [value, expected] of rows) assert.equal(retryAfter(value, SENT), expected, String(value));
});

test('without a date of the response, the own clock counts', () => {
  const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();
  const pause = retryAfter(inTenMinutes, null) ?? 0;
  assert.ok(pause > 590_000 && pause <= 600_000, String(pause));
});
