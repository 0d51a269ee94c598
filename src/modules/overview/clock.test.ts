/** A clock that was ahead: what it has dated in the future is counted in the present week. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withClock, YEAR } from '../../../test/support/clock.ts';
import { person } from '../../../test/support/people.ts';
import type { Activity, Week } from './api-types.ts';

test('weeks have what was made while the clock was ahead, and after it was set back', async (t) => {
  const { request, now, put, set } = await withClock(t, { ann: { c: 'WRITE_COLLECTION' } });
  await put('before');
  set(now + YEAR);
  await put('ahead');
  const submitted = await request('POST', '/c/record/Person', { token: 'ann', json: person('a') });
  assert.equal(submitted.status, 200, submitted.text);
  set(now);
  await put('later');
  const weeks = async <T>(path: string) =>
    (await request('GET', `/-/c/overview/${path}?weeks=2`, { token: 'cleo' })).json<T>();
  const { items } = await weeks<{ items: Week[] }>('weeks');
  assert.deepEqual(
    items.map(({ made, records }) => [made, records]),
    [
      [0, 0],
      [3, 3],
    ],
  );
  const activity = await weeks<Activity>('submissions');
  assert.deepEqual(
    activity.weeks.map((week) => week.submitted),
    [0, 1],
  );
});
