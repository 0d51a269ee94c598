import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentParts, storedMoment, zoneAt } from './moment-parts.ts';

test('a time that is picked keeps the zone that was stored, and a new one gets that of the user', () => {
  const stored = momentParts('datetime', '2026-11-23T14:30:00+01:00');
  assert.equal(stored?.local, '2026-11-23T14:30:00');
  assert.equal(stored && storedMoment(stored, '2026-11-24T09:05'), '2026-11-24T09:05:00+01:00');
  const without = momentParts('datetime', '2026-11-23T14:30:00');
  assert.equal(without && storedMoment(without, '2026-11-24T09:05:07'), '2026-11-24T09:05:07');
  const fresh = momentParts('datetime', '');
  const picked = '2026-07-01T10:00';
  assert.equal(fresh && storedMoment(fresh, picked), `${picked}:00${zoneAt(new Date(picked))}`);
  assert.equal(fresh && storedMoment(fresh, ''), undefined);
  assert.equal(momentParts('time', '14:30:00Z')?.zone, 'Z');
  assert.equal(momentParts('datetime', 'last Tuesday'), undefined);
});

test('zones are written as XML Schema does', () => {
  assert.deepEqual(
    [0, 60, -330, 765].map((minutes) => zoneAt(new Date(0), minutes)),
    ['Z', '+01:00', '-05:30', '+12:45'],
  );
});
