/**
 * Kills a process at random moments of long writes, which run in threads: what was acknowledged is there, no write is there
 * in part, and every change has its entry, in the area and in git. `ACCESSION_LONG_WRITE_KILLS` says how many times.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditLog } from '../../src/audit/audit-log.ts';
import type { BackendType } from '../../src/storage/backends.ts';
import { scanEntries } from '../../src/storage/scan-entries.ts';
import type { RecordStore } from '../../src/storage/store.ts';
import { readYaml } from '../../src/yaml/read.ts';
import { git, openLog, openRecords, scratch } from '../audit/parts.ts';
import { GROUPS, iriOf, namesOf } from './long-groups.ts';

const KILLS = process.env.ACCESSION_LONG_WRITE_KILLS;
const ROUNDS = Number(KILLS ?? 1);
/** A store goes through so many kills: its entries are all looked at after each. */
const LIFE = 5;
/** How many writes are acknowledged before the kill, at most. */
const MOST_ACKNOWLEDGED = 8;
const BACKENDS: readonly BackendType[] =
  KILLS === undefined
    ? ['sqlite+stl', 'record_dir+stl']
    : ['sqlite', 'sqlite+stl', 'record_dir', 'record_dir+stl'];

for (const backend of BACKENDS) {
  for (let first = 0; first < ROUNDS; first += LIFE) {
    const rounds = Math.min(LIFE, ROUNDS - first);
    test(`${backend}: long writes are there as a whole or not at all after a kill, ${first + 1} to ${first + rounds}`, (t) =>
      live(t, backend, rounds));
  }
}

type Told = { readonly acknowledged: Map<string, number>; readonly tried: Map<string, number>; next: number };

async function live(t: TestContext, backend: BackendType, rounds: number): Promise<void> {
  const directory = await scratch(t);
  const told: Told = { acknowledged: new Map(), tried: new Map(), next: 1 };
  let unfinished = 0;
  for (let round = 0; round < rounds; round++) {
    unfinished += await writeUntilKilled(directory, backend, told);
    const store = await openRecords(join(directory, 'records'), backend);
    const log = await openLog(join(directory, 'log'), store);
    try {
      await compareRecords(store, told);
      await compareEntries(store, log);
      if (backend.startsWith('record_dir')) await compareFiles(store, join(directory, 'records'));
    } finally {
      await log.close();
      await store.close();
    }
  }
  t.diagnostic(`${told.next - 1} writes, ${unfinished} of them in progress when the process was killed`);
  await git(join(directory, 'log'), 'fsck', '--full', '--strict');
}

/** @returns how many writes were in progress at the kill */
async function writeUntilKilled(directory: string, backend: BackendType, told: Told): Promise<number> {
  const script = join(import.meta.dirname, 'long-writer.ts');
  const args = [script, backend, directory, String(told.next)];
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const end = once(writer, 'close');
  // The moment is counted in writes, so that a slow machine does not always kill the first one.
  const acknowledgements = Math.floor(Math.random() * MOST_ACKNOWLEDGED);
  const reached = new Promise<void>((found) => {
    writer.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('try') && output.split('ack').length > acknowledgements) found();
    });
  });
  await Promise.race([reached, end]);
  assert.equal(writer.exitCode, null, 'the writer runs until it is killed');
  await delay(Math.random() * 600);
  assert.equal(writer.exitCode, null, 'the writer runs until it is killed');
  writer.kill('SIGKILL');
  await end;
  const open = new Set<string>();
  for (const line of output.slice(0, output.lastIndexOf('\n')).split('\n').slice(1)) {
    const [word, serial = '', group = ''] = line.split(' ');
    told.next = Math.max(told.next, Number(serial) + 1);
    if (word === 'try') told.tried.set(group, Number(serial));
    else told.acknowledged.set(group, Number(serial));
    if (word === 'try') open.add(serial);
    else open.delete(serial);
  }
  return open.size;
}

/** All records of a group have one serial: that of the last acknowledged write, or of the one in progress. */
async function compareRecords(store: RecordStore, { acknowledged, tried }: Told): Promise<void> {
  for (const group of GROUPS) {
    const row = await store.ledger.get('group', group);
    const serial = row ? Number(row.json) : undefined;
    assert.ok([acknowledged.get(group), tried.get(group)].includes(serial), `${group} has serial ${serial}`);
    for (const name of namesOf(group)) {
      const record = await store.get(iriOf(name));
      const found = record && (JSON.parse(record.json) as { serial: number }).serial;
      assert.equal(found, serial, `${name} is not part of a whole write`);
    }
    if (serial !== undefined) acknowledged.set(group, serial);
    tried.delete(group);
  }
  assert.deepEqual(await store.faults(), []);
}

/** There is one entry for each change, in order, and git has the same. */
async function compareEntries(store: RecordStore, log: AuditLog): Promise<void> {
  let revision = 0;
  const serials = new Map<string, number[]>();
  for await (const entry of scanEntries(store, {})) {
    revision += 1;
    assert.equal(entry.revision, revision, 'revisions have no gap');
    const { serial } = JSON.parse(entry.json ?? '{}') as { serial: number };
    serials.set(entry.pid, [...(serials.get(entry.pid) ?? []), serial]);
  }
  assert.equal(await store.revision(), revision);
  await log.flush();
  for (const group of GROUPS) {
    const names = namesOf(group);
    const all = serials.get(`ex:${names[0]}`) ?? [];
    assert.deepEqual(all, [...new Set(all)].sort(ascending), 'each write has one entry for a record');
    for (const name of names)
      assert.deepEqual(serials.get(`ex:${name}`) ?? [], all, `${name} has all entries`);
    for (const name of [names[0], names.at(-1)]) {
      const inGit = await Array.fromAsync(log.history([`ex:${name}`]));
      const found = inGit.map(({ json }) => (JSON.parse(json ?? '{}') as { serial: number }).serial);
      assert.deepEqual(found, all, `git has the entries of ${name}`);
    }
  }
}

const ascending = (a: number, b: number) => a - b;

/** There is one whole file for each record, and nothing is left of writes in progress. */
async function compareFiles(store: RecordStore, directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const records = files.filter((path) => /^\w.*\.yaml$/.test(path));
  assert.equal(records.length, await store.count({}));
  for (const path of records) {
    const { pid, serial } = readYaml(readFileSync(join(directory, path), 'utf8')) as Record<string, unknown>;
    const record = await store.get(iriOf(String(pid).slice('ex:'.length)));
    assert.equal((JSON.parse(record?.json ?? '{}') as { serial: number }).serial, Number(serial));
  }
  assert.deepEqual(readdirSync(join(directory, '.accession/staging')), []);
}
