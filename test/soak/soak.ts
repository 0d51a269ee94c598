/**
 * `npm run soak`, for each kind of database: mixed load while the service is stopped, killed, runs out of disk and loses its forge and its database,
 * and while its clock jumps, for ACCESSION_SOAK_MINUTES (30). In the end every acknowledged write has to be there, pages
 * and totals have to agree with what the clients know, the histories have to be those of the changes, and submissions
 * have to be decided as the curators were told.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { person } from '../support/people.ts';
import { randomOf } from '../support/randomly.ts';
import { Model, type Outcome } from './model.ts';
import { CURATOR, type DatabaseKind, makeWorld, SUBMITTER, USER } from './world.ts';

const random = randomOf({ diagnostic: console.log });
const MINUTES = Number(process.env.ACCESSION_SOAK_MINUTES ?? 30);
const CLIENTS = 4;
/** Records of each client in each area: few, so that they are changed often. */
const RECORDS = 25;
/** Between the requests of a client, in milliseconds: histories stay readable over half an hour. */
const PAUSE = 8;
/** How far the clock of the service is off, one after the other. */
const CLOCKS = ['-2d', '+3d', '-90m', '+400d', '+0'];

const world = await makeWorld(process.argv[2] as DatabaseKind, MINUTES);
const COLLECTIONS = world.collections;
let running = true;
/** Collection and area → what is known. */
const models = new Map<string, Model>();
/** A decision, and what the curator was told of it. */
type Told = {
  readonly collection: string;
  readonly pid: string;
  readonly decision: 'accept' | 'reject';
  readonly outcome: Outcome;
};
const told: Told[] = [];
const unexpected: string[] = [];
const counts = { reads: 0, forge: 0 };
const disturbances: Record<string, number> = {};

const AREAS = {
  curated: { path: '/curated', token: CURATOR },
  zone: { path: '', token: USER },
} as const;

try {
  await world.start();
  const end = Date.now() + MINUTES * 60_000;
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  while (Date.now() < end) {
    for (const [name, disturb] of Object.entries(DISTURBANCES())) {
      await wait(2_000 + random(2_000));
      if ((await disturb()) !== false) disturbances[name] = (disturbances[name] ?? 0) + 1;
      if (Date.now() >= end) break;
    }
  }
  running = false;
  await Promise.all(clients);
  await world.service().stop();
  await world.start();
  await judge();
  await judgeDecisions();
  report();
} finally {
  await world.end();
}

/** Each returns false if this machine lacks what it needs. */
function DISTURBANCES(): Record<string, () => Promise<unknown>> {
  return {
    async killed() {
      await world.service().kill();
      await world.start();
    },
    async 'disk full'() {
      if (!world.fillDisk()) return false;
      await wait(1_500);
      world.freeDisk();
    },
    async 'clock jumped'() {
      if (!world.setClock(CLOCKS[(disturbances['clock jumped'] ?? 0) % CLOCKS.length] as string))
        return false;
      await wait(1_000);
    },
    async 'database restarted'() {
      if (!world.database) return false;
      await world.database.stopNow();
      await wait(1_000);
      await world.database.start();
    },
    async stopped() {
      assert.equal(await world.service().stop(), 0, world.service().output());
      await world.start();
    },
    async 'forge away'() {
      for (const path of ['user', 'user/orgs', 'user/teams'])
        world.forge.misbehave(path, (response) => response.destroy());
      await wait(1_500);
      for (const path of ['user', 'user/orgs', 'user/teams']) world.forge.misbehave(path);
    },
    async 'killed while the disk is full'() {
      if (!world.fillDisk()) return false;
      await wait(300);
      await world.service().kill();
      world.freeDisk();
      await world.start();
    },
  };
}

