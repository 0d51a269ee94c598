/** Cases of the store contract: changes and references are found by the policies of a caller, and hidden ones are not passed. */
import assert from 'node:assert/strict';
import { compareCodePoints } from '#linkml/json.ts';
import type { Database } from '../database.ts';
import { addPolicyTag, indexPolicies, isPolicyIndexed } from '../policy-column.ts';
import type { Reader } from '../reader.ts';
import { type Change, type EntryQuery, linkLines, type RecordStore } from '../store.ts';
import { policyTag, Visibility } from '../visibility.ts';
import { numbers, writeAtRandom } from './feed.contract.ts';
import { BY, type Case, expand, put } from './subject.ts';

const TAG = policyTag(['ex:policy']);
const OTHER = policyTag(['ex:other']);
const CALLERS = [[], ['x'], ['y'], ['x', 'y']].flatMap((policies) =>
  [null, 'x'].map((other) => new Visibility(TAG, other, policies)),
);
const HUB = expand('ex:hub')!;

/** A record that refers to another one. */
function referring(pid: string, policy?: string, target = HUB): Change {
  const change = put(pid, 'Person', policy === undefined ? {} : { annotations: { 'ex:policy': policy } });
  assert.ok('put' in change);
  const links = linkLines([
    { iri: target, slot: 'knows', path: '/knows/0' },
    { iri: target, slot: 'knows', path: '/knows/1' },
  ]);
  return { put: { ...change.put, links } };
}

async function referAtRandom(store: RecordStore, below: (limit: number) => number): Promise<void> {
  for (let at = 0; at < 60; at++) {
    const pid = `ex:r${below(20)}`;
    const iri = expand(pid)!;
    const isThere = (await store.having([iri])).length > 0;
    const policy = [undefined, 'x', 'y'][below(3)];
    const change = isThere && below(4) === 0 ? { delete: iri } : referring(pid, policy, below(5) ? HUB : iri);
    await store.write([change], BY);
  }
}

/** What callers read of changes and references. */
async function answers(store: RecordStore): Promise<unknown[]> {
  const queries: Omit<EntryQuery, 'limit'>[] = [
    ...[{}, { newestFirst: true }, { after: 20 }, { before: 70, newestFirst: true }],
    ...[
      { author: BY.author },
      { author: 'nobody' },
      { className: 'Robot' },
      { className: 'Robot', newestFirst: true },
    ],
    ...[{ lastOnly: true }, { lastOnly: true, newestFirst: true, className: 'Person' }],
    ...[{ iris: [expand('ex:3')!] }, { iris: [expand('ex:3')!, expand('ex:4')!], newestFirst: true }],
    { iris: [expand('ex:5')!], lastOnly: true },
  ];
  const found: unknown[] = [];
  for (const visibility of CALLERS) {
    const seen = store.as(visibility);
    for (const query of queries)
      for (const limit of [1, 3, 1000]) found.push(await seen.entries({ ...query, limit }));
    for (const range of [
      { offset: 0, limit: 3 },
      { offset: 2, limit: 100 },
    ])
      found.push(await seen.links.to(HUB, range));
    for (const most of [2, 100]) found.push(await seen.links.countReferencesTo(HUB, most));
    found.push(await seen.links.countTo(HUB));
    const upTo = await store.revision();
    const differences = await Array.fromAsync(seen.former.differences({ at: 15, after: 15, upTo }));
    // PostgreSQL has them in another order once it has analyzed the tables.
    found.push(differences.flat().sort((a, b) => compareCodePoints(a.iri, b.iri)));
  }
  return found;
}

const COLUMNS = `SELECT revision, policy, former_policy, policies FROM accession_entry WHERE area = $1 ORDER BY revision`;
const OF_LINKS = 'SELECT iri, path, policy FROM accession_link WHERE area = $1 ORDER BY iri, path, id';

async function columns(database: Database, { area }: RecordStore): Promise<unknown[]> {
  return [await database.tuples(COLUMNS, [area.id]), await database.tuples(OF_LINKS, [area.id])];
}

/** Has everything computed again. */
async function indexAgain(database: Database, { area }: RecordStore): Promise<void> {
  await database.transact(async (draft) => {
    draft.run('UPDATE accession_entry SET policy = NULL, former_policy = NULL, policies = NULL');
    draft.run('UPDATE accession_link SET policy = NULL');
    const tags = JSON.stringify([{ ...TAG, settled: true }]);
    draft.run('UPDATE accession_area SET policy_tags = $2 WHERE area = $1', [area.id, tags]);
  });
  await indexPolicies(database, area, TAG);
}

