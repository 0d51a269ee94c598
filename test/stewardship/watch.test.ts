/** The job that brings the index of references and the faults up to date. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Jobs } from '../../src/jobs/jobs.ts';
import { openSchemaText } from '../../src/schema/schema.ts';
import { watchRecords } from '../../src/stewardship/watch.ts';
import { openStore } from '../../src/storage/backends.ts';
import { BEFORE } from './schemas.ts';

test('records of another program are followed while there are requests, and the progress is reported', async (t) => {
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
  const changes = Array.from({ length: 400 }, (_, at) => {
    const [pid, iri] = [`ex:p${at}`, schema.expand(`ex:p${at}`)!];
    const json = JSON.stringify({ friend: 'ex:p0', mail: 'p@x.org', pid });
    return { put: { pid, iri, className: 'Person', json } };
  });
  await curated.write(changes, by);

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