/** One client: it alone writes its records, one request after the other, so it knows what they are. */
async function client(number: number): Promise<void> {
  for (let i = 0; running; i++) {
    const collection = pick(COLLECTIONS);
    const area = pick(Object.keys(AREAS) as (keyof typeof AREAS)[]);
    const pid = `labid:c${number}-${random(RECORDS)}`;
    const chance = random(100);
    if (chance < 50) await put(collection, area, pid, `v${i}`);
    else if (chance < 60) await remove(collection, area, pid);
    else if (chance < 90) await read(collection, area, pid);
    else if (chance < 95) await submitAndDecide(collection, `labid:d${number}-${i}`);
    else await readWithForgeToken(collection);
    await wait(PAUSE);
  }
}

/** A submission of its own, and a curator's decision on it. */
async function submitAndDecide(collection: string, pid: string): Promise<void> {
  const body = JSON.stringify({ ...person('submitted'), pid });
  const stored = await ask('POST', `/${collection}/record/Person`, SUBMITTER, body);
  if (stored?.status !== 200) return;
  const path = `/-/${collection}/review/item?label=${SUBMITTER}&pid=${pid}`;
  const item = await ask('GET', path, CURATOR);
  if (item?.status !== 200) return;
  const { digest } = JSON.parse(item.text) as { digest: string };
  const decision = random(2) === 0 ? 'accept' : 'reject';
  const answer = await ask(
    'POST',
    `/-/${collection}/review/decisions`,
    CURATOR,
    JSON.stringify({ label: SUBMITTER, pid, digest, decision, reason: 'soaked' }),
  );
  const outcome = outcomeOf(answer);
  told.push({ collection, pid, decision, outcome });
  if (decision === 'accept') modelOf(collection, 'curated').note(pid, 'submitted', outcome);
}

/** Submissions are as the curator was told, for the submitter, too. */
async function judgeDecisions(): Promise<void> {
  const decided = { accept: 'accepted', reject: 'rejected' };
  for (const { collection, pid, decision, outcome } of told) {
    const answer = await ask('GET', `/-/${collection}/submissions/item?pid=${pid}`, SUBMITTER);
    const { status } = JSON.parse(answer?.text ?? '{}') as { status?: string };
    const possible = [
      ...(outcome === 'acknowledged' ? [] : ['waiting']),
      ...(outcome === 'refused' ? [] : [decided[decision]]),
    ];
    assert.ok(
      possible.includes(status ?? ''),
      `${collection} ${pid}: ${decision} was ${outcome}, and it is ${answer?.status} ${status}`,
    );
  }
}

async function put(collection: string, area: keyof typeof AREAS, pid: string, name: string): Promise<void> {
  const body = JSON.stringify({ ...person(name), pid });
  const answer = await ask(
    'POST',
    `/${collection}${AREAS[area].path}/record/Person`,
    AREAS[area].token,
    body,
  );
  modelOf(collection, area).note(pid, name, outcomeOf(answer));
}

async function remove(collection: string, area: keyof typeof AREAS, pid: string): Promise<void> {
  const path = `/${collection}${AREAS[area].path}/record?pid=${pid}`;
  const answer = await ask('DELETE', path, AREAS[area].token);
  modelOf(collection, area).note(pid, null, outcomeOf(answer));
}

async function read(collection: string, area: keyof typeof AREAS, pid: string): Promise<void> {
  // What a user reads in the own zone may be the curated record, so zones are read as a curator.
  const path = `/${collection}${area === 'curated' ? '/curated' : `/incoming/${USER}`}/record?pid=${pid}`;
  const answer = await ask('GET', path, CURATOR);
  if (answer?.status !== 200) return;
  counts.reads++;
  const name = (JSON.parse(answer.text) as { name: string } | null)?.name ?? null;
  const possible = modelOf(collection, area).possible(pid);
  if (!possible.has(name)) unexpected.push(`${path}: read ${name}, possible ${[...possible]}`);
}

