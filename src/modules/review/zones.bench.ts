/**
 * What zones cost: the start and the queue of a collection with the same submissions in 10 zones and in 10,000, and the
 * pages, searches and queue of a small zone beside few and beside many curated records.
 *
 *     npm run bench:zones -- [--zones 10,10000] [--submissions 10000] [--curated 100,1000000]
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { recordOf } from '../../../bench/service/data.ts';
import { type App, openApp } from '../../app.ts';
import { recordText } from '../../core/records/record.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { openSqliteDatabase } from '../../core/storage/sqlite/sqlite.ts';
import { reviewCompanions } from './companions.ts';
import { tables } from './tables.ts';
import { recordWork } from './thread-work.ts';

const { values: flags } = parseArgs({
  options: {
    zones: { type: 'string', default: '10,10000' },
    submissions: { type: 'string', default: '10000' },
    curated: { type: 'string', default: '100,1000000' },
  },
});
const SCHEMA = join(import.meta.dirname, '../../../examples/laboratory/schema.yaml');
const schema = await openSchema(SCHEMA);
const TAGS = { submitterId: 'obo:NCIT_C54269', submissionTime: 'obo:NCIT_C25164' };
/** Records in the zone beside curated ones. */
const SMALL = 100;
const BATCH = 2000;
const RUNS = 30;
const STARTS = 3;

const labelOf = (zone: number) => `zone-${String(zone).padStart(5, '0')}`;

/** Makes a store with numbered records: the curated ones first, then submissions in zones. */
async function makeStore(
  root: string,
  zones: number,
  submissions: number,
  curatedRecords: number,
): Promise<void> {
  const token = (mode: string, label: string) => ({
    user_id: label,
    representation: mode,
    collections: { c: { mode, incoming_label: label } },
  });
  const configuration = {
    ...{ type: 'collections', version: 2 },
    collections: {
      c: {
        ...{ schema: SCHEMA, default_token: 'none' },
        curated: 'c/curated',
        incoming: 'c/incoming',
        backend: { type: 'sqlite' },
      },
    },
    tokens: { curator: token('CURATOR', 'curator'), submitter: token('WRITE_COLLECTION', labelOf(0)) },
  };
  writeFileSync(join(root, 'config.yaml'), JSON.stringify(configuration));
  const database = await openSqliteDatabase(join(root, 'accession.db'), { tables: { review: tables } });
  const curated = await database.area('c/curated');
  const labels = Array.from({ length: zones }, (_, at) => labelOf(at));
  const companions = reviewCompanions({
    ...{ collection: 'c', schema, tags: TAGS, database, transact: database.transact, curated },
    incoming: 'c/incoming',
    zones: {
      labels: async () => labels,
      written: async () => [],
      has: () => true,
      first: (label) => label,
      async existing(label) {
        const store = await database.existingArea(`c/incoming/${label}`);
        return store && { store, isCurated: false };
      },
    },
    ...{ curatedScope: '', etagOf: () => '', matching: true, showReviewer: false, log: { warn: () => {} } },
    work: recordWork({ schema, tags: TAGS }),
  });
  database.use({
    companions: (path) => [
      path === 'c/curated' ? companions.curated : companions.zone(path.slice('c/incoming/'.length)),
    ],
    mirror: () => undefined,
  });
  const put = (number: number) => ({ put: recordText(schema, recordOf(number)) });
  for (let at = 0; at < curatedRecords; at += BATCH)
    await curated.write(
      Array.from({ length: Math.min(BATCH, curatedRecords - at) }, (_, one) => put(at + one)),
      { committer: 'curator', author: 'curator', role: 'curator' },
    );
  for (const [at, label] of labels.entries()) {
    const own = Array.from({ length: Math.ceil((submissions - at) / zones) }, (_, one) =>
      put(at + one * zones + curatedRecords),
    );
    const zone = await database.area(`c/incoming/${label}`);
    for (let first = 0; first < own.length; first += BATCH)
      await zone.write(own.slice(first, first + BATCH), {
        committer: label,
        author: label,
        role: 'submitter',
      });
  }
  await database.close();
}

