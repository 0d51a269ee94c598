/** Collections whose schema, tags, zones or queue are not those that rows were made with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireCounted } from '../../../test/support/counted-submissions.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { Review } from './review.ts';
import type { Verdict } from './states.ts';
import { reviewCompanions } from './submissions/companions.ts';
import { REVIEWER, testWorld, type World } from './world.support.ts';

const PAGING = { page: 1, size: 100 };
const SORT = { by: 'pid', reverse: false } as const;
const ALL = { standing: ['waiting', 'deferred', 'rejected'] } as const;

/** Zones are compared within a time limit: on a busy machine a request leaves some for the next one. */
async function queueOf(review: Review, filter: object = ALL) {
  const read = () => review.queue(filter, SORT, PAGING);
  const { items } = await eventually('all zones are compared', read, (queue) => queue.zones_pending === 0);
  return items;
}

const tagged = (name: string, by: string) => ({ pid: `ex:${name}`, name, annotations: { 'other:by': by } });

test('with other tags, submissions and refusals are compared again', async (t) => {
  const world = await testWorld(t);
  for (const name of ['ada', 'bob', 'eve']) await world.submit('ann', tagged(name, 'ann'));
  await world.withdraw('ann', 'ex:eve');
  const [ada] = await queueOf(world.review);
  const body = {
    label: 'ann',
    pid: 'ex:ada',
    digest: ada!.digest,
    decision: 'reject' as const,
    reason: 'no',
  };
  await world.review.decide(body, REVIEWER);
  const before = await queueOf(world.review);
  await world.restart({ tags: { submitterId: 'other:by', submissionTime: 'other:at' } });
  // A store before the first request: its row is made with the tags of today.
  await world.submit('ann', tagged('ada', 'another'));
  const after = await queueOf(world.review);
  assert.deepEqual(
    after.map(({ pid, standing }) => [pid, standing]),
    [
      ['ex:ada', 'rejected'],
      ['ex:bob', 'waiting'],
    ],
  );
  for (const [at, row] of after.entries()) assert.notEqual(row.digest, before[at]!.digest);
  assert.equal(after[0]!.last?.digest, after[0]!.digest);
  const own = await world.review.submissions('ann', {}, { readCurated: true }, PAGING);
  assert.deepEqual(own.counts, { rejected: 1, waiting: 1, withdrawn: 1 });
  await requireCounted(world);
});

test('areas that were taken in without rows get them, from their entries', async (t) => {
  const world = await testWorld(t);
  await world.curate({ pid: 'ex:ada', name: 'Ada' });
  for (let at = 0; at < 120; at++) await world.submit('ann', { pid: `ex:p${at}`, name: 'x' }, { batch: 'b' });
  await world.submit('bob', { pid: 'ex:ada', name: 'Ada' }, { message: 'hello' });
  await world.submit('bob', { pid: 'ex:gone', name: 'gone' });
  const before = await queueOf(world.review);
  await forgetRows(world);
  await world.withdraw('bob', 'ex:gone');
  await world.submit('bob', { pid: 'ex:new', name: 'new' });
  await world.restart();
  const after = await queueOf(world.review);
  assert.deepEqual(
    after.filter(({ pid }) => pid !== 'ex:new'),
    before.filter(({ pid }) => pid !== 'ex:gone').map((row) => ({ ...row, base_etag: 'unknown' })),
  );
  assert.equal(after.find(({ pid }) => pid === 'ex:new')?.base_etag, null);
  assert.deepEqual((await world.review.submissions('bob', {}, { readCurated: true }, PAGING)).counts, {
    waiting: 2,
    withdrawn: 1,
  });
  await requireCounted(world);
});

test('a submission without a row is decided as any other', async (t) => {
  const world = await testWorld(t);
  await world.submit('ann', { pid: 'ex:ada', name: 'Ada' });
  const { digest } = await world.review.item('ann', 'ex:ada');
  await forgetRows(world);
  await world.restart();
  const body = { label: 'ann', pid: 'ex:ada', digest, decision: 'accept' as const };
  assert.equal((await world.review.decide(body, REVIEWER)).submitter, 'ann');
  assert.deepEqual(await queueOf(world.review), []);
  await requireCounted(world);
});

async function forgetRows({ database }: World): Promise<void> {
  await database.transact(async (draft) => {
    draft.run('DELETE FROM accession_submission');
    draft.run('DELETE FROM accession_submission_count');
    draft.run('DELETE FROM accession_cursor');
  });
}

test('collections that share their areas share decisions, and each has its queue', async (t) => {
  const world = await testWorld(t);
  const parts = { ...world.parts, collection: 'other' };
  const [one, two] = [reviewCompanions(world.parts), reviewCompanions(parts)];
  world.database.use({
    companions: (path) =>
      path === 'curated'
        ? [one.curated, two.curated]
        : [one.zone(path.slice('incoming/'.length)), two.zone(path.slice('incoming/'.length))],
    mirror: () => undefined,
  });
  const other = new Review(parts);
  t.after(() => other.close());
  for (const name of ['ada', 'bob', 'eve']) await world.submit('ann', { pid: `ex:${name}`, name });
  assert.deepEqual(await queueOf(other), await queueOf(world.review));
  const decide = async (review: Review, pid: string, decision: Verdict) => {
    const { digest } = await review.item('ann', pid);
    return review.decide({ label: 'ann', pid, digest, decision, reason: 'r' }, REVIEWER);
  };
  const before = await other.version();
  await decide(world.review, 'ex:ada', 'reject');
  assert.notEqual(await other.version(), before);
  await decide(other, 'ex:bob', 'accept');
  const { id } = await decide(world.review, 'ex:eve', 'accept');
  for (const review of [world.review, other]) {
    const rows = await queueOf(review);
    assert.deepEqual(
      rows.map(({ pid, standing }) => [pid, standing]),
      [['ex:ada', 'rejected']],
    );
    assert.equal((await review.decisions({}, PAGING)).total, 3);
  }
  await other.undo(id, REVIEWER);
  assert.deepEqual(await queueOf(other), await queueOf(world.review));
  assert.equal((await queueOf(other, {})).length, 1);
});

test('the transaction that changes several records changes their rows as one', async (t) => {
  const world = await testWorld(t);
  const zone = await world.zone('ann');
  const by = { committer: 'carl', author: 'carl', role: 'curator' } as const;
  await world.submit('ann', { pid: 'ex:old', name: 'x' });
  const { iri, ...old } = (await zone.get(world.schema.expand('ex:old')!))!;
  const put = {
    ...old,
    pid: 'ex:new',
    iri: world.schema.expand('ex:new')!,
    json: old.json.replace('ex:old', 'ex:new'),
  };
  for (const [first, second] of [
    ['curated', 'zone'],
    ['zone', 'curated'],
  ]) {
    await world.database.transact(async (draft) => {
      for (const area of [first, second])
        if (area === 'zone') await draft.write(zone.area, [{ delete: iri }, { put }], by);
        else await draft.write(world.curated.area, [{ put }], by);
    });
    const [row] = await queueOf(world.review);
    assert.deepEqual(
      [row?.pid, row?.state, row?.curated_etag],
      ['ex:new', 'same', world.parts.etagOf('', await world.curated.revision())],
    );
    await requireCounted(world);
    await zone.write([{ delete: put.iri }, { put: { ...put, iri, pid: 'ex:old', json: old.json } }], by);
    await world.curated.write([{ delete: put.iri }], by);
  }
});
