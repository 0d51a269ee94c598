/** A directory with many files is open before all of them are read, or compared with the index. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type JobStatus, Jobs } from '../../jobs/jobs.ts';
import { openStore } from '../backends.ts';
import { openDatabase, whenFree } from '../database.ts';
import { SILENT_LOG } from '../log.ts';
import type { RecordStore } from '../store.ts';
import { PEER_INDEX } from './peer-index.ts';
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
    if (progress?.done) seen.add(progress.done);
    if (progress?.done) assert.equal(progress.total, COUNT);
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

test('few files are read before the store is open', async (t) => {
  const jobs = new Jobs(SILENT_LOG);
  const few = await open(directoryOf(t, 20), jobs);
  assert.equal(await few.count({}), 20);
  assert.equal(reading(jobs), undefined);
  await few.close();
});

/** A copy of a directory that was read, with other inodes, as from a backup. */
async function copied(t: TestContext): Promise<string> {
  const original = directoryOf(t, COUNT);
  await (await openRecordDir(original, 'digest-md5', { ...naming, log: SILENT_LOG })).store.close();
  const copy = `${original}-copy`;
  t.after(() => rmSync(copy, { recursive: true }));
  cpSync(original, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

const iri = (name: string | number) => `https://example.org/${name}`;
const write = (directory: string, path: string, text: string) => writeFileSync(join(directory, path), text);
const put = (name: string) => ({
  put: { pid: `ex:${name}`, iri: iri(name), className: 'Thing', json: `{"pid":"ex:${name}"}` },
});

test('copied files are read again while the store answers from its index, and only changes get revisions', async (t) => {
  const directory = await copied(t);
  write(directory, 'Thing/1.yaml', 'pid: ex:1\nname: changed\n');
  rmSync(join(directory, 'Thing/2.yaml'));
  write(directory, 'Thing/added.yaml', 'pid: ex:added\n');
  mkdirSync(join(directory, 'Thing/moved'));
  renameSync(join(directory, 'Thing/3.yaml'), join(directory, 'Thing/moved/3.yaml'));
  // The same size and time as before.
  const { atime, mtime } = statSync(join(directory, 'Thing/100.yaml'));
  write(directory, 'Thing/100.yaml', 'pid: ex:1OO\n');
  utimesSync(join(directory, 'Thing/100.yaml'), atime, mtime);

  const jobs = new Jobs(SILENT_LOG);
  const store = await open(directory, jobs);
  t.after(() => store.close());
  assert.equal(await store.count({}), COUNT);
  assert.equal((await store.get(iri(1)))?.json, '{"pid":"ex:1"}');
  const written = store.write([{ ...put('added'), expect: { absent: true } }], BY);
  written.catch(() => {});
  const seen: number[] = [];
  while (reading(jobs)) {
    const { progress } = reading(jobs) ?? {};
    if (progress?.done) seen.push(progress.done);
    if (progress) assert.ok(progress.done <= progress.total && progress.total <= COUNT + 2);
    await delay(1);
  }
  assert.ok(seen.length > 0);
  assert.match((await store.get(iri(1)))?.json ?? '', /changed/);
  assert.equal(await store.get(iri(2)), undefined);
  assert.ok((await store.get(iri(3)))!.revision <= COUNT, 'a file that was moved is no change of its record');
  assert.equal(await store.get(iri(100)), undefined);
  assert.ok(await store.get(iri('1OO')));
  await assert.rejects(written, /exists already/);
  // One changed, one added, one deleted; and another record in one file, which is two changes.
  assert.equal(await store.revision(), COUNT + 5);
  assert.deepEqual(await store.faults(), []);
});

test('files that change while they are read again are right in the end', async (t) => {
  const directory = await copied(t);
  const jobs = new Jobs(SILENT_LOG);
  const store = await open(directory, jobs);
  t.after(() => store.close());
  let rounds = 0;
  for (; reading(jobs); await delay(2)) {
    if (rounds === 200) continue;
    const n = (rounds * 37) % COUNT;
    write(directory, `Thing/${n}.yaml`, `pid: ex:${n}\nround: ${rounds}\n`);
    rmSync(join(directory, `Thing/${(n + 1) % COUNT}.yaml`), { force: true });
    write(directory, `Thing/new-${rounds}.yaml`, `pid: ex:new-${rounds}\n`);
    rounds += 1;
  }
  assert.ok(rounds > 1);
  const expected = readdirSync(join(directory, 'Thing')).map((name) => {
    const text = readFileSync(join(directory, 'Thing', name), 'utf8');
    const [, pid = '', round] = /^pid: ex:(\S+)(?:\nround: (\d+))?/.exec(text) ?? [];
    return [iri(pid), round === undefined ? `{"pid":"ex:${pid}"}` : `{"pid":"ex:${pid}","round":${round}}`];
  });
  const wrong = async () => {
    const found = await Promise.all(
      expected.map(async ([of = '', json]) => [of, json, (await store.get(of))?.json]),
    );
    return found.filter(([, json, has]) => json !== has);
  };
  const end = Date.now() + 10_000;
  while (((await wrong()).length > 0 || (await store.count({})) !== expected.length) && Date.now() < end)
    await delay(50);
  assert.deepEqual(await wrong(), []);
  assert.equal(await store.count({}), expected.length);
});

test('a reading that is killed loses nothing, and goes on at the next opening', async (t) => {
  const directory = await copied(t);
  write(directory, `Thing/${COUNT - 1}.yaml`, `pid: ex:${COUNT - 1}\nname: changed\n`);
  const script = `
    import { openRecordDir } from ${JSON.stringify(new URL('record-dir.ts', import.meta.url).href)};
    import { Jobs } from ${JSON.stringify(new URL('../../jobs/jobs.ts', import.meta.url).href)};
    const log = { info() {}, warn() {} };
    const jobs = new Jobs(log);
    const naming = { expand: (pid) => pid.replace('ex:', 'https://example.org/'), schemaTypeOf: () => 'ex:Thing' };
    await openRecordDir(${JSON.stringify(directory)}, 'digest-md5', { ...naming, log, background: jobs });
    for (;;) {
      if (jobs.list().length === 0) process.exit();
      if ((jobs.list()[0]?.progress?.done ?? 0) > 0) process.kill(process.pid, 'SIGKILL');
      await new Promise((resolve) => setImmediate(resolve));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
  const jobs = new Jobs(SILENT_LOG);
  const store = await open(directory, jobs);
  t.after(() => store.close());
  assert.equal(await store.count({}), COUNT);
  while (reading(jobs)) await delay(5);
  assert.equal(await store.count({}), COUNT);
  assert.equal(await store.revision(), COUNT + 1);
  assert.match((await store.get(iri(COUNT - 1)))?.json ?? '', /changed/);
});

test('writes that still wait when the store is closed are refused, and those without records do not wait', async (t) => {
  const directory = await copied(t);
  const jobs = new Jobs(SILENT_LOG);
  const store = await open(directory, jobs);
  const refused = store.write([put('late')], BY);
  const row = { set: { kind: 'test', id: 'a', keys: [], json: '1' } };
  await store.write([], BY, [row]);
  assert.ok(reading(jobs), 'the ledger was written before all was read');
  await Promise.all([assert.rejects(refused, { code: 'storage_unavailable' }), store.close()]);
});

test('two processes read the same files, and a follower sees the index meanwhile', async (t) => {
  const directory = await copied(t);
  write(directory, 'Thing/1.yaml', 'pid: ex:1\nname: changed\n');
  const both = [new Jobs(SILENT_LOG), new Jobs(SILENT_LOG)];
  const stores = await Promise.all(both.map((jobs) => open(directory, jobs)));
  const config = { type: 'record_dir', mapping_method: 'digest-md5' } as const;
  const follower = await openStore(config, directory, { ...naming, follow: true });
  assert.equal(await follower.count({}), COUNT);
  while (both.some(reading)) await delay(5);
  for (const store of [...stores, follower]) {
    assert.match((await store.get(iri(1)))?.json ?? '', /changed/);
    assert.equal(await store.revision(), COUNT + 1);
  }
  for (const store of [follower, ...stores]) await store.close();
});

test('the index for the peer has what the index knows, if the store is closed before all is read', async (t) => {
  const directory = await copied(t);
  mkdirSync(join(directory, 'zones/one'), { recursive: true });
  write(directory, 'zones/one/.dumpthings.yaml', 'type: records\n');
  const store = await open(directory, new Jobs(SILENT_LOG));
  await store.close();
  const database = new DatabaseSync(join(directory, PEER_INDEX), { readOnly: true });
  t.after(() => database.close());
  assert.equal(database.prepare('SELECT count(*) AS n FROM index_entry').get()?.n, COUNT);
});

test('of files with the same record, the first by name is used, in whatever order they are read', async (t) => {
  const directory = directoryOf(t, 0);
  for (const i of [5, 3, 8, 1, 9, 2]) write(directory, `Thing/${i}.yaml`, `pid: ex:a\nname: file ${i}\n`);
  const store = await open(directory, new Jobs(SILENT_LOG));
  t.after(() => store.close());
  assert.match((await store.get(iri('a')))?.json ?? '', /file 1/);
  const faults = await store.faults();
  assert.deepEqual(
    faults.map(({ path }) => path),
    [2, 3, 5, 8, 9].map((i) => `Thing/${i}.yaml`),
  );
  rmSync(join(directory, 'Thing/1.yaml'));
  const end = Date.now() + 10_000;
  while ((await store.faults()).length > 4 && Date.now() < end) await delay(20);
  assert.match((await store.get(iri('a')))?.json ?? '', /file [2-9]/);
});

test('a checkpoint in a thread lets the log begin again, though others write meanwhile', async (t) => {
  const directory = directoryOf(t, 0);
  const file = join(directory, 'area.db');
  const database = openDatabase(file);
  t.after(() => database.close());
  database.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)');
  const insert = database.prepare('INSERT INTO t VALUES (zeroblob(?))');
  const { threads } = new Jobs(SILENT_LOG);
  for (let round = 0; round < 10; round++) {
    insert.run(1_000_000);
    let isDone = false;
    const done = threads.result('checkpoint area', file).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await whenFree(() => insert.run(100));
      await delay(1);
    }
    await done;
  }
  assert.ok(statSync(`${file}-wal`).size < 4_000_000);
});
