/**
 * Two instances on one database whose connections are cut: curators decide and undo, submitters replace and withdraw, and
 * administrators change the configuration, all at the same time. No request fails, and both instances agree in the end.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { ADMIN, LABORATORY, type TestAnswer, type TestService, testApp } from '../support/app.ts';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';
import { randomOf } from '../support/randomly.ts';

/** Longer runs set more. */
const SECONDS = Number(process.env.ACCESSION_STORM_SECONDS ?? 4);
const LANES = 8;
const NAMES = Array.from({ length: 8 }, (_, n) => `p${n}`);
const SUBMITTERS = ['ann', 'bob'];

let server: TestServer;
before(async () => {
  server = await startPostgresql();
});
after(() => server.close());

const CONFIGURATION = {
  collections: { lab: { backend: { type: 'postgresql+stl' } } },
  tokens: {
    nobody: {},
    ann: { lab: 'WRITE_COLLECTION' },
    bob: { lab: 'WRITE_COLLECTION' },
    cora: { lab: 'CURATOR' },
  },
};

let random: (below: number) => number;
const one = <T>(all: readonly T[]): T => all[random(all.length)] as T;
const pidOf = (name: string) => `labid:${name}`;
const person = (name: string) => ({
  pid: pidOf(name),
  name,
  family_name: name,
  given_name: `v${random(4)}`,
  orcid: one(['orcid:0000-0002-1825-0097', 'orcid:0000-0001-5109-3700']),
});

/** A request, as a curator if no token is named. */
type Ask = (method: string, path: string, json?: unknown, token?: string) => Promise<TestAnswer>;

/** What people do at the same time, and how often. */
const OPERATIONS: readonly (readonly [weight: number, operation: (ask: Ask) => unknown])[] = [
  [8, (ask) => ask('POST', '/lab/record/Person', person(one(NAMES)), one(SUBMITTERS))],
  [2, (ask) => ask('DELETE', `/lab/record?pid=${pidOf(one(NAMES))}`, undefined, one(SUBMITTERS))],
  [1, (ask) => ask('DELETE', `/lab/incoming/${one(SUBMITTERS)}/record?pid=${pidOf(one(NAMES))}`)],
  [2, (ask) => ask('POST', '/lab/curated/record/Person', person(one(NAMES)))],
  [1, (ask) => ask('DELETE', `/lab/curated/record?pid=${pidOf(one(NAMES))}`)],
  [8, decideOne],
  [2, decideMany],
  [1, decideByFilter],
  [3, undoOne],
  [1, rename],
  [1, merge],
  [4, (ask) => ask('GET', `/-/lab/review/item?label=${one(SUBMITTERS)}&pid=${pidOf(one(NAMES))}`)],
  [2, (ask) => ask('GET', '/-/lab/review/?standing=waiting,rejected,deferred')],
  [2, (ask) => ask('GET', '/-/lab/review/summary')],
  [2, (ask) => ask('GET', '/-/lab/review/decisions')],
  [2, (ask) => ask('GET', '/-/lab/submissions/', undefined, one(SUBMITTERS))],
  [2, (ask) => ask('GET', `/-/lab/submissions/item?pid=${pidOf(one(NAMES))}`, undefined, one(SUBMITTERS))],
  [1, (ask) => ask('GET', `/-/lab/history?pid=${pidOf(one(NAMES))}`)],
  [1, (ask) => ask('GET', '/lab/records/p/?matching=%25v1%25', undefined, 'ann')],
  [1, (ask) => ask('GET', '/lab/curated/records/p/')],
  [1, (ask) => ask('GET', '/-/lab/duplicates')],
  [1, (ask) => ask('GET', '/-/lab/dangling')],
  [1, (ask) => ask('GET', '/-/lab/export', undefined, 'ann')],
  [1, (ask) => ask('POST', '/-/lab/records/Person', NAMES.map(person), one(SUBMITTERS))],
  [1, (ask) => (random(5) === 0 ? configure(ask) : undefined)],
];

async function decideOne(ask: Ask): Promise<void> {
  const [label, pid] = [one(SUBMITTERS), pidOf(one(NAMES))];
  const item = await ask('GET', `/-/lab/review/item?label=${label}&pid=${pid}`);
  if (item.status !== 200) return;
  const { digest } = item.json<{ digest: string }>();
  const decision = one(['accept', 'accept', 'reject', 'defer']);
  await ask('POST', '/-/lab/review/decisions', {
    label,
    pid,
    digest,
    decision,
    reason: 'so',
    overturn: true,
  });
}

