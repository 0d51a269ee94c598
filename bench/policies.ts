/**
 * What policies cost: requests of a caller with three of a hundred policies beside the same requests to a collection without
 * policies, the reload of a mapping, the change that gives a collection policies, and whether times tell hidden records from missing
 * ones.
 *
 *     npm run bench:policies -- [--records 1000000] [--policies 100] [--callers 10000] [--reads 20000]
 *
 * Both collections take turns, request by request, and processor time is counted.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { type App, openApp } from '../src/app.ts';
import { type RecordText, recordText } from '../src/core/records/record.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { curate, SCHEMA } from './service/curated.ts';
import { recordOf } from './service/data.ts';
import { idle, median, processorMilliseconds } from './service/processor.ts';

const { values: flags } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    policies: { type: 'string', default: '100' },
    callers: { type: 'string', default: '10000' },
    reads: { type: 'string', default: '20000' },
    runs: { type: 'string', default: '201' },
  },
});
const [RECORDS, POLICIES, CALLERS, READS, RUNS] = [
  ...[flags.records, flags.policies, flags.callers, flags.reads, flags.runs].map(Number),
] as [number, number, number, number, number];

const TAG = 'lab:policy';
const GRANTED = ['policy-1', 'policy-2', 'policy-3'];

const policyOf = (number: number) => `policy-${(number * 7919) % POLICIES}`;

/** A prime: a walk in steps of it meets each number below a power of ten once. */
const STEP = 611_953;

/** In no order, as people send them: in that of pids, those that a caller with all policies reads would lie beside each other. */
function* records(schema: Schema): Generator<RecordText> {
  for (let at = 0; at < RECORDS; at++) yield textOf(schema, (at * STEP) % RECORDS);
}

function textOf(schema: Schema, number: number): RecordText {
  const { className, record } = recordOf(number);
  const annotated = { ...record, annotations: { [TAG]: policyOf(number) } };
  return recordText(schema, { className, record: annotated });
}

type Arm = { readonly root: string; readonly information: string };

/** A store with numbered records, in a collection with or without policies. */
async function makeStore(parent: string, name: string, hasPolicies: boolean): Promise<Arm> {
  const root = mkdtempSync(join(parent, `${name}-`));
  const information = join(root, 'policies.json');
  writeMapping(information, 1);
  const token = (mode: string) => ({
    user_id: 'ann',
    representation: mode,
    collections: { c: { mode, incoming_label: 'ann' } },
  });
  const configuration = {
    type: 'collections',
    version: 2,
    collections: {
      c: {
        schema: SCHEMA,
        default_token: 'none',
        curated: 'c/curated',
        incoming: 'c/incoming',
        backend: { type: 'sqlite' },
        ...(hasPolicies && { policy_info_location: information }),
      },
    },
    tokens: { reader: token('READ_CURATED'), curator: token('CURATOR'), writer: token('WRITE_COLLECTION') },
  };
  writeFileSync(join(root, 'config.yaml'), JSON.stringify(configuration));
  // Makes the areas, with their tag.
  await (await open(root)).close();
  const schema = await openSchema(SCHEMA);
  await curate(root, records(schema));
  return { root, information };
}

/** Policy information with a number of callers. */
function writeMapping(file: string, callers: number): void {
  const others = Array.from({ length: callers - 1 }, (_, at) => ({
    auth_source: 'config',
    user_id: `user-${at}@example.org`,
    authorized_by: [policyOf(at), policyOf(at + 1), policyOf(at + 2)],
  }));
  const ann = { auth_source: 'config', user_id: 'ann', authorized_by: GRANTED };
  writeFileSync(file, JSON.stringify({ policy_annotation_tag: TAG, policy_mapping: [ann, ...others] }));
}

const open = (root: string) =>
  openApp({
    store: root,
    configFile: join(root, 'config.yaml'),
    version: '0.0.0-bench',
    bootstrap: createHash('sha256').update('bench').digest('hex'),
    logger: pino({ level: 'silent' }),
    memory: 1,
  });

type Sent = {
  readonly url: string;
  readonly token: string;
  readonly json?: object;
  /** POST with a body, and GET without, by default. */
  readonly method?: 'PUT';
};

