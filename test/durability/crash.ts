/**
 * Kills a service, or its thread that writes alone, at random moments while clients store, delete, decide, undo, rename, merge, switch the schema and change
 * the configuration, again and again on the same store, and compares its records, entries, decisions and plans with what it
 * has acknowledged. The files of a record directory are then equal to its records, byte for byte.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { openStore } from '../../src/cli/open-store.ts';
import type { OpenStore } from '../../src/cli/opened-store.ts';
import { CONFIGURATION_AREA, CONFIGURATION_PID } from '../../src/core/config/record.ts';
import { scanEntries } from '../../src/core/storage/read/paging.ts';
import type { RecordStore } from '../../src/core/storage/store.ts';
import { requireCounted } from '../support/counted-submissions.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { ownDatabase, requireSettled } from '../support/postgresql.ts';
import { randomOf } from '../support/randomly.ts';
import { assertFiles } from '../support/record-directory.ts';
import {
  type Change,
  contentOf,
  HAS,
  type Line,
  LOST,
  makeStore,
  openWorld,
  type Part,
  type Person,
  personOf,
  send,
  startingPeople,
  type World,
} from './world.ts';

/** A process is killed so long after it has begun, in milliseconds, at most: longer than the pause between two flushes. */
const LONGEST_LIFE = 1500;
/** How long a test waits for files after a start, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** What is killed in a round: the service, or its thread that writes. */
type Killed = 'service' | 'thread';

/** Kills a service on one kind of backend, again and again on the same store. */
export function testCrashes(world: World, rounds: readonly Killed[]): void {
  const skip = world.backend.type.startsWith('record_dir') && lacks('peer');
  test(`${world.name}: no acknowledged change is lost, doubled or halved when the service is killed`, {
    skip,
  }, async (t) => {
    const random = randomOf(t);
    const root = mkdtempSync(join(tmpdir(), 'accession-crash-'));
    t.after(() => rmSync(root, { recursive: true }));
    const url = world.backend.type === 'postgresql' ? await ownDatabase() : '';
    makeStore(root, world);
    const place = { world, root, url, cache: join(root, '.compiled') };
    const known = await begin(place);
    const outcomes = new Map<string, number>();
    for (const [round, killed] of rounds.entries()) {
      const life = (random(1000) / 1000) ** 2 * LONGEST_LIFE;
      const tries = await killWhileWriting(place, { round, life, killed });
      for (const { name, outcome } of tries)
        outcomes.set(`${name}: ${outcome}`, (outcomes.get(`${name}: ${outcome}`) ?? 0) + 1);
      await open(place, async (parts) => compare(parts, known, tries, round)).catch((error: Error) => {
        error.message = `round ${round}: ${error.message}`;
        throw error;
      });
    }
    for (const line of [...outcomes].map(([name, count]) => `${name} ${count}`).sort()) t.diagnostic(line);
  });
}

type Place = { readonly world: World; readonly root: string; readonly url: string; readonly cache: string };
type Parts = Place & { readonly app: App; readonly store: OpenStore };

/** What a process was about to do, and what became of it: `made` has the parts that were acknowledged. */
type Try = {
  readonly name: string;
  readonly parts: readonly Part[];
  outcome: 'acknowledged' | 'refused' | 'in progress';
  made: readonly number[];
};

/** What is known of the store: the value of each record, the numbers that count up, and the revisions up to which this is so. */
type Known = {
  readonly values: Map<string, string>;
  readonly counts: Map<string, number>;
  readonly revisions: Map<string, number>;
};

async function open<T>(place: Place, work: (parts: Parts) => Promise<T>): Promise<T> {
  const app = await openWorld(place.root, place.url);
  try {
    const store = await openStore(place.url || place.root);
    try {
      return await work({ ...place, app, store });
    } finally {
      await store.close();
    }
  } finally {
    await app.close();
  }
}

/** Fills the store with the records that are renamed and merged. */
function begin(place: Place): Promise<Known> {
  return open(place, async (parts) => {
    const hub = { kind: 'Person', pid: 'ex:hub1', mail: 'hub@x.org', friend: 'ex:hub1' };
    for (const { kind: _, ...person } of [hub, ...startingPeople(hub.pid)]) {
      const answer = await send(parts.app, 'POST', '/c/curated/record/Person', 'cora', person);
      assert.equal(answer.status, 200, answer.text);
    }
    const zone = { pid: 'ex:first', mail: 'first@x.org' };
    assert.equal((await send(parts.app, 'POST', '/c/record/Person', 'ann', zone)).status, 200);
    const known: Known = { values: new Map(), counts: new Map(), revisions: new Map() };
    await found(parts, known);
    return known;
  });
}