/** Answers may be refusals while the forge is away, but no failures. */
async function readWithForgeToken(collection: string): Promise<void> {
  const answer = await ask('GET', `/${collection}/records/p/?size=1`, world.forge.token('rita'));
  if (answer) counts.forge++;
}

type Answer = { readonly status: number; readonly text: string };

/** Undefined if there was no answer. */
async function ask(method: string, path: string, token: string, body?: string): Promise<Answer | undefined> {
  try {
    const answer = await fetch(world.service().url + path, {
      method,
      headers: { 'X-Service-Token': token, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await answer.text();
    if (answer.status >= 500 && ![503, 507].includes(answer.status))
      unexpected.push(
        `${method} ${path}: ${answer.status} ${text}\n${logOf(answer.headers.get('x-request-id'))}`,
      );
    return { status: answer.status, text };
  } catch {
    await wait(50);
    return undefined;
  }
}

/** What the log says about a request. */
function logOf(id: string | null): string {
  const lines = world.service().output().split('\n');
  return lines.filter((line) => id !== null && line.includes(id)).join('\n');
}

function outcomeOf(answer: Answer | undefined): Outcome {
  // A database that goes away during a commit does not say whether it was made, and the service says that it does not.
  if (!answer || (answer.status === 503 && answer.text.includes('It is unknown whether'))) return 'unknown';
  return answer.status === 200 ? 'acknowledged' : 'refused';
}

function modelOf(collection: string, area: string): Model {
  const key = `${collection} ${area}`;
  const model = models.get(key) ?? new Model();
  models.set(key, model);
  return model;
}

function pick<T>(list: readonly T[]): T {
  return list[random(list.length)] as T;
}

/** Holds the store against what the clients know. */
async function judge(): Promise<void> {
  assert.deepEqual(unexpected, []);
  for (const collection of COLLECTIONS) {
    for (const area of Object.keys(AREAS) as (keyof typeof AREAS)[]) {
      const model = modelOf(collection, area);
      const base = `/${collection}${area === 'curated' ? '/curated' : `/incoming/${USER}`}`;
      const found = new Map<string, string>();
      let total = 0;
      for (let page = 1, pages = 1; page <= pages; page++) {
        const answer = await ask('GET', `${base}/records/p/?page=${page}&size=100`, CURATOR);
        const read = JSON.parse(answer?.text ?? '{}');
        ({ total, pages } = read);
        for (const { pid, name } of read.items) found.set(pid, name);
      }
      assert.equal(found.size, total, `${base}: the total is the number of records on its pages`);
      for (const pid of new Set([...model.pids, ...found.keys()])) {
        const name = found.get(pid) ?? null;
        assert.ok(
          model.possible(pid).has(name),
          `${base} ${pid}: ${name}, possible ${[...model.possible(pid)]}`,
        );
        if (area === 'curated') await judgeHistory(collection, model, pid, name);
      }
    }
  }
}

async function judgeHistory(
  collection: string,
  model: Model,
  pid: string,
  now: string | null,
): Promise<void> {
  const answer = await ask('GET', `/-/${collection}/history?pid=${pid}`, CURATOR);
  const entries = JSON.parse(answer?.text ?? '[]') as { record: { name: string } | null }[];
  const history = entries.map(({ record }) => record?.name ?? null);
  model.assertHistory(pid, history);
  assert.equal(history.at(-1) ?? null, now, `${collection} ${pid}: the last entry is the record`);
}

function report(): void {
  const sum = (outcome: Outcome) =>
    [...models.values()].reduce((total, model) => total + model.count(outcome), 0);
  const lines = [
    `${sum('acknowledged')} acknowledged writes, ${sum('refused')} refused, ${sum('unknown')} without an answer`,
    `${told.filter(({ outcome }) => outcome === 'acknowledged').length} decisions as told, ${told.length} made`,
    `${counts.reads} reads as expected, ${counts.forge} requests with a token of the forge`,
    Object.entries(disturbances)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', '),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
