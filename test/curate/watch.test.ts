/** The job that brings the index of references and the faults up to date. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { followLinks } from '../../src/curate/follow-links.ts';
import { watchRecords } from '../../src/curate/watch.ts';
import { recordText } from '../../src/records/record.ts';
import { Jobs } from '../../src/work/jobs.ts';
import { Threads } from '../../src/work/threads.ts';
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
  const mail = 'x'.repeat(100_000);
  const { schema, curated, stores } = await areaOf(t, [
    { friend: 'ex:b', mail, pid: 'ex:a' },
    { friend: 'ex:a', mail: 'b@x.org', pid: 'ex:b' },
  ]);
  const threads = new Threads();
  t.after(() => threads.close());
  assert.equal(await followLinks(stores, curated, { threads }), true);
  assert.equal(threads.counts.started, 1);
  for (const [from, to] of ['ab', 'ba'].map((pair) => [...pair].map((name) => schema.expand(`ex:${name}`)!)))
    assert.deepEqual(
      (await curated.links.from(from!)).map(({ iri }) => iri),
      [to],
    );
});

test('records of another program are followed while there are requests, and the progress is reported', async (t) => {
  const records = Array.from({ length: 400 }, (_, at) => ({
    friend: 'ex:p0',
    mail: 'p@x.org',
    pid: `ex:p${at}`,
  }));
  const { schema, jobs, curated, database, stores } = await areaOf(t, records);
  watchRecords(jobs, stores);
  t.after(() => jobs.stopAll());
  const seen: string[] = [];
  for (;;) {
    jobs.noteRequest();
    const { state, progress } = jobs.list().find(({ name }) => name === 'check records')!;
    if (progress) seen.push(`${progress.done} of ${progress.total}`);
    if (state === 'idle') break;
    await delay(1);
  }
  assert.ok(seen.includes('200 of 800') || seen.includes('400 of 800'), seen.at(-1));
  assert.equal(await curated.links.countTo(schema.expand('ex:p0')!), 399);
  const cursors = await database.tuples(
    `SELECT name, revision FROM accession_cursor WHERE name LIKE 'faults%'`,
  );
  assert.deepEqual(cursors, [['faults c', 400]]);
});