const open = (root: string) =>
  openApp({
    ...{ store: root, configFile: join(root, 'config.yaml'), version: '0.0.0-bench' },
    bootstrap: createHash('sha256').update('bench').digest('hex'),
    logger: pino({ level: 'silent' }),
  });

/** Processor time of the thread that serves: a busy machine changes it less than the time that passes. */
async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Waits for what the service does in the background after a start. */
async function idle(): Promise<void> {
  for (let quiet = 0; quiet < 3; ) quiet = (await milliseconds(() => delay(1000))) < 50 ? quiet + 1 : 0;
}

async function get(app: App, url: string, token: string): Promise<void> {
  const answer = await app.server.inject({ url, headers: { 'x-service-token': token } });
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`);
}

/** What is measured, by name: the request, or the start if there is none. */
const QUEUE: Record<string, readonly [url: string, token: string]> = {
  'first page of the queue': ['/-/c/review/?size=50', 'CURATOR'],
  'the queue of one zone': [`/-/c/review/?label=${labelOf(3)}&size=50`, 'CURATOR'],
  'summary of the queue': ['/-/c/review/summary', 'CURATOR'],
};
const SMALL_ZONE: Record<string, readonly [url: string, token: string]> = {
  'first page of the zone': [`/c/incoming/${labelOf(0)}/records/p/?size=50`, 'CURATOR'],
  'search in the zone': [`/c/incoming/${labelOf(0)}/records/p/?size=50&matching=Family%25`, 'CURATOR'],
  'own submissions': ['/-/c/submissions/?size=50', 'WRITE_COLLECTION'],
  'first page of the queue': ['/-/c/review/?size=50', 'CURATOR'],
  'summary of the queue': ['/-/c/review/summary', 'CURATOR'],
  'first page over curated': ['/c/records/p/?size=50', 'WRITE_COLLECTION'],
};

/** Medians of processor time, in milliseconds; the start is the best of some. */
async function measure(root: string, requests: typeof QUEUE): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const starts: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    let app: App | undefined;
    starts.push(
      await milliseconds(async () => {
        app = await open(root);
        await get(app, '/-/c/review/?size=50', 'CURATOR');
      }),
    );
    await app!.close();
  }
  times.set('start to the first page of the queue', Math.min(...starts));
  const app = await open(root);
  await idle();
  for (const [name, [url, token]] of Object.entries(requests)) {
    const runs: number[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await milliseconds(() => get(app, url, token)));
    times.set(name, runs.sort((a, b) => a - b)[RUNS / 2]!);
  }
  await app.close();
  return times;
}

async function report(
  title: string,
  columns: readonly (readonly [name: string, zones: number, submissions: number, curated: number])[],
  requests: typeof QUEUE,
) {
  const measured: Map<string, number>[] = [];
  for (const [, zones, submissions, curated] of columns) {
    const root = mkdtempSync(join(tmpdir(), 'accession-bench-zones-'));
    try {
      await makeStore(root, zones, submissions, curated);
      measured.push(await measure(root, requests));
    } finally {
      rmSync(root, { recursive: true });
    }
  }
  console.log(
    `\n${title}\n\n| processor ms | ${columns.map(([name]) => name).join(' | ')} |\n|---|${columns.map(() => '---').join('|')}|`,
  );
  for (const name of measured[0]!.keys())
    console.log(`| ${name} | ${measured.map((column) => column.get(name)!.toFixed(1)).join(' | ')} |`);
}

const submissions = Number(flags.submissions);
const numbers = (text: string) => text.split(',').filter(Boolean).map(Number);
await report(
  `${submissions} submissions in zones`,
  numbers(flags.zones).map((zones) => [`${zones} zones`, zones, submissions, 0]),
  QUEUE,
);
await report(
  `A zone of ${SMALL} records beside curated ones`,
  numbers(flags.curated).map((curated) => [`${curated} curated`, 1, SMALL, curated]),
  SMALL_ZONE,
);
