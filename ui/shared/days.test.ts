import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayFromNow, endOfDay } from './days.ts';

test('days are those where the user is, in any time zone', (t) => {
  const { TZ } = process.env;
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  for (const [zone, now, tomorrow, end] of [
    ['UTC', '2026-12-31T23:59:58Z', '2027-01-01', '2027-01-01T23:59:59.999Z'],
    ['America/St_Johns', '2028-02-29T01:00:00Z', '2028-02-29', '2028-03-01T03:29:59.999Z'],
    ['Asia/Kathmandu', '2028-02-28T20:00:00Z', '2028-03-01', '2028-03-01T18:14:59.999Z'],
    // Today has 23 hours.
    ['Europe/Berlin', '2026-03-28T23:30:00Z', '2026-03-30', '2026-03-30T21:59:59.999Z'],
  ] as const) {
    process.env.TZ = zone;
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse(now) });
    assert.equal(dayFromNow(1), tomorrow, zone);
    assert.equal(endOfDay(tomorrow), end, zone);
    t.mock.timers.reset();
  }
});