export function policyIndexContract(it: Case): void {
  for (const seed of [3, 4])
    it(`reads the same by the indexes of policies as one by one (seed ${seed})`, async (store, reopen, database) => {
      await addPolicyTag(database(), store.area, TAG);
      const below = numbers(seed);
      await writeAtRandom(store, below);
      await referAtRandom(store, below);
      const oneByOne = await answers(store);
      await indexPolicies(database(), store.area, TAG);
      assert.equal(await isPolicyIndexed(database(), store.area, TAG), true);
      assert.deepEqual(await answers(store), oneByOne);
      assert.deepEqual(await answers(await reopen()), oneByOne);
    });

  for (const seed of [5, 6])
    it(`keeps the policies of changes and references as if they were computed from the texts (seed ${seed})`, async (store, _, database) => {
      await addPolicyTag(database(), store.area, TAG);
      await indexPolicies(database(), store.area, TAG);
      const below = numbers(seed);
      await writeAtRandom(store, below);
      await referAtRandom(store, below);
      const kept = await columns(database(), store);
      await indexAgain(database(), store);
      assert.deepEqual(kept, await columns(database(), store));
    });

  it('keeps them when entries are restored and pruned, and for a tag that is added later', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    await indexPolicies(database(), store.area, TAG);
    await writeAtRandom(store, numbers(7));
    const restored = await database().area('restored');
    await addPolicyTag(database(), restored.area, TAG);
    await indexPolicies(database(), restored.area, TAG);
    await restored.restore(await store.entries({ limit: 1000 }));
    const [entries] = await columns(database(), store);
    assert.deepEqual((await columns(database(), restored))[0], entries);
    await restored.prune('2999-01-01T00:00:00.000000+00:00', 60);
    const pruned = await columns(database(), restored);
    await indexAgain(database(), restored);
    assert.deepEqual(await columns(database(), restored), pruned);
    await addPolicyTag(database(), store.area, OTHER);
    assert.equal(await isPolicyIndexed(database(), store.area, OTHER), false);
    await store.write([put('ex:0', 'Person', { annotations: { 'ex:policy': 'x', 'ex:other': 'z' } })], BY);
    await indexPolicies(database(), store.area, OTHER);
    for (const [tag, policies, isSeen] of [
      [TAG, ['x'], true],
      [OTHER, ['z'], true],
      [OTHER, ['x'], false],
    ] as const) {
      const [last] = await store
        .as(new Visibility(tag, null, policies))
        .entries({ newestFirst: true, limit: 1 });
      assert.equal(last?.pid === 'ex:0', isSeen);
    }
  });

  it('has no policies in areas without tags', async (store, _, database) => {
    await store.write([referring('ex:a', 'x'), referring('ex:b')], BY);
    const rows = (await columns(database(), store)).flat() as unknown[][];
    assert.ok(rows.every((row) => row.slice(row.length === 4 ? 1 : 2).every((value) => value === null)));
  });

  it('reads no hidden change and no hidden reference', async (store, _, database) => {
    await addPolicyTag(database(), store.area, TAG);
    await indexPolicies(database(), store.area, TAG);
    const hidden = Array.from({ length: 1200 }, (_, at) => referring(`ex:h${at}`, 'y'));
    await store.write([...hidden, referring('ex:a', 'x'), ...hidden], BY);
    let rows = 0;
    let statements = 0;
    const counted = (reader: Reader): Reader => ({
      read: async (sql, values) => counting(await reader.read(sql, values)),
      tuples: async (sql, values) => counting(await reader.tuples(sql, values)),
    });
    const counting = <T>(found: T[]): T[] => {
      statements++;
      rows += found.length;
      return found;
    };
    await database().snapshot(async (reader) => {
      const seen = store.as(new Visibility(TAG, null, ['x'])).within(counted(reader));
      for (const newestFirst of [true, false])
        assert.deepEqual(
          (await seen.entries({ limit: 5, newestFirst })).map(({ pid }) => pid),
          ['ex:a'],
        );
      const { changes, reached } = await seen.feed({ after: 0, limit: 100 });
      assert.deepEqual([changes.map(({ pid }) => pid), reached], [['ex:a'], await store.revision()]);
      assert.equal((await seen.links.to(HUB, { offset: 0, limit: 100 })).length, 2);
      assert.equal(await seen.links.countTo(HUB), 1);
    });
    assert.ok(statements <= 40, `${statements} statements`);
    assert.ok(rows <= 60, `${rows} rows`);
  });
}
