/** What brings the references of a collection up to date. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { linkProjection } from '../../src/core/collections/link-projection.ts';
import { watchRecords } from '../../src/core/collections/watch.ts';
import { recordText } from '../../src/core/records/record.ts';
import { readCursor } from '../../src/core/storage/cursors.ts';
import { Jobs } from '../../src/core/work/jobs.ts';
import { Pool } from '../../src/core/work/pool.ts';
import { advance } from '../../src/core/work/projections.ts';
import { Projector } from '../../src/core/work/projector.ts';
import { stopDurations } from '../support/clock.ts';
import { BEFORE } from '../support/schemas.ts';
import { CORA, emptyStores } from '../support/stores.ts';

/** An area of records that were stored without their links. */
async function areaOf(
  t: TestContext,
  records: readonly { readonly pid: string; readonly friend: string; readonly mail: string }[],
) {
  const stores = await emptyStores(t, 'sqlite', BEFORE);
  const jobs = new Jobs({ warn: (details) => assert.fail(JSON.stringify(details)) });
  const changes = records.map((record) => {
    const { links: _, ...text } = recordText(stores.schema, { className: 'Person', record });
    return { put: text };
  });
  await stores.curated.write(changes, CORA);
  return { ...stores, stores, jobs };
}

test('the references of a long record are found in a thread', async (t) => {
  const mail = 'x'.repeat(200_000);
  const { schema, curated, stores } = await areaOf(t, [
    { friend: 'ex:b', mail, pid: 'ex:a' },
    { friend: 'ex:a', mail: 'b@x.org', pid: 'ex:b' },
  ]);
  const pool = new Pool();
  t.after(() => pool.close());
  assert.equal(await advance(stores.database, linkProjection(stores, pool), curated), 0);
  assert.equal(pool.started, 1);
  for (const [from, to] of ['ab', 'ba'].map((pair) => [...pair].map((name) => schema.expand(`ex:${name}`)!)))
    assert.deepEqual(
      (await curated.links.from(from!, 10)).map(({ iri }) => iri),
      [to],
    );
});

test('records of another program are followed while there are requests, and it is reported how many are left', async (t) => {
  const records = Array.from({ length: 1000 }, (_, at) => ({
    friend: 'ex:p0',
    mail: 'p@x.org',
    pid: `ex:p${at}`,
  }));
  const { schema, jobs, curated, database, stores } = await areaOf(t, records);
  const projector = new Projector(database, { warn: (details) => assert.fail(JSON.stringify(details)) });
  const pool = new Pool();
  t.after(() => pool.close());
  watchRecords(projector, jobs, pool, stores);
  // All steps are beside requests, however long this process waits for its turn.
  stopDurations(t);
  projector.noteRequest();
  const seen = new Set<number>();
  const isDone = async () => {
    const [cursor] = (await readCursor(database, 'references', curated.area.id)) ?? [];
    return cursor === 1000;
  };
  while (!(await isDone())) {
    seen.add(projector.list().find(({ name }) => name === 'references')!.behind);
    await delay(1);
  }
  // Before the database is closed.
  await Promise.all([jobs.stopAll(), projector.stopAll()]);
  assert.ok(seen.has(600) || seen.has(200), [...seen].join());
  assert.equal(await curated.links.countTo(schema.expand('ex:p0')!), 999);
});