/** @param killed if it is the thread that writes, the service has to answer what it can, and to end */
async function killWhileWriting(
  { root, url, cache }: Place,
  { round, life, killed }: { readonly round: number; readonly life: number; readonly killed: Killed },
): Promise<Try[]> {
  const script = join(import.meta.dirname, 'writer.ts');
  const child = spawn(process.execPath, [script, root, String(round), url], {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output: Buffer[] = [];
  const opened = Promise.withResolvers<void>();
  child.stdout.on('data', (data: Buffer) => {
    output.push(data);
    opened.resolve();
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await Promise.race([opened.promise, ended]);
  await delay(life);
  assert.equal(child.exitCode, null, 'the service runs until it is killed');
  const isThreadAlone = killed === 'thread';
  child.kill(isThreadAlone ? 'SIGUSR2' : 'SIGKILL');
  await ended;
  if (isThreadAlone) assert.equal(child.exitCode, LOST, 'the service ends with its thread');
  if (url !== '') await requireSettled(url);
  const tries = new Map<number, Try>();
  for (const text of Buffer.concat(output).toString().split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as Line;
    if (line.is === 'try') tries.set(line.serial, { ...line, outcome: 'in progress', made: [] });
    else if (line.is === 'ack')
      Object.assign(tries.get(line.serial)!, { outcome: 'acknowledged', made: line.made });
    else if (line.is === 'refused') tries.get(line.serial)!.outcome = 'refused';
  }
  return [...tries.values()];
}

/** Compares what the store has with what was acknowledged: each key has the changes that it has to have, in order. */
async function compare(parts: Parts, known: Known, tries: readonly Try[], round: number): Promise<void> {
  const changes = await found(parts, known);
  const expected = new Map<string, (string | null)[]>();
  const expect = ([key, value]: Change) => expected.set(key, [...(expected.get(key) ?? []), value]);
  for (const { parts, made } of tries) for (const at of made) parts[at]!.forEach(expect);
  for (const { name, parts } of tries.filter(({ outcome }) => outcome === 'in progress'))
    for (const part of parts) {
      const isMade = ([key]: Change) => (changes.get(key)?.length ?? 0) > (expected.get(key)?.length ?? 0);
      const seen = new Set(part.map(isMade));
      assert.equal(
        seen.size,
        1,
        `half of "${name}": ${JSON.stringify(part.filter(isMade))} of ${JSON.stringify(part)}`,
      );
      if (seen.has(true)) part.forEach(expect);
    }
  for (const key of new Set([...changes.keys(), ...expected.keys()]))
    assert.deepEqual(changes.get(key), expected.get(key), key);
  await compareParts(parts, `round ${round}`);
}

/** Compares parts of the store with each other. */
async function compareParts({ app, store, world }: Parts, round: string): Promise<void> {
  const get = async (url: string) => JSON.parse((await send(app, 'GET', url, 'cora')).text);
  if (HAS.curate) {
    // Until all changes are checked, there are faults of the schema that a switch has replaced.
    const { items } = await eventually(
      'all changes are checked',
      () => get('/-/c/faults'),
      ({ pending }) => pending === 0,
    );
    assert.deepEqual(items, [], round);
    assert.deepEqual((await get('/-/c/dangling')).items, [], round);
  }
  if (HAS.review) {
    // After a schema change, rows are renewed in the background.
    await eventually('all rows', async () => (await get('/-/c/review/summary')).zones_pending === 0);
    await requireCounted(store);
  }
  const hasFiles = world.backend.type.startsWith('record_dir');
  for (const { store: area, directory } of await store.areas())
    if (hasFiles) await requireFiles(area, directory, world.backend.type === 'record_dir');
}

/** A start does not wait for files for more than a moment. */
async function requireFiles(area: RecordStore, directory: string, typed: boolean): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; ; await delay(50))
    try {
      return await assertFiles(area, directory, typed);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
}

/**
 * What has changed since the last time, by key, in order. Requires that entries have no gaps and no foreign authors, that
 * records are what their last entries say, and that all of them have the form of the schema that is configured.
 */
async function found({ app, store }: Parts, known: Known): Promise<Map<string, (string | null)[]>> {
  const changes = new Map<string, (string | null)[]>();
  const add = (key: string, value: string | null) => changes.set(key, [...(changes.get(key) ?? []), value]);
  const set = (key: string, value: string | null) => {
    if (value === null) known.values.delete(key);
    else known.values.set(key, value);
    add(key, value);
  };
  const plans = await store.database.tuples<[id: string, kind: string, state: string, json: string]>(
    'SELECT id, kind, state, json FROM accession_plan ORDER BY id',
  );
  const switches = new Set(
    plans.filter(([, kind]) => kind === 'switch' || kind === 'undo').map(([id]) => id),
  );
  const current = app.state.configuration.collections.c!.schema.replace(/.*\//, '');
  for (const { store: area, area: name } of await store.areas()) {
    const key = (pid: string) => `${name === 'curated' ? name : 'zone'} ${pid}`;
    let revision = known.revisions.get(name) ?? 0;
    for await (const entry of scanEntries(area, { after: revision })) {
      const { pid, json, batch, committer } = entry;
      assert.equal(entry.revision, ++revision, 'revisions have no gap');
      assert.notEqual(committer, null, 'nothing is taken for a change from outside');
      const value = json === null ? null : contentOf(personOf(json));
      // A switch changes the form of a record, and nothing that it says.
      if (switches.has(batch ?? '')) assert.equal(value, known.values.get(key(pid)));
      else set(key(pid), value);
    }
    assert.equal(await area.revision(), revision);
    known.revisions.set(name, revision);
    await compareRecords(area, current, key, known);
  }
  await configurations(store, known, set);
  assert.equal(known.values.get('schema'), current);
  for (const [key, count] of await counted(store, plans)) {
    for (let n = known.counts.get(key) ?? 0; n < count; n++) add(key, '+');
    known.counts.set(key, count);
  }
  return changes;
}

async function compareRecords(
  area: RecordStore,
  schema: string,
  key: (pid: string) => string,
  { values }: Known,
): Promise<void> {
  const unseen = new Set([...values.keys()].filter((one) => one.startsWith(key(''))));
  for await (const { pid, json } of area.scan({})) {
    const record = JSON.parse(json) as Person & { schema_type: string; email?: string };
    const other = schema === 'one.yaml' ? 'ex:Human' : 'ex:Person';
    assert.ok(
      record.schema_type !== other && !(schema === 'one.yaml' ? record.email : record.mail),
      `${schema}: ${json}`,
    );
    assert.equal(contentOf(personOf(json)), values.get(key(pid)));
    unseen.delete(key(pid));
  }
  assert.deepEqual([...unseen], [], 'no record is missing');
}

/** The configurations since the last time: each has changed either the token or the schema. */
async function configurations(
  { database }: OpenStore,
  { values, revisions }: Known,
  set: (key: string, value: string) => void,
): Promise<void> {
  const area = (await database.existingArea(CONFIGURATION_AREA))!;
  for await (const { json, pid, revision } of scanEntries(area, {
    after: revisions.get(CONFIGURATION_AREA) ?? 0,
  })) {
    revisions.set(CONFIGURATION_AREA, revision);
    if (pid !== CONFIGURATION_PID || json === null) continue;
    const { collections, tokens } = JSON.parse(json);
    const schema = String(collections.c.schema).replace(/.*\//, '');
    const count: string | undefined = tokens.count?.user_id;
    if (schema !== values.get('schema')) set('schema', schema);
    else if (count !== undefined) set('count', count);
  }
}

/** The numbers of decisions, renames, merges and switches, and of those that were undone. */
async function counted(
  { database }: OpenStore,
  plans: readonly [id: string, kind: string, state: string, json: string][],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (key: string, count = 1) => counts.set(key, (counts.get(key) ?? 0) + count);
  for (const [, kind, state, json] of plans) {
    if (state === 'staging' || kind === 'undo') continue;
    add(`${(JSON.parse(json) as { undoes?: string | null }).undoes ? 'undoing' : 'made'} ${kind}`);
    if (state === 'undone') add(`undone ${kind}`);
  }
  if (!HAS.review) return counts;
  const decisions = await database.tuples<[pid: string, all: number, undone: number]>(
    'SELECT pid, count(*), count(undone_at) FROM accession_decision GROUP BY pid',
  );
  for (const [pid, all, undone] of decisions) {
    add(`decided ${pid}`, all);
    if (undone > 0) add(`undone ${pid}`, undone);
  }
  return counts;
}
