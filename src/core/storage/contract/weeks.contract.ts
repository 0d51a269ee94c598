/** Cases of the store contract: how many records were made and deleted in each week, against a model that reads every entry. */
import assert from 'node:assert/strict';
import { parseJson } from '#linkml/json.ts';
import { batches } from '../../batches.ts';
import { addPolicyTag, indexPolicies } from '../policy-column.ts';
import type { Entry, Week, WeekQuery } from '../store.ts';
import { timeOf } from '../times.ts';
import { policyTag, Visibility } from '../visibility.ts';
import { numbers, writeAtRandom } from './feed.contract.ts';
import { BY, type Case, put, refuses } from './subject.ts';

const TAG = policyTag(['ex:policy']);
const DAY = 86_400_000_000;
const BEGIN = Date.UTC(2024, 11, 20) * 1000;
const AT_ONCE = { items: 5000 };

export function weekContract(it: Case): void {
  for (const seed of [1, 2])
    it(`counts for each caller what was made and deleted in each week (seed ${seed})`, async (store, _, database) => {
      const below = numbers(seed);
      await writeAtRandom(store, below);
      const other = await database().area('weeks');
      let time = BEGIN;
      const entries = (await store.entries({ limit: 1000 })).map((entry) => {
        time += below(3 * DAY) + 1;
        return { ...entry, time: timeOf(time) };
      });
      await other.restore(entries);
      await addPolicyTag(database(), other.area, TAG);
      const restricted = other.as(new Visibility(TAG, null, ['x']));
      await refuses(restricted.weeks({ since: timeOf(0) }), 'policies_unavailable');
      await indexPolicies(database(), other.area, TAG);
      for (const policies of [undefined, [], ['x'], ['x', 'y']])
        for (const classes of [undefined, ['Person'], []])
          for (const since of [0, BEGIN + below(60 * DAY)]) {
            const query = { since: timeOf(since), classes };
            const seen = policies ? other.as(new Visibility(TAG, null, policies)) : other;
            const message = JSON.stringify({ query, policies });
            assert.deepEqual(await seen.weeks(query), expected(entries, query, policies), message);
          }
    });

  it('counts more records of a week, and of a moment, than one statement reads', async (store, _, database) => {
    const all = Array.from({ length: 25_000 }, (_, at) => put(`ex:many${at}`, 'Person'));
    // All of them in one transaction take longer on a busy machine than a server waits.
    for await (const some of batches(all, AT_ONCE)) await store.write(some, BY);
    const imported = await database().area('imported');
    const entries = await store.entries({ limit: all.length });
    const former = entries.map((entry) => ({ ...entry, time: timeOf(BEGIN) }));
    for await (const some of batches(former, AT_ONCE)) await imported.restore(some);
    for (const one of [store, imported]) {
      const counted = await one.weeks({ since: timeOf(0) });
      assert.equal(
        counted.reduce((sum, { made }) => sum + made, 0),
        all.length,
      );
    }
  });
}

function expected(
  entries: readonly Entry[],
  { since, classes }: WeekQuery,
  policies: readonly string[] | undefined,
): Week[] {
  const last = new Map(entries.flatMap((entry) => (entry.json === null ? [] : [[entry.iri, entry.json]])));
  const isSeen = (iri: string) => {
    const { annotations } = parseJson(last.get(iri)!) as { annotations?: { 'ex:policy': string } };
    return !policies || !annotations || policies.includes(annotations['ex:policy']);
  };
  const present = new Set<string>();
  const weeks = new Map<string, { made: number; deleted: number }>();
  for (const { iri, kind, className, time } of entries) {
    const isChange = kind === 'delete' || !present.has(iri);
    if (kind === 'delete') present.delete(iri);
    else present.add(iri);
    if (!isChange || time < since || !isSeen(iri) || !(classes?.includes(className) ?? true)) continue;
    const monday = new Date(time.slice(0, 10));
    monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
    const week = monday.toISOString().slice(0, 10);
    const counts = weeks.get(week) ?? { made: 0, deleted: 0 };
    counts[kind === 'delete' ? 'deleted' : 'made'] += 1;
    weeks.set(week, counts);
  }
  return [...weeks].map(([week, counts]) => ({ week, ...counts }));
}
