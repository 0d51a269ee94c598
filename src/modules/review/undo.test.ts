/** Undo of accepts of records that are made up from the schema. Runs by `ACCESSION_PROPERTY_RUNS`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#linkml/json.ts';
import { arbitraryRecord } from '#linkml-test/arbitrary-record.ts';
import { propertyRuns } from '../../../test/support/tier.ts';
import { REVIEWER, reviewSchema, testWorld } from './world.support.ts';

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