async function decideMany(ask: Ask): Promise<void> {
  const queue = await ask('GET', '/-/lab/review/?size=5');
  if (queue.status !== 200) return;
  const { items } = queue.json<{ items: { label: string; pid: string; digest: string }[] }>();
  if (items.length === 0) return;
  const made = items.map(({ label, pid, digest }) => ({ label, pid, digest, decision: 'accept' }));
  const { status, text } = await ask('POST', '/-/lab/review/decisions', made);
  if (status === 200) assert.doesNotMatch(text, /"status":500/);
}

async function decideByFilter(ask: Ask): Promise<void> {
  const filter = { label: [one(SUBMITTERS)] };
  const summary = await ask('GET', `/-/lab/review/summary?label=${filter.label}`);
  if (summary.status !== 200) return;
  const { total: expected } = summary.json<{ total: number }>();
  const body = { filter, expected, decision: 'reject', reason: 'no' };
  const { status, text } = await ask('POST', '/-/lab/review/decisions/by-filter', body);
  if (status === 200) assert.doesNotMatch(text, /"status":500/);
}

async function undoOne(ask: Ask): Promise<void> {
  const answer = await ask('GET', '/-/lab/review/decisions?size=20');
  if (answer.status !== 200) return;
  const { items } = answer.json<{ items: { id: string; undone: unknown }[] }>();
  const made = items.filter(({ undone }) => !undone);
  if (made.length > 0) await ask('POST', `/-/lab/review/decisions/${one(made).id}/undo`, {});
}

async function rename(ask: Ask): Promise<void> {
  await ask('POST', '/-/lab/curated/rename', { from: pidOf(one(NAMES)), to: pidOf(one(NAMES)) });
}

async function merge(ask: Ask): Promise<void> {
  await ask('POST', '/-/lab/curated/merge', { keep: pidOf(one(NAMES)), drop: pidOf(one(NAMES)) });
}

/** Opens the collection again, or changes a token. */
async function configure(ask: Ask): Promise<void> {
  const collection = {
    name: 'lab',
    schema: LABORATORY,
    default_token: 'nobody',
    backend: { type: 'postgresql+stl' },
    curated: 'lab/curated',
    incoming: 'lab/incoming',
  };
  if (random(2) === 0) await ask('PUT', '/collections', collection, ADMIN);
  else {
    const name = `t${random(3)}`;
    const token = { name, user_id: name, collections: { lab: { mode: 'SUBMIT', incoming_label: name } } };
    await ask('PUT', '/tokens', token, ADMIN);
  }
}

const WEIGHED = OPERATIONS.flatMap(
  ([weight, operation]) => Array(weight).fill(operation) as (typeof operation)[],
);

test('no request fails while two instances decide, undo and change, and their connections are cut', async (t) => {
  random = randomOf(t);
  const databaseUrl = await server.createDatabase();
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const first = await testApp(t, CONFIGURATION, { databaseUrl, logger });
  const services: readonly TestService[] = [first, await testApp(t, {}, { databaseUrl, logger })];
  const settings = { identifying_slots: { Person: ['orcid'] } };
  await first.request('PUT', '/-/lab/settings', { token: 'cora', json: settings });
  const failed: string[] = [];
  const statuses = new Map<string, number>();
  const askOn =
    (service: TestService): Ask =>
    async (method, path, json, token = 'cora') => {
      const answer = await service.request(method, path, { token, ...(json !== undefined && { json }) });
      const { status, headers, text } = answer;
      const key = `${status} ${method} ${path.replace(/\?.*/, '').replace(/decisions\/\w+\/undo/, 'undo')}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      const isTold = status === 503 && headers['retry-after'] !== undefined;
      if (status >= 500 && !isTold) failed.push(`${method} ${path}: ${status} ${text}`);
      return answer;
    };

  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.after(() => client.end());
  const end = Date.now() + SECONDS * 1000;
  const cut = async () => {
    while (Date.now() < end) {
      await pause(50 + random(200));
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE pid <> pg_backend_pid() AND datname = current_database() AND random() < 0.2`,
      );
    }
  };
  const lane = async () => {
    while (Date.now() < end) await one(WEIGHED)(askOn(one(services)));
  };
  await Promise.all([cut(), ...Array.from({ length: LANES }, lane)]);
  if (process.env.ACCESSION_STORM_SECONDS)
    for (const [key, n] of [...statuses].sort()) console.log(`# ${n} ${key}`);
  assert.deepEqual(failed, [], logged.join(''));

  await pause(1000);
  const stateOf = async (service: TestService) => {
    const ask = askOn(service);
    const paths = [
      '/-/lab/review/?standing=waiting,rejected,deferred&size=100',
      '/-/lab/review/decisions?size=100',
    ];
    const answers = await Promise.all(paths.map((path) => ask('GET', path)));
    return answers.map(({ status, text }) => {
      assert.equal(status, 200, text);
      return JSON.parse(text).items;
    });
  };
  assert.deepEqual(await stateOf(services[0]!), await stateOf(services[1]!));
});
