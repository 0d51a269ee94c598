/** The job that brings the index of references and the faults up to date. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Jobs } from '../../src/jobs/jobs.ts';
import { Threads } from '../../src/jobs/threads.ts';
import { openSchemaText } from '../../src/schema/schema.ts';
import { followLinks } from '../../src/stewardship/follow.ts';
import { watchRecords } from '../../src/stewardship/watch.ts';
import { openStore } from '../../src/storage/backends.ts';
import { BEFORE } from '../support/schemas.ts';

/** An area of records that were stored without their links. */
async function areaOf(
  t: TestContext,
  records: readonly { readonly pid: string; readonly friend: string; readonly mail: string }[],
) {
  const root = mkdtempSync(join(tmpdir(), 'accession-watch-'));
  t.after(() => rmSync(root, { recursive: true }));
  const schema = await openSchemaText(BEFORE, join(root, 'schema.yaml'));
  const jobs = new Jobs({ warn: (details) => assert.fail(JSON.stringify(details)) });
  const naming = {
    expand: (pid: string) => schema.expand(pid),
    schemaTypeOf: (name: string) => schema.schemaType(name),
  };
  const curated = await openStore({ type: 'sqlite' }, root, { ...naming, jobs });
  t.after(() => curated.close());
  const by = { committer: 'ann', author: 'ann', role: 'curator' } as const;
  const changes = records.map((record) => {
    const { pid } = record;
    return { put: { pid, iri: schema.expand(pid)!, className: 'Person', json: JSON.stringify(record) } };
  });
  await curated.write(changes, by);
  return { schema, jobs, curated };
}

test('the references of a long record are found in a thread', async (t) => {
  const mail = 'x'.repeat(100_000);
  const { schema, curated } = await areaOf(t, [
    { friend: 'ex:b', mail, pid: 'ex:a' },
    { friend: 'ex:a', mail: 'b@x.org', pid: 'ex:b' },
  ]);
  const threads = new Threads();
  t.after(() => threads.close());
  assert.equal(await followLinks(schema, curated, { threads }), true);
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
  const { schema, jobs, curated } = await areaOf(t, records);
  const zones = { exist: false, labels: async () => [], open: assert.fail, opened: () => [] };
  watchRecords(jobs, { name: 'c', schema, curated, zones });
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
  assert.equal((await curated.ledger.get('checked', 'c')) !== undefined, true);
});
