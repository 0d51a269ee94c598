/** Clocks that were ahead, or are set back: changes are found by the time when they were made. */
import assert from 'node:assert/strict';
import { DAY } from '../../durations.ts';
import type { RecordStore } from '../store.ts';
import { timeOf } from '../times.ts';
import { BY, type Case, put } from './subject.ts';

export function clockContract(it: Case): void {
  const days = (number: number) => timeOf((Date.now() + number * DAY) * 1000);
  const entry = (revision: number, time: string, rest: object = {}) => ({
    revision,
    iri: `https://example.org/${revision}`,
    pid: `ex:${revision}`,
    className: 'Person',
    time,
    kind: 'put' as const,
    committer: 'a',
    author: 'a',
    role: 'curator' as const,
    json: '{}',
    ...rest,
  });
  const date = async (store: RecordStore, revision: number) => {
    const [found] = await store.entries({ after: revision - 1, limit: 1 });
    return (await store.dates())(found!);
  };

  it('finds changes behind one that a clock has dated in the future', async (store) => {
    const [before, ahead] = [days(-30), days(365)];
    await store.restore([entry(1, before), entry(2, ahead)]);
    const begun = days(0);
    await store.write([put('ex:a')], BY);
    await store.write([put('ex:b')], BY);
    const times = (await store.entries({ limit: 10 })).map(({ time }) => time);
    assert.deepEqual(times, times.toSorted());
    assert.ok(times[2]! > ahead);
    assert.equal(await store.revisionBy(days(-31)), 0);
    assert.equal(await store.revisionBy(days(-1)), 1);
    assert.equal(await store.revisionBy(days(1)), 4);
    assert.equal(await store.revisionBy(days(1000)), 4);
    assert.equal(await store.revisionDated(ahead), 2);
    assert.equal(await store.revisionDated(times[2]!), 3);
    for (const revision of [2, 3, 4]) {
      const made = await date(store, revision);
      assert.ok(made >= begun.slice(0, 23) && made <= days(0.001), made);
    }
    assert.equal(await date(store, 1), before);
    const since = await store.entries({ since: days(-1), limit: 10 });
    assert.deepEqual(
      since.map(({ revision }) => revision),
      [2, 3, 4],
    );
    assert.equal(await store.prune(days(-1), 100), 0);
  });

  it('finds changes that may have been made after a time, before a clock was set back that was right', async (store) => {
    const setBack = { at: 3, to: (Date.now() - 365 * DAY) * 1000 };
    await store.restore([
      entry(1, days(-100)),
      entry(2, days(-50)),
      entry(3, days(-49), { clock: setBack.to, setBack }),
      entry(4, days(-10), { setBack }),
    ]);
    for (const [day, by, before] of [
      [-400, 0, 0],
      [-200, 3, 0],
      [-60, 3, 1],
      [-20, 3, 3],
      [-5, 4, 4],
    ] as const) {
      const found = [await store.revisionBy(days(day)), await store.revisionBefore(days(day))];
      assert.deepEqual(found, [by, before], `day ${day}`);
      const since = await store.entries({ since: days(day), limit: 10 });
      assert.equal(since.length, 4 - before, `day ${day}`);
    }
  });

  it('finds changes of clocks that were set back several times', async (store) => {
    const clock = (number: number) => (Date.now() + number * DAY) * 1000;
    // Ahead, nearly right, right: each follows the date of the first, which the real time has passed.
    const [first, second] = [
      { at: 3, to: clock(-80) },
      { at: 5, to: clock(-90) },
    ];
    await store.restore([
      entry(1, days(-100)),
      entry(2, days(-50)),
      entry(3, timeOf(clock(-50) + 10e6), { clock: first.to, setBack: first }),
      entry(4, timeOf(clock(-50) + 20e6), { clock: clock(-79), setBack: first }),
      entry(5, timeOf(clock(-50) + 30e6), { clock: second.to, setBack: second }),
      entry(6, timeOf(clock(-50) + 40e6), { clock: clock(-85), setBack: second }),
      entry(7, days(-10), { setBack: second }),
    ]);
    await store.write([put('ex:a')], BY);
    const expected = [
      [-101, 0],
      [-99, 1],
      [-91, 1],
      [-89, 5],
      [-84, 6],
      [-78, 6],
      [-49, 6],
      [-9, 7],
      [1, 8],
    ];
    const found = await Promise.all(expected.map(async ([day]) => [day, await store.revisionBy(days(day!))]));
    assert.deepEqual(found, expected);
    for (const [revision, day] of [
      [1, -100],
      [2, -90],
      [3, -90],
      [4, -90],
      [5, -90],
      [6, -85],
      [7, -10],
    ] as const)
      assert.equal((await date(store, revision)).slice(0, 16), days(day).slice(0, 16));
  });

  it('agrees with every entry about the revisions of times', async (store) => {
    let random = 1;
    const next = (below: number) => {
      random = (random * 48271) % 2147483647;
      return random % below;
    };
    const clocks: number[] = [];
    const entries: ReturnType<typeof entry>[] = [];
    let [time, setBack, last] = [0, undefined as { at: number; to: number } | undefined, 0];
    const begun = (Date.now() - 500 * DAY) * 1000;
    for (let revision = 1; revision <= 60; revision++) {
      const clock = begun + next(100) * DAY * 1000;
      if (clock < last) setBack = { at: revision, to: clock };
      last = clock;
      time = Math.max(clock, time + 1);
      clocks.push(clock);
      const note = setBack && { ...(clock !== time && { clock }), setBack };
      entries.push(entry(revision, timeOf(time), note));
    }
    await store.restore(entries);
    for (let day = -1; day <= 101; day++) {
      const moment = begun + day * DAY * 1000;
      const expected = clocks.findLastIndex((clock) => clock <= moment) + 1;
      assert.equal(await store.revisionBy(timeOf(moment)), expected, `day ${day}`);
    }
    const dateOf = await store.dates();
    for (const one of entries)
      assert.equal(dateOf(one), timeOf(Math.min(...clocks.slice(one.revision - 1))), `entry ${one.revision}`);
  });
}
