/** Cases of the store contract: the feed of changes, against a model that computes it from the writes. */
import assert from 'node:assert/strict';
import { addPolicyTag, indexPolicies } from '../policy-column.ts';
import type { Change, FeedChange, FeedQuery, RecordStore } from '../store.ts';
import { policyTag, Visibility } from '../visibility.ts';
import { BY, type Case, expand, put } from './subject.ts';

const TAG = policyTag(['ex:policy']);
const CLASSES = ['Person', 'Robot'];
const POLICIES = [undefined, 'x', 'y'];
const PIDS = Array.from({ length: 12 }, (_, at) => `ex:${at}`);

type Version = { readonly className: string; readonly policy: string | undefined };
type Made = {
  readonly pid: string;
  readonly before: Version | undefined;
  readonly after: Version | undefined;
};

/** Numbers below a limit, the same in every run. */
export function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Writes at random, in transactions of a few changes. @returns the change of each revision, from 1 on */
export async function writeAtRandom(store: RecordStore, below: (limit: number) => number): Promise<Made[]> {
  const records = new Map<string, Version>();
  const made: Made[] = [];
  for (let transaction = 0; transaction < 40; transaction++) {
    const changes: Change[] = [];
    for (let left = 1 + below(4); left > 0; left--) {
      const pid = PIDS[below(PIDS.length)]!;
      const before = records.get(pid);
      const className = CLASSES[below(CLASSES.length)]!;
      const policy = POLICIES[below(POLICIES.length)];
      const after = before && below(3) === 0 ? undefined : { className, policy };
      if (after) records.set(pid, after);
      else records.delete(pid);
      made.push({ pid, before, after });
      changes.push(
        after
          ? put(pid, className, policy === undefined ? {} : { annotations: { 'ex:policy': policy } })
          : { delete: expand(pid)! },
      );
    }
    await store.write(changes, BY);
  }
  return made;
}

type Seen = Pick<FeedChange, 'revision' | 'pid' | 'className' | 'kind'>;

function expected(
  made: readonly Made[],
  { after, iri, classes }: Omit<FeedQuery, 'limit'>,
  policies: readonly string[] | undefined,
): Seen[] {
  const isSelected = (version: Version | undefined) =>
    version !== undefined &&
    (classes?.includes(version.className) ?? true) &&
    (policies === undefined || version.policy === undefined || policies.includes(version.policy));
  return made.flatMap((change, at): Seen[] => {
    const [was, is] = [isSelected(change.before), isSelected(change.after)];
    if (at < after || (iri !== undefined && expand(change.pid) !== iri) || (!was && !is)) return [];
    const { className } = (is ? change.after : change.before)!;
    const kind = is ? (was ? 'replaced' : 'created') : 'deleted';
    return [{ revision: at + 1, pid: change.pid, className, kind }];
  });
}

function lastOf(seen: readonly Seen[]): Seen[] {
  const last = new Map(seen.map((one) => [expand(one.pid), one.revision]));
  return seen.filter(({ pid, revision }) => last.get(expand(pid)) === revision);
}

async function walk(store: RecordStore, query: FeedQuery): Promise<Seen[]> {
  const found: Seen[] = [];
  for (let after = query.after; ; ) {
    const { changes, reached } = await store.feed({ ...query, after });
    found.push(...changes.map(({ revision, pid, className, kind }) => ({ revision, pid, className, kind })));
    assert.ok(changes.length <= query.limit && reached >= after);
    if (reached === after) return found;
    after = reached;
  }
}

export function feedContract(it: Case): void {
  for (const [seed, indexed] of [
    [1, 'never'],
    [2, 'never'],
    [1, 'before'],
    [2, 'behind'],
  ] as const)
    it(`reports to each caller every change once, in the order of the commits (seed ${seed}, policies indexed ${indexed})`, async (store, _, database) => {
      await addPolicyTag(database(), store.area, TAG);
      if (indexed === 'before') await indexPolicies(database(), store.area, TAG);
      const below = numbers(seed);
      const made = await writeAtRandom(store, below);
      if (indexed === 'behind') await indexPolicies(database(), store.area, TAG);
      for (const policies of [undefined, [], ['x'], ['x', 'y']]) {
        const seen = policies ? store.as(new Visibility(TAG, null, policies)) : store;
        for (const classes of [undefined, ['Person'], CLASSES, []])
          for (const iri of [undefined, expand(PIDS[0]!)]) {
            const query = { after: below(made.length), iri, classes };
            const limit = 1 + below(30);
            assert.deepEqual(
              await walk(seen, { ...query, limit }),
              expected(made, query, policies),
              JSON.stringify({ ...query, limit, policies }),
            );
            const lastUpTo = below(made.length);
            assert.deepEqual(
              await walk(seen, { ...query, limit, lastUpTo }),
              lastOf(expected(made.slice(0, lastUpTo), query, policies)),
              JSON.stringify({ ...query, limit, lastUpTo, policies }),
            );
          }
      }
    });

  it('finds the changes of a rare class behind many others at once', async (store) => {
    const many = Array.from({ length: 6000 }, (_, at) => put(`ex:many${at}`, 'Person'));
    await store.write([put('ex:left', 'Robot'), ...many], BY);
    await store.write([put('ex:left', 'Person'), put('ex:rare', 'Robot'), ...many.slice(0, 100)], BY);
    const end = await store.revision();
    const query = { after: 1, classes: ['Robot'], limit: 10 };
    for (const lastUpTo of [undefined, end]) {
      const { changes, reached } = await store.feed({ ...query, ...(lastUpTo && { lastUpTo }) });
      assert.deepEqual(
        changes.map(({ pid, kind }) => [pid, kind]),
        [
          ['ex:left', 'deleted'],
          ['ex:rare', 'created'],
        ],
      );
      assert.equal(reached, end);
    }
    const { changes } = await store.feed({ ...query, after: end });
    assert.deepEqual(changes, []);
  });

  it('is complete behind the revision up to which entries were removed', async (store) => {
    const made = await writeAtRandom(store, numbers(3));
    assert.equal(await store.keptFrom(), 0);
    const middle = Math.floor(made.length / 2);
    assert.ok((await store.prune('9999-01-01T00:00:00.000000+00:00', middle)) > 0);
    assert.equal(await store.keptFrom(), middle);
    const query = { after: middle, classes: ['Robot'], limit: 7 };
    assert.deepEqual(await walk(store, query), expected(made, query, undefined));
    assert.equal(await store.prune('9999-01-01T00:00:00.000000+00:00', middle), 0);
    assert.equal(await store.keptFrom(), middle);
  });
}
