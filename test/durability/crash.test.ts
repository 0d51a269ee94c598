/**
 * Kills a writing process at random moments, again and again on the same store, and holds what is found afterwards
 * against what was acknowledged; the files of an area that has files are then equal to its records, byte for byte.
 * `ACCESSION_CRASH_ROUNDS` says how many times.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertMirrored, openMirrored } from '../../src/peer/mirror-subject.ts';
import { scanEntries } from '../../src/storage/scan-entries.ts';
import type { RecordStore } from '../../src/storage/store.ts';
import { NAMES, pidsOf, WORLDS, type World, WRITERS } from './world.ts';

const ROUNDS = Number(process.env.ACCESSION_CRASH_ROUNDS ?? 12);
/** A process is killed so long after it has begun, in milliseconds, at most: longer than the pause between two flushes. */
const LONGEST_LIFE = 1500;

for (const world of WORLDS) {
  test(`${world.name}: no acknowledged write is lost when the process is killed`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'accession-crash-'));
    t.after(() => rmSync(root, { recursive: true }));
    const expected = new Map<string, string>();
    let unfinished = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const possible = await killWhileWriting(world, root, round, expected);
      unfinished += possible.size;
      const { store, database, mirror } = await openMirrored(root, world.files);
      try {
        if (world.files) await mirror.begin();
        const revision = await store.revision();
        await compare(store, expected, possible, `round ${round}`);
        if (!world.files) continue;
        await assertMirrored({ store, mirror, directory: join(root, 'area') }, world.files.typed);
        await mirror.compareAll({ everything: true });
        assert.equal(await store.revision(), revision, 'nothing is taken for a change from outside');
      } finally {
        if (world.files) await mirror.close();
        await database.close();
      }
    }
    t.diagnostic(`${unfinished} writes were in progress when the process was killed`);
  });
}

/**
 * Runs a writer and kills it. Brings `expected` up to what was acknowledged.
 *
 * @returns the values that names may have instead, by writes that were under way.
 */
async function killWhileWriting(
  { name }: World,
  root: string,
  round: number,
  expected: Map<string, string>,
): Promise<Map<string, string>> {
  const script = join(import.meta.dirname, 'writer.ts');
  const child = spawn(process.execPath, [script, name, root, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const opened = Promise.withResolvers<void>();
  child.stdout.on('data', (data) => {
    output += data;
    if (output.startsWith('open')) opened.resolve();
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await Promise.race([opened.promise, ended]);
  await delay(Math.random() ** 2 * LONGEST_LIFE);
  assert.equal(child.exitCode, null, 'the writer runs until it is killed');
  child.kill('SIGKILL');
  await ended;
  const tries = new Map<string, { name: string; value: string }>();
  for (const line of output.split('\n').slice(1, -1)) {
    const [word, serial = '', tried = '', value = ''] = line.split(' ');
    if (word === 'try') tries.set(serial, { name: tried, value });
    if (word !== 'ack') continue;
    const { name: acked, value: written } = tries.get(serial)!;
    expected.set(acked, written);
    tries.delete(serial);
  }
  return new Map([...tries.values()].map((one) => [one.name, one.value]));
}

async function compare(
  store: RecordStore,
  expected: Map<string, string>,
  possible: Map<string, string>,
  round: string,
): Promise<void> {
  const values = new Map<string, string>();
  for await (const { pid, json } of store.scan({}))
    values.set(pid, (JSON.parse(json) as { value: string }).value);
  assert.equal(await store.count({}), values.size);
  for (let i = 0; i < WRITERS * NAMES; i++) {
    const name = `${i % WRITERS}n${Math.floor(i / WRITERS)}`;
    const found = new Set(pidsOf(name).map((pid) => values.get(pid) ?? '-'));
    assert.equal(found.size, 1, `${round}: half a write of ${name}: ${[...found]}`);
    const [value] = found as Set<string>;
    const allowed = [expected.get(name) ?? '-', possible.get(name)];
    assert.ok(allowed.includes(value), `${round}: ${name} is ${value}, not one of ${allowed}`);
    expected.set(name, value!);
  }
  let revision = 0;
  for await (const entry of scanEntries(store, {})) {
    assert.equal(entry.revision, ++revision, `${round}: revisions have no gap`);
    assert.notEqual(entry.committer, null, `${round}: nothing is taken for a change from outside`);
  }
  assert.equal(await store.revision(), revision);
}
