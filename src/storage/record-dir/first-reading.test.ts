/** A directory with many files is open before all of them are read. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type JobStatus, Jobs } from '../../jobs/jobs.ts';
import { SILENT_LOG } from '../log.ts';
import type { RecordStore } from '../store.ts';
import { openRecordDir } from './record-dir.ts';

const COUNT = 2500;
const BY = { committer: 'a', author: 'a', role: 'submitter' } as const;
const naming = {
  expand: (pid: string) => pid.replace('ex:', 'https://example.org/'),
  schemaTypeOf: (name: string) => (name === 'Thing' ? 'ex:Thing' : undefined),
};

function directoryOf(t: TestContext, count: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'accession-reading-'));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'Thing'));
  for (let i = 0; i < count; i++) writeFileSync(join(directory, 'Thing', `${i}.yaml`), `pid: ex:${i}\n`);
  return directory;
}

async function open(directory: string, jobs: Jobs): Promise<RecordStore> {
  const options = { ...naming, log: SILENT_LOG, background: jobs };
  return (await openRecordDir(directory, 'digest-md5', options)).store;
}

const reading = (jobs: Jobs): JobStatus | undefined =>
  jobs.list().find(({ name }) => name === 'record files');

test('reads are answered while files are read, with a progress, and writes when all are', async (t) => {
  const jobs = new Jobs(SILENT_LOG);
  const directory = directoryOf(t, COUNT);
  // The same record as a file has: it is replaced, not added.
  const store = await open(directory, jobs);
  t.after(() => store.close());
  assert.ok((await store.count({})) < COUNT, 'the store was open before all was read');
  const change = {
    put: { pid: 'ex:7', iri: 'https://example.org/7', className: 'Thing', json: '{"pid":"ex:7"}' },
  };
  const written = store.write([{ ...change, expect: { absent: true } }], BY);
  written.catch(() => {});
  const seen = new Set<number>();
  while (reading(jobs)) {
    const { progress } = reading(jobs) ?? {};
    if (progress) seen.add(progress.done);
    if (progress) assert.equal(progress.total, COUNT);
    await delay(1);
  }
  assert.ok(seen.size > 0);
  assert.equal(await store.count({}), COUNT);
  await assert.rejects(written, /exists already/);
});

test('a reading that was interrupted goes on at the next opening', async (t) => {
  const directory = directoryOf(t, COUNT);
  const first = new Jobs(SILENT_LOG);
  const store = await open(directory, first);
  await store.close();
  const second = new Jobs(SILENT_LOG);
  const again = await open(directory, second);
  t.after(() => again.close());
  assert.ok((await again.count({})) < COUNT);
  assert.ok(reading(second));
  while (reading(second)) await delay(5);
  assert.equal(await again.count({}), COUNT);
});

test('few files, and files that were read before, are read before the store is open', async (t) => {
  const jobs = new Jobs(SILENT_LOG);
  const few = await open(directoryOf(t, 20), jobs);
  assert.equal(await few.count({}), 20);
  await few.close();
  const directory = directoryOf(t, COUNT);
  await (await openRecordDir(directory, 'digest-md5', { ...naming, log: SILENT_LOG })).store.close();
  const many = await open(directory, jobs);
  assert.equal(await many.count({}), COUNT);
  assert.equal(reading(jobs), undefined);
  await many.close();
});
