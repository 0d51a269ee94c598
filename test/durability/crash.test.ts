/**
 * Kills a writing process at random moments, again and again on the same store, and holds what is found afterwards
 * against what was acknowledged. `ACCESSION_CRASH_ROUNDS` says how many times (issue: 1,000; here few by default).
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type BackendConfig, openStore } from '../../src/storage/backends.ts';
import type { RecordStore } from '../../src/storage/store.ts';
import { readYaml } from '../../src/yaml/read.ts';
import { NAMES, optionsForCrash, WRITERS } from './world.ts';

const ROUNDS = Number(process.env.ACCESSION_CRASH_ROUNDS ?? 12);

const CONFIGS: readonly BackendConfig[] = [
  { type: 'sqlite' },
  { type: 'record_dir+stl', mapping_method: 'digest-md5-p3' },
  { type: 'record_dir', mapping_method: 'after-last-colon' },
];

for (const config of CONFIGS) {
  test(`${config.type}: no acknowledged write is lost when the process is killed`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-crash-'));
    const expected = new Map<string, string>();
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const possible = await killWhileWriting(config, directory, round, 'a', expected);
        const store = await openStore(config, directory, optionsForCrash);
        try {
          await compare(store, ['a'], expected, possible, `round ${round}`);
          if ('mapping_method' in config) await compareFiles(store, directory);
        } finally {
          await store.close();
        }
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

for (const config of CONFIGS) {
  test(`${config.type}: two processes write to one directory and are killed`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-crash-'));
    const expected = new Map<string, string>();
    try {
      for (let round = 0; round < Math.ceil(ROUNDS / 4); round++) {
        const possible = await Promise.all(
          ['a', 'b'].map((prefix) => killWhileWriting(config, directory, round, prefix, expected, 'busy')),
        );
        const store = await openStore(config, directory, optionsForCrash);
        try {
          const either = new Map(possible.flatMap((map) => [...map]));
          await compare(store, ['a', 'b'], expected, either, `round ${round}`);
          if ('mapping_method' in config) await compareFiles(store, directory);
        } finally {
          await store.close();
        }
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

/**
 * Runs a writer and kills it. Brings `expected` up to what was acknowledged.
 *
 * @param busy the writer is also stopped and continued at random moments
 * @returns the values that names may have instead, by writes that were under way.
 */
async function killWhileWriting(
  config: BackendConfig,
  directory: string,
  round: number,
  prefix: string,
  expected: Map<string, string>,
  busy?: 'busy',
): Promise<Map<string, string>> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'writer.ts'), JSON.stringify(config), directory, String(round), prefix],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  const opened = Promise.withResolvers<void>();
  child.stdout.on('data', (data) => {
    output += data;
    if (output.startsWith('open')) opened.resolve();
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await Promise.race([opened.promise, ended]);
  if (busy) await stopNowAndThen(child, Math.random() * 400);
  else await delay(Math.random() * 120);
  child.kill('SIGKILL');
  await ended;
  const tries = new Map<string, { name: string; value: string }>();
  for (const line of output.split('\n').slice(1, -1)) {
    const [word, serial = '', name = '', value = ''] = line.split(' ');
    if (word === 'try') tries.set(serial, { name, value });
    if (word !== 'ack') continue;
    const { name: acked, value: written } = tries.get(serial)!;
    expected.set(acked, written);
    tries.delete(serial);
  }
  return new Map([...tries.values()].map(({ name, value }) => [name, value]));
}

/** Stops and continues a process at random moments, as a busy machine does: other processes run in between. */
async function stopNowAndThen(child: ChildProcess, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end && child.exitCode === null) {
    await delay(Math.random() * 40);
    child.kill('SIGSTOP');
    await delay(Math.random() * 60);
    child.kill('SIGCONT');
  }
}

async function compare(
  store: RecordStore,
  prefixes: readonly string[],
  expected: Map<string, string>,
  possible: Map<string, string>,
  round: string,
): Promise<void> {
  for (const prefix of prefixes) {
    for (let i = 0; i < WRITERS * NAMES; i++) {
      const name = `${prefix}${i % WRITERS}n${Math.floor(i / WRITERS)}`;
      const values = await Promise.all([name, `${name}-twin`].map((each) => valueIn(store, each)));
      assert.equal(values[0], values[1], `${round}: half a write of ${name}`);
      const allowed = [expected.get(name) ?? '-', possible.get(name)];
      assert.ok(allowed.includes(values[0]), `${round}: ${name} is ${values[0]}, not one of ${allowed}`);
      expected.set(name, values[0]!);
    }
  }
  assert.deepEqual(await store.faults(), []);
  let count = 0;
  for await (const _ of store.scan({})) count += 1;
  assert.equal(await store.count({}), count);
  assert.equal((await store.list({}, { offset: 0, limit: 1000 })).length, count);
}

async function valueIn(store: RecordStore, name: string): Promise<string> {
  const record = await store.get(`https://example.org/${name}`);
  return record ? (JSON.parse(record.json) as { value: string }).value : '-';
}

/** There is one whole file for each record, in the folder of its class, and no other. */
async function compareFiles(store: RecordStore, directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^\w.*\.yaml$/.test(path),
  );
  assert.equal(files.length, await store.count({}));
  for (const path of files) {
    const { pid, value } = readYaml(readFileSync(join(directory, path), 'utf8')) as {
      pid: string;
      value: string;
    };
    const record = await store.get(optionsForCrash.expand(pid)!);
    assert.ok(record);
    assert.equal(record.className, path.split('/')[0]);
    assert.equal((JSON.parse(record.json) as { value: string }).value, value);
  }
  assert.deepEqual(readdirSync(join(directory, '.accession/staging')), []);
}