async function send(app: App, { url, token, json, method }: Sent): Promise<string> {
  const answer = await app.server.inject({
    method: method ?? (json ? 'POST' : 'GET'),
    url,
    headers: { 'x-service-token': token, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { payload: JSON.stringify(json) }),
  });
  if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`);
  return answer.body;
}

/** By name; `n` is different in each call, `total` is what the caller sees. */
function requests(n: number, total: number): Record<string, Sent> {
  const token = 'READ_CURATED';
  const page = 1 + ((n * 7919) % Math.floor(total / 50));
  const number = ((n * 7919) % (RECORDS / 3)) * 3;
  const stored = recordOf(RECORDS + 3 * n);
  const json = { ...stored.record, annotations: { [TAG]: GRANTED[n % 3] } };
  return {
    'first page': { url: `/c/records/p/?size=50&page=${1 + (n % 2)}`, token },
    'any page': { url: `/c/records/p/?size=50&page=${page}`, token },
    'any page of a class': { url: `/c/records/p/Person?size=50&page=${1 + Math.floor(page / 3)}`, token },
    'count of each class': { url: '/-/c/classes', token },
    'search, one match': { url: `/-/c/search?q=person-${String(number).padStart(7, '0')}`, token },
    'search, many matches': { url: `/-/c/search?q=family+${n % 97}`, token },
    // Both read as many records until they have found these.
    'search, 100 of many matches': { url: `/-/c/search?q=family+${n % 97}&count=100`, token },
    'matching, one match': {
      url: `/c/records/p/?matching=person-${String(number).padStart(7, '0')}@%25`,
      token,
    },
    'store by a curator': { url: `/c/curated/record/${stored.className}`, token: 'CURATOR', json },
    'store by a user': { url: `/c/record/${stored.className}`, token: 'WRITE_COLLECTION', json },
  };
}

/** Each kind of request by turns to both, and the medians of their processor times. */
async function compare(restricted: App, plain: App): Promise<void> {
  const totalOf = async (app: App) =>
    JSON.parse(await send(app, { url: '/c/records/p/?size=1', token: 'READ_CURATED' })).total as number;
  const totals = [await totalOf(plain), await totalOf(restricted)];
  console.log(`\nrecords: ${totals[0]} without policies, ${totals[1]} of them seen with three policies\n`);
  console.log('| processor ms | without | with policies | ratio |\n|---|---|---|---|');
  for (const name of Object.keys(requests(0, 50_000))) {
    const times: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run++)
      for (const arm of run % 2 ? [0, 1] : [1, 0]) {
        const sent = requests(run, totals[arm]!)[name]!;
        const app = arm === 0 ? plain : restricted;
        times[arm]!.push(await processorMilliseconds(() => send(app, sent)));
      }
    const [without, withThem] = times.map(median) as [number, number];
    console.log(
      `| ${name} | ${without.toFixed(2)} | ${withThem.toFixed(2)} | ${(withThem / without).toFixed(2)} |`,
    );
  }
}

async function reload(app: App, { information }: Arm): Promise<void> {
  writeMapping(information, CALLERS);
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    await send(app, { url: '/management/reload/policy_info/c', token: 'CURATOR' });
    await send(app, { url: '/c/records/p/?size=1', token: 'READ_CURATED' });
    times.push(performance.now() - start);
  }
  console.log(
    `\nreload of a mapping of ${CALLERS} callers, and the first page: ${median(times).toFixed(0)} ms (median)`,
  );
}

/** A collection gets policies: its records are read for them, and readers see by the former policies meanwhile. */
async function turnOn(app: App, { information }: Arm): Promise<void> {
  const token = 'bench';
  const url = '/collections/c';
  const json = { ...JSON.parse(await send(app, { url, token })), policy_info_location: information };
  const start = performance.now();
  let isDone = false;
  let longest = 0;
  const readers = (async () => {
    while (!isDone) {
      const asked = performance.now();
      await send(app, { url: '/c/records/p/?size=50', token: 'READ_CURATED' });
      longest = Math.max(longest, performance.now() - asked);
      await setTimeout(10);
    }
  })();
  const used = await processorMilliseconds(async () => {
    await send(app, { method: 'PUT', url, token, json });
    isDone = true;
    await readers;
  });
  const took = performance.now() - start;
  console.log(
    `\npolicies for ${RECORDS} records: ${(took / 1000).toFixed(1)} s, ${(used / 1000).toFixed(1)} s of the processor; the longest read beside it ${longest.toFixed(0)} ms`,
  );
}

/** Reads of hidden and of missing records by turns. The statistic is that of Welch: noise stays between -3 and 3. */
async function refused(app: App): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < READS; n++) {
    const number = (n * 7919) % RECORDS;
    if (GRANTED.includes(policyOf(number))) continue;
    const { pid } = recordOf(number).record;
    // Of the same length, and among the others in the order.
    const missing = pid.replace(/\d$/, 'x');
    for (const arm of n % 2 ? [0, 1] : [1, 0]) {
      const url = `/c/record?pid=${encodeURIComponent(arm === 0 ? pid : missing)}`;
      const start = process.hrtime.bigint();
      if ((await send(app, { url, token: 'READ_CURATED' })) !== 'null') throw new Error(url);
      times[arm]!.push(Number(process.hrtime.bigint() - start) / 1000);
    }
  }
  const [hidden, missing] = times.map(summary) as [Summary, Summary];
  const welch = (hidden.mean - missing.mean) / Math.hypot(hidden.error, missing.error);
  console.log(
    `\n${times[0].length} reads each, microseconds\n\n| | 10 % | median | 90 % | mean without the slowest 5 % |`,
  );
  console.log('|---|---|---|---|---|');
  for (const [name, { quantiles, mean, error }] of [
    ['hidden', hidden],
    ['missing', missing],
  ] as const)
    console.log(`| ${name} | ${quantiles.join(' | ')} | ${mean.toFixed(2)} ± ${error.toFixed(2)} |`);
  console.log(`\ndifference of the means in standard errors: ${welch.toFixed(2)}`);
}

type Summary = ReturnType<typeof summary>;

function summary(values: number[]) {
  const sorted = values.sort((a, b) => a - b);
  const quantiles = [0.1, 0.5, 0.9].map((at) => sorted[Math.floor(at * sorted.length)]!.toFixed(1));
  const kept = sorted.slice(0, Math.floor(0.95 * sorted.length));
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (kept.length - 1);
  return { quantiles, mean, error: Math.sqrt(variance / kept.length) };
}

const parent = mkdtempSync(join(tmpdir(), 'accession-bench-policies-'));
try {
  const arms = [
    await makeStore(parent, 'plain', false),
    await makeStore(parent, 'restricted', true),
  ] as const;
  const plain = await open(arms[0].root);
  const restricted = await open(arms[1].root);
  await idle();
  if (RUNS > 0) await compare(restricted, plain);
  await refused(restricted);
  await reload(restricted, arms[1]);
  await turnOn(plain, arms[0]);
  await plain.close();
  await restricted.close();
} finally {
  rmSync(parent, { recursive: true });
}
