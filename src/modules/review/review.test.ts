/** The queue and decisions over real stores, on SQLite and PostgreSQL. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { YEAR } from '../../../test/support/clock.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import type { ServiceError } from '../../core/errors.ts';
import type { Sort } from './queue/queue.ts';
import type { Refusal } from './queue/words.ts';
import { parsed, REVIEWER, testWorld, type World } from './world.support.ts';

const ADA = { pid: 'ex:ada', name: 'Ada' };
const BY_TIME: Sort = { by: 'submitted', reverse: false };
const FIRST = { page: 1, size: 50 };

async function rows(world: World, filter = {}) {
  return (await world.review.queue(filter, BY_TIME, FIRST)).items;
}

async function only(world: World, filter = {}) {
  const found = await rows(world, filter);
  assert.equal(found.length, 1);
  return found[0]!;
}

async function accept(world: World, label: string, pid: string, more: JsonObject = {}) {
  const { digest } = await world.review.item(label, pid);
  return world.review.decide({ label, pid, digest, decision: 'accept', ...more }, REVIEWER);
}

function refusedWith(code: string) {
  return (error: unknown) => {
    assert.equal((error as Refusal).code, code, String(error));
    return true;
  };
}

for (const on of ['SQLite', 'PostgreSQL']) {
  const open = async (t: TestContext) =>
    testWorld(t, on === 'PostgreSQL' ? { url: await ownDatabase() } : {});

  test(`A submission waits, is accepted in one step, and leaves its zone (${on})`, async (t) => {
    const world = await open(t);
    await world.submit('ann', { ...ADA, age: 36 }, { batch: 'b1', message: 'please' });
    const row = await only(world);
    assert.deepEqual(
      [row.pid, row.class, row.label, row.submitter, row.batch, row.message, row.state, row.standing],
      ['ex:ada', 'Person', 'ann', 'ann', 'b1', 'please', 'new', 'waiting'],
    );
    assert.deepEqual([row.curated_etag, row.base_etag, row.valid, row.conflicts], [null, null, true, 0]);
    const decision = await accept(world, 'ann', 'ex:ada', { reason: 'fine' });
    assert.equal(decision.reviewer, 'cora');
    assert.equal(decision.submitter, 'ann');
    assert.equal((await world.curated.get(world.schema.expand('ex:ada')!))?.className, 'Person');
    assert.equal(await (await world.zone('ann')).count({}), 0);
    assert.deepEqual(await rows(world), []);
    const [entry] = await world.curated.entries({ limit: 10 });
    assert.deepEqual([entry?.committer, entry?.author, entry?.decision], ['cora', 'ann', decision.id]);
    const own = await world.review.submissions('ann', {}, { readCurated: true }, FIRST);
    assert.deepEqual([own.items[0]?.status, own.items[0]?.reason], ['accepted', 'fine']);
    await assert.rejects(
      world.review.decide(
        { label: 'ann', pid: 'ex:ada', digest: decision.digest, decision: 'accept' },
        REVIEWER,
      ),
      refusedWith('already_decided'),
    );
  });

  test(`Undo of an accept restores both areas byte for byte (${on})`, async (t) => {
    const world = await open(t);
    await world.curate(ADA);
    await world.submit('ann', { ...ADA, age: 36 }, { batch: 'b1' });
    const iri = world.schema.expand('ex:ada')!;
    const zone = await world.zone('ann');
    const before = [(await world.curated.get(iri))?.json, (await zone.get(iri))?.json];
    const row = await only(world);
    assert.equal(row.state, 'changed');
    const { id } = await accept(world, 'ann', 'ex:ada');
    const undone = await world.review.undo(id, { userId: 'carl' });
    assert.equal(undone.undone?.reviewer, 'carl');
    assert.deepEqual([(await world.curated.get(iri))?.json, (await zone.get(iri))?.json], before);
    const again = await only(world);
    for (const key of ['submitter', 'submitted_at', 'batch', 'state', 'standing', 'digest'] as const)
      assert.equal(again[key], row[key], key);
    assert.equal(again.base_etag, row.base_etag);
    await assert.rejects(world.review.undo(id, REVIEWER), refusedWith('already_undone'));
    // The same holds for an index that is read again from the stores.
    await world.restart();
    const rebuilt = await only(world);
    assert.deepEqual({ ...rebuilt, last: null }, { ...again, last: null });
    assert.equal((await accept(world, 'ann', 'ex:ada')).decision, 'accept');
  });

  test(`A rejection is remembered, in whichever zone and spelling the claim comes again (${on})`, async (t) => {
    const world = await open(t);
    await world.submit('ann', { ...ADA, nicknames: ['a', 'b'] });
    const { digest } = await only(world);
    const body = {
      label: 'ann',
      pid: 'ex:ada',
      digest,
      decision: 'reject' as const,
      reason: 'not her names',
    };
    const decision = await world.review.decide(body, REVIEWER);
    assert.equal((await world.review.summary({})).total, 0);
    await world.submit('ann', { ...ADA, nicknames: ['a', 'b'] });
    await world.submit('ann', { ...ADA, nicknames: ['b', 'a'] });
    await world.submit('ann', { ...ADA, nicknames: ['a', 'b'], annotations: { 'sub:by': 'ann' } });
    await world.submit('bob', { ...ADA, nicknames: ['b', 'a'] });
    assert.equal((await world.review.summary({})).total, 0);
    const own = await world.review.submission('bob', 'ex:ada', { readCurated: true });
    assert.deepEqual(
      [own.status, own.reason, own.decisions[0]?.reviewer],
      ['rejected', 'not her names', null],
    );
    const { label, submitter } = own.decisions[0]!;
    assert.deepEqual([label, submitter], [null, null], 'another zone is not named');
    const ofAnn = await world.review.submission('ann', 'ex:ada', { readCurated: true });
    assert.deepEqual(ofAnn.decisions[0]?.label, 'ann');
    await world.restart();
    assert.equal((await world.review.summary({})).total, 0);
    await world.submit('ann', { ...ADA, nicknames: ['a', 'b', 'c'] });
    const row = await only(world);
    assert.deepEqual([row.standing, row.last?.reason], ['waiting', 'not her names']);
    await assert.rejects(accept(world, 'bob', 'ex:ada'), refusedWith('already_decided'));
    await world.review.undo(decision.id, REVIEWER);
    assert.equal((await world.review.summary({})).total, 2);
  });
}

test('A change that a curator made meanwhile is merged, and one value that both changed is a conflict', async (t) => {
  const world = await testWorld(t);
  await world.curate({ ...ADA, age: 35 });
  await world.submit('ann', { ...ADA, age: 36 });
  await world.curate({ ...ADA, name: 'Ada Byron', age: 35 });
  const row = await only(world);
  assert.deepEqual(
    [row.state, row.differences, row.conflicts, row.slots],
    ['diverged', 2, 0, ['age', 'name']],
  );
  const item = await world.review.item('ann', 'ex:ada');
  const [merged, base] = [parsed(item.merged), parsed(item.base)];
  assert.deepEqual([merged.name, merged.age, base.name], ['Ada Byron', 36, 'Ada']);
  await world.curate({ ...ADA, age: 37 });
  const { digest } = await world.review.item('ann', 'ex:ada');
  const body = { label: 'ann', pid: 'ex:ada', digest, decision: 'accept' as const };
  await assert.rejects(world.review.decide(body, REVIEWER), (error) => {
    refusedWith('merge_conflict')(error);
    assert.equal((error as Refusal).explanation.pid, 'ex:ada');
    return true;
  });
  const { curated_etag } = await world.review.item('ann', 'ex:ada');
  const take = { ...body, take: { '/age': 'submitted' as const } };
  await assert.rejects(world.review.decide(take, REVIEWER), refusedWith('payload_invalid'));
  await assert.rejects(
    world.review.decide({ ...take, if_curated: null }, REVIEWER),
    refusedWith('precondition_failed'),
  );
  const nothing = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`/age/${n}`, 'submitted' as const]),
  );
  await assert.rejects(
    world.review.decide({ ...take, take: nothing, if_curated: curated_etag }, REVIEWER),
    (error) => {
      refusedWith('payload_invalid')(error);
      assert.match((error as ServiceError).message, /'\/age\/99' and 9900 more\./);
      assert.equal((error as ServiceError).problems.length, 100);
      return true;
    },
  );
  const decision = await world.review.decide({ ...take, if_curated: curated_etag }, REVIEWER);
  assert.equal(decision.curated_before, curated_etag);
  assert.notEqual(decision.curated_after, curated_etag);
  const kept = await world.review.decision(decision.id);
  const ages = [kept.before, kept.after, kept.submitted].map((record) => parsed(record).age);
  assert.deepEqual(ages, [37, 36, 36]);
});

test('Accepting a submission that says what the curated record says puts nothing', async (t) => {
  const world = await testWorld(t);
  await world.curate({ ...ADA, nicknames: ['a', 'b'] });
  await world.submit('ann', { ...ADA, nicknames: ['b', 'a'] });
  assert.equal((await only(world)).state, 'same');
  const revision = await world.curated.revision();
  const decision = await accept(world, 'ann', 'ex:ada');
  assert.equal(await world.curated.revision(), revision);
  assert.equal(decision.curated_after, decision.curated_before);
  await world.review.undo(decision.id, REVIEWER);
  assert.equal((await only(world)).state, 'same');
});

test('A submission is accepted together with those that it refers to, or not at all', async (t) => {
  const world = await testWorld(t);
  await world.submit('ann', { ...ADA, friends: ['ex:bob'] });
  await world.submit('ann', { pid: 'ex:bob', name: 'Bob', friend: 'ex:nobody' });
  const item = await world.review.item('ann', 'ex:ada');
  assert.deepEqual(
    item.references.map(({ pid, in: where }) => [pid, where]),
    [
      ['ex:bob', 'zone'],
      ['ex:nobody', 'nowhere'],
    ],
  );
  const reference = { pid: 'ex:bob', digest: item.references[0]!.digest! };
  await assert.rejects(
    accept(world, 'ann', 'ex:ada', { with_references: [{ ...reference, digest: 'sha256:0' }] }),
    refusedWith('submission_changed'),
  );
  assert.equal(await world.curated.count({}), 0);
  const decision = await accept(world, 'ann', 'ex:ada', { with_references: [reference] });
  assert.equal(await world.curated.count({}), 2);
  assert.deepEqual(await rows(world), []);
  const group = await world.review.decisions({ group: decision.group }, FIRST);
  assert.equal(group.total, 2);
  await world.review.undo(decision.id, REVIEWER);
  assert.equal(await world.curated.count({}), 0);
  assert.equal((await rows(world)).length, 2);
});

test('A deferral ends at its time, and when the submitter answers', async (t) => {
  let time = new Date('2030-01-01T00:00:00Z');
  const world = await testWorld(t, { now: () => time });
  await world.submit('ann', ADA);
  const { digest } = await only(world);
  const body = {
    label: 'ann',
    pid: 'ex:ada',
    digest,
    decision: 'defer' as const,
    until: '2030-01-02T00:00:00Z',
  };
  await assert.rejects(
    world.review.decide({ ...body, until: '2029-01-01T00:00:00Z' }, REVIEWER),
    refusedWith('payload_invalid'),
  );
  await world.review.decide(body, REVIEWER);
  assert.deepEqual(await rows(world), []);
  const own = await world.review.submissions('ann', {}, { readCurated: false }, FIRST);
  assert.deepEqual([own.items[0]?.status, own.items[0]?.state], ['deferred', null]);
  time = new Date('2030-01-02T00:00:01Z');
  assert.equal((await rows(world)).length, 1);
});

test('A deferral may last for centuries', async (t) => {
  const world = await testWorld(t);
  await world.submit('ann', ADA);
  const { digest } = await only(world);
  const until = '2999-12-31T00:00:00.000000+00:00';
  const body = { label: 'ann', pid: 'ex:ada', digest, decision: 'defer' as const, until };
  assert.equal((await world.review.decide(body, REVIEWER)).until, until);
  assert.equal((await world.review.submission('ann', 'ex:ada', { readCurated: true })).until, until);
  assert.equal((await world.review.decisions({ until }, FIRST)).total, 1);
});

test('An answer ends a deferral', async (t) => {
  const world = await testWorld(t);
  await world.submit('ann', ADA);
  const { digest } = await only(world);
  await world.review.decide(
    { label: 'ann', pid: 'ex:ada', digest, decision: 'defer', reason: 'why?' },
    REVIEWER,
  );
  await world.submit('ann', ADA);
  assert.deepEqual(await rows(world), []);
  await world.submit('ann', ADA, { message: 'because' });
  const row = await only(world);
  assert.deepEqual([row.message, row.last?.reason], ['because', 'why?']);
});

test('An answer ends a deferral, and a deferral is behind an answer, whichever clock was ahead', async (t) => {
  let years = 1;
  const now = () => new Date(Date.now() + years * YEAR);
  const world = await testWorld(t, { now });
  const deferred = async () => {
    const { digest } = await only(world);
    await world.review.decide(
      { label: 'ann', pid: 'ex:ada', digest, decision: 'defer', reason: 'why?' },
      REVIEWER,
    );
    assert.deepEqual(await rows(world), []);
  };
  await world.submit('ann', ADA);
  await deferred();
  years = 0;
  await world.submit('ann', ADA, { message: 'because' });
  await only(world);
  // The row is compared again.
  await world.curate({ ...ADA, name: 'Another' });
  await only(world);
  years = -1;
  await deferred();
  const comment = { text: 'Look.', author: 'ann', role: 'submitter', requests: null } as const;
  await world.review.answer('ann', 'ex:ada', comment, { readCurated: true });
  await only(world);
});

test('Submissions that leave their zone in other ways have a status of their own', async (t) => {
  const world = await testWorld(t);
  for (const name of ['a', 'b', 'c', 'd']) await world.submit('ann', { pid: `ex:${name}`, name });
  assert.equal((await rows(world)).length, 4);
  const zone = await world.zone('ann');
  const curator = { committer: 'carl', author: 'carl', role: 'curator' } as const;
  await world.withdraw('ann', 'ex:a');
  await zone.write([{ delete: world.schema.expand('ex:b')! }], curator);
  // The peer's client posts and deletes, in either order.
  await world.curate({ pid: 'ex:c', name: 'c' });
  await zone.write([{ delete: world.schema.expand('ex:c')! }], curator);
  await zone.write([{ delete: world.schema.expand('ex:d')! }], curator);
  const statuses = async () => {
    const { items } = await world.review.submissions('ann', {}, { readCurated: true }, FIRST);
    return Object.fromEntries(items.map(({ pid, status }) => [pid, status]));
  };
  assert.deepEqual(await statuses(), {
    'ex:a': 'withdrawn',
    'ex:b': 'removed',
    'ex:c': 'accepted',
    'ex:d': 'removed',
  });
  await world.curate({ pid: 'ex:d', name: 'd' });
  const all = { 'ex:a': 'withdrawn', 'ex:b': 'removed', 'ex:c': 'accepted', 'ex:d': 'accepted' };
  assert.deepEqual(await statuses(), all);
  await world.restart();
  assert.deepEqual(await statuses(), all);
});

test('What another program stored has no submitter and an unknown base', async (t) => {
  const world = await testWorld(t);
  await world.curate(ADA);
  const iri = world.schema.expand('ex:ada')!;
  const json = '{"name":"Ada Byron","pid":"ex:ada","schema_type":"r:Person"}';
  await (await world.zone('ann')).write([{ put: { pid: 'ex:ada', iri, className: 'Person', json } }], null);
  const row = await only(world);
  assert.deepEqual(
    [row.submitter, row.base_etag, row.state, row.conflicts],
    [null, 'unknown', 'diverged', 1],
  );
  // The submitter goes on from there: what it was made from stays unknown.
  await world.submit('ann', { ...ADA, age: 3 });
  const next = await only(world);
  assert.deepEqual([next.submitter, next.base_etag], ['ann', 'unknown']);
  assert.equal((await accept(world, 'ann', 'ex:ada')).submitter, 'ann');
});

test('What the base of a submission is', async (t) => {
  const world = await testWorld(t);
  const base = async () => (await world.review.item('ann', 'ex:ada')).base_etag;
  await world.curate(ADA);
  const first = (await world.curated.get(world.schema.expand('ex:ada')!))!.revision;
  await world.curate({ ...ADA, age: 1 });
  await world.submit('ann', { ...ADA, age: 2 });
  assert.equal(await base(), world.parts.etagOf('', 2));
  // It stays while the submitter works on the submission.
  await world.curate({ ...ADA, age: 3 });
  await world.submit('ann', { ...ADA, age: 4 });
  assert.equal(await base(), world.parts.etagOf('', 2));
  await world.submit('ann', { ...ADA, age: 5 }, { basedOn: { scope: 'curated', revision: first } });
  assert.equal(await base(), world.parts.etagOf('', first));
  await world.submit('ann', { ...ADA, age: 6 }, { basedOn: { scope: 'curated', revision: 99 } });
  assert.equal(await base(), 'unknown');
});

test('Filters, sorting and pages of the queue agree with its summary', async (t) => {
  const world = await testWorld(t);
  for (let i = 0; i < 30; i++) {
    const label = i % 3 === 0 ? 'ann' : 'bob';
    const schema_type = i % 5 === 0 ? 'r:Student' : 'r:Person';
    const record = { pid: `ex:p${String(i).padStart(2, '0')}`, schema_type, name: `n${i}` };
    await world.submit(label, record, i % 2 ? { batch: 'odd' } : {});
  }
  const summary = await world.review.summary({});
  assert.equal(summary.total, 30);
  assert.deepEqual(summary.by_label, { ann: 10, bob: 20 });
  assert.deepEqual(summary.by_class, { Person: 24, Student: 6 });
  assert.deepEqual(summary.by_batch, { odd: 15, '': 15 });
  assert.deepEqual(summary.by_standing, { waiting: 30 });
  assert.deepEqual((await world.review.summary({ label: ['ann'] })).by_label, { ann: 10, bob: 20 });
  for (const filter of [
    { label: ['ann'] },
    { class: ['Person'] },
    { class: ['Student'] },
    { batch: 'odd' },
    { submitter: 'bob', state: ['new', 'same'] as const },
    { valid: true },
    { valid: false },
    { pid: 'ex:p03' },
    { matching: 'n2%' },
    { label: ['nowhere'] },
  ]) {
    const { total } = await world.review.summary(filter);
    for (const by of ['submitted', 'pid', 'class'] as const)
      for (const reverse of [false, true]) {
        const seen: string[] = [];
        let after: string | null | undefined;
        do {
          const paging = { page: 1, size: 4, ...(after && { after }) };
          const page = await world.review.queue(filter, { by, reverse }, paging);
          assert.equal(page.total, total);
          seen.push(...page.items.map(({ pid }) => pid));
          after = page.next;
        } while (after);
        assert.equal(seen.length, total, JSON.stringify([filter, by]));
        assert.equal(new Set(seen).size, total);
        const paged = await world.review.queue(filter, { by, reverse }, { page: 2, size: 4 });
        assert.deepEqual(
          paged.items.map(({ pid }) => pid),
          seen.slice(4, 8),
        );
      }
  }
});

test('By filter, what was selected is decided, and nothing that came later', async (t) => {
  const world = await testWorld(t);
  for (let i = 0; i < 5; i++) await world.submit('ann', { pid: `ex:p${i}`, name: 'x' });
  const { as_of } = await world.review.summary({});
  await world.submit('ann', { pid: 'ex:late', name: 'x' });
  const body = { filter: { label: ['ann'] }, expected: 6, as_of, decision: 'accept' as const };
  await assert.rejects(world.review.decideByFilter(body, REVIEWER), (error) => {
    refusedWith('selection_changed')(error);
    assert.equal((error as Refusal).explanation.selected, 5);
    return true;
  });
  const { results, selected, next } = await world.review.decideByFilter({ ...body, expected: 5 }, REVIEWER);
  assert.deepEqual([selected, results.length, next], [5, 5, null]);
  assert.ok(results.every((one) => 'decision' in one));
  assert.deepEqual(
    (await rows(world)).map(({ pid }) => pid),
    ['ex:late'],
  );
});

test('Several decisions in one request stand each on its own', async (t) => {
  const world = await testWorld(t);
  await world.submit('ann', ADA);
  const { digest } = await only(world);
  const good = { label: 'ann', pid: 'ex:ada', digest, decision: 'reject' as const, reason: 'no' };
  const outcomes = await world.review.decideAll([good, { ...good, pid: 'ex:none' }, good], REVIEWER);
  assert.deepEqual(
    outcomes.map((one) => ('decision' in one ? one.decision.decision : one.error.code)),
    ['reject', 'record_missing', 'already_decided'],
  );
  await assert.rejects(
    world.review.decideAll([good, { ...good, reason: ' \n' }], REVIEWER),
    refusedWith('payload_invalid'),
  );
});

test('A curator who decides with a record may change its class, but not its pid', async (t) => {
  const world = await testWorld(t);
  await world.submit('ann', ADA);
  const record = { pid: 'ex:ada', schema_type: 'r:Student', name: 'Ada', school: 'X' };
  await assert.rejects(
    accept(world, 'ann', 'ex:ada', { record: { ...record, pid: 'ex:eve' }, if_curated: null }),
    refusedWith('record_invalid'),
  );
  await accept(world, 'ann', 'ex:ada', { record, if_curated: null });
  const own = await world.review.submission('ann', 'ex:ada', { readCurated: true });
  const changed: { path: string }[] = parsed(own.changed_by_curator);
  assert.deepEqual(changed.map(({ path }) => path).sort(), ['/schema_type', '/school']);
});

test('A submitter learns how many submissions have each status, and what a waiting one would change', async (t) => {
  const world = await testWorld(t);
  await world.curate(ADA);
  await world.submit('ann', { ...ADA, name: 'Ada L.' });
  await world.submit('ann', { pid: 'ex:eve', name: 'Eve' });
  await accept(world, 'ann', 'ex:eve');
  const page = await world.review.submissions('ann', { status: ['accepted'] }, { readCurated: true }, FIRST);
  assert.deepEqual([page.total, page.counts], [1, { accepted: 1, waiting: 1 }]);
  const differencesOf = async (pid: string, readCurated: boolean) =>
    parsed((await world.review.submission('ann', pid, { readCurated })).differences)?.map(
      (one: { path: string; curated: string; submitted: string }) => [one.path, one.curated, one.submitted],
    );
  assert.deepEqual(await differencesOf('ex:ada', true), [['/name', 'Ada', 'Ada L.']]);
  assert.equal(await differencesOf('ex:ada', false), undefined);
  assert.equal(await differencesOf('ex:eve', true), undefined);
});
