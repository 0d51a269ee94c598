/** Undo of accepts of records that are made up from the schema. Runs by `ACCESSION_PROPERTY_RUNS`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#linkml/json.ts';
import { arbitraryRecord } from '#linkml-test/arbitrary-record.ts';
import { propertyRuns } from '../../../../test/support/tier.ts';
import { REVIEWER, reviewSchema, testWorld } from '../world.support.ts';

const RUNS = Math.min(propertyRuns(8, 25), 300);

const record = fc
  .constantFrom('Person', 'Employee', 'Student')
  .chain((className) =>
    arbitraryRecord(reviewSchema, className).map(
      (made): JsonObject => ({ ...made, schema_type: reviewSchema.schemaType(className) }),
    ),
  );

test('Undo of an accept restores both areas byte for byte', async (t) => {
  const world = await testWorld(t);
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(record, record, fc.boolean(), async (curated, submitted, isNew) => {
      const pid = `ex:u${serial++}`;
      const iri = world.schema.expand(pid)!;
      const zone = await world.zone('ann');
      if (!isNew) await world.curate({ ...curated, pid });
      await world.submit('ann', { ...submitted, pid });
      const state = async () => [(await world.curated.get(iri))?.json, (await zone.get(iri))?.json];
      const before = await state();
      const { digest, curated_etag: ifCurated, base_etag } = await world.review.item('ann', pid);
      const take = { '': 'submitted' as const };
      const isSame = before[0] === before[1];
      const body = { label: 'ann', pid, digest, decision: 'accept' as const };
      const { id } = await world.review.decide(
        isSame ? body : { ...body, take, if_curated: ifCurated },
        REVIEWER,
      );
      assert.deepEqual(await state(), [before[1], undefined]);
      await world.review.undo(id, REVIEWER);
      assert.deepEqual(await state(), before);
      const after = await world.review.item('ann', pid);
      assert.deepEqual([after.digest, after.base_etag, after.standing], [digest, base_etag, 'waiting']);
    }),
    { numRuns: RUNS },
  );
});

test('Many decisions are undone at once in the given order, each as it would be alone', async (t) => {
  const world = await testWorld(t);
  const pids = Array.from({ length: 130 }, (_, at) => `ex:p${at}`);
  const labelOf = (pid: string) => (pid.endsWith('3') ? 'bob' : 'ann');
  const submit = (pid: string, name: string) => world.submit(labelOf(pid), { pid, name });
  const state = async () => {
    const stores = [world.curated, await world.zone('ann'), await world.zone('bob')];
    const texts = pids.map((pid) =>
      stores.map(async (store) => (await store.get(world.schema.expand(pid)!))?.json),
    );
    return Promise.all(texts.map((one) => Promise.all(one)));
  };
  const decideAll = async (decision: 'accept' | 'reject', chosen: readonly string[]) => {
    const items = await Promise.all(chosen.map((pid) => world.review.item(labelOf(pid), pid)));
    const sent = items.map(({ label, pid, digest }) => ({ label, pid, digest, decision, reason: 'so' }));
    const outcomes = await world.review.decideAll(sent, REVIEWER);
    return outcomes.map((one) => ('decision' in one ? one.decision.id : assert.fail(one.error.message)));
  };
  for (const pid of pids) await submit(pid, 'first');
  const before = await state();
  const first = await decideAll('accept', pids);
  await submit('ex:p0', 'second');
  const second = await decideAll('accept', ['ex:p0']);
  await submit('ex:p1', 'second');
  const rejected = await decideAll('reject', ['ex:p1']);
  await world.curate({ pid: 'ex:p2', name: 'edited' });
  await world.review.undo(first[4]!, REVIEWER);
  // The second decision on a record first; one that is named twice is undone once.
  const asked = [...rejected, ...second, ...first.toReversed(), first[5]!, 'none'];
  const outcomes = await world.review.undoAll(asked, REVIEWER);
  assert.deepEqual(
    outcomes.map(({ id }) => id),
    asked,
  );
  const refused = outcomes.flatMap((one) => ('error' in one ? [[one.id, one.error.code]] : []));
  assert.deepEqual(refused, [
    [first[4], 'already_undone'],
    [first[2], 'curated_changed'],
    [first[1], 'zone_changed'],
    // The record is as it was after it, by an undo: a later state than the one that was decided on.
    [first[0], 'curated_changed'],
    [first[5], 'already_undone'],
    ['none', 'record_missing'],
  ]);
  const stays = (_: unknown, at: number) => at > 2;
  assert.deepEqual((await state()).filter(stays), before.filter(stays));
  assert.equal((await world.review.summary({})).total, pids.length - 1);
});
