/**
 * What the read side costs: clients that wait for changes (memory, and how long after a commit they know it), records with
 * what they refer to beside the bare floor's pages, and the closure of a project.
 *
 *     npm run bench:read-side -- [--listeners 5000] [--links 20] [--closure 2000]
 *
 * Processor time is counted, so a busy machine changes the shares little.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { recordText } from '../src/core/records/record.ts';
import { openSchema } from '../src/core/schema/schema.ts';
import { type Service, startAccession } from '../test/parity/services.ts';
import { curate, SCHEMA, writeCuratedConfig } from './service/curated.ts';
import { type BenchRecord, recordOf, secretOf } from './service/data.ts';
import { makeFloor } from './service/floor.ts';
import { memoryOf, processorTimeOf, settle, startFloor } from './service/targets.ts';

const { values: flags } = parseArgs({
  options: {
    listeners: { type: 'string', default: '5000' },
    links: { type: 'string', default: '20' },
    closure: { type: 'string', default: '2000' },
  },
});
const [LISTENERS, LINKS, CLOSURE] = [flags.listeners, flags.links, flags.closure].map(Number) as [
  number,
  number,
  number,
];
const PERSONS = 5000;
const PUBLICATIONS = 1000;
const PAGE = 50;
const SIZES = 20;
const BYTES_OF_RECORD = 300;
/** Connected at once: more of one client are refused while they are read. */
const CONNECTED = 10;
const HEADERS = { 'x-service-token': secretOf('reader') };
/** Sockets of one loopback address are few enough for its ports. */
const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const pidOf = (kind: string, number: number) => `labid:${kind}-${String(number).padStart(6, '0')}`;

/** Persons, publications of many of them, and a project with parts of parts. */
function* records(): Generator<BenchRecord> {
  for (let at = 0; at < PERSONS; at++) {
    const { className, record } = recordOf(3 * at);
    yield { className, record: { ...record, pid: pidOf('author', at) } };
  }
  for (let at = 0; at < PUBLICATIONS; at++) {
    const { className, record } = recordOf(3 * at + 1);
    const authors = Array.from({ length: LINKS }, (_, link) =>
      pidOf('author', (at * 7919 + link * 104_729) % PERSONS),
    );
    yield { className, record: { ...record, about: [], authors, pid: pidOf('publication', at) } };
  }
  for (let at = 0; at < CLOSURE; at++) {
    const record = { pid: pidOf('organization', at), name: `Organization ${at}` };
    const above = { ...record, part_of: pidOf('organization', (at - 1) >> 2) };
    yield { className: 'Organization', record: at === 0 ? record : above };
  }
}

async function makeStore(root: string): Promise<string> {
  const schema = await openSchema(SCHEMA);
  await curate(
    root,
    [...records()].map((record) => recordText(schema, record)),
  );
  return writeCuratedConfig(root, { reader: 'READ_CURATED', curator: 'CURATOR' });
}

/** @returns the text of a response with status 200; a busy service is asked again */
async function get(service: Service, path: string): Promise<string> {
  const request = http.get(`${service.address}${path}`, { agent, headers: HEADERS });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  if (response.statusCode === 200) return text;
  if (response.statusCode !== 503) throw new Error(`${path}: ${response.statusCode} ${text.slice(0, 200)}`);
  await delay(1000 * Number(response.headers['retry-after'] ?? 1));
  return get(service, path);
}

async function store(service: Service, number: number): Promise<void> {
  const body = JSON.stringify({ ...recordOf(3 * number).record, pid: pidOf('author', number) });
  const response = await fetch(`${service.address}/c/curated/record/Person`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-service-token': secretOf('curator') },
  });
  if (response.status !== 200) throw new Error(await response.text());
}

async function listeners(service: Service): Promise<void> {
  await get(service, '/-/c/changes?since=now');
  const before = await memoryOf(service);
  const path = '/-/c/changes?since=now&wait=60';
  const connected = performance.now();
  const waiting: Promise<number>[] = [];
  for (let at = 0; at < LISTENERS; at++) {
    waiting.push(get(service, path).then(() => performance.now()));
    if (at % CONNECTED === 0) await delay(20);
  }
  await settle(service);
  const memory = (await memoryOf(service)) - before;
  const ticks = await processorTimeOf(service);
  const start = performance.now();
  await store(service, PERSONS);
  const stored = performance.now();
  const times = (await Promise.all(waiting)).map((time) => time - start).sort((a, b) => a - b);
  const processor = ((await processorTimeOf(service)) - ticks) * 10;
  console.log(
    `${LISTENERS} clients wait: ${memory} MB more (connected after ${((start - connected) / 1000).toFixed(1)} s)`,
  );
  const at = (share: number) =>
    Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))]!);
  console.log(
    `one change: stored after ${Math.round(stored - start)} ms; known to the first after ${at(0)} ms, ` +
      `to half after ${at(0.5)} ms, to all after ${at(1)} ms; ${processor} ms of processor time`,
  );
}

/** The processor time of one request, in ms, and the bytes of its response. */
async function cost(service: Service, paths: readonly string[]): Promise<{ time: number; bytes: number }> {
  let bytes = 0;
  const before = await processorTimeOf(service);
  for (const path of paths) bytes += Buffer.byteLength(await get(service, path));
  const time = (await processorTimeOf(service)) - before;
  return { time: (time * 10) / paths.length, bytes: Math.round(bytes / paths.length) };
}

/** Each page is another one, so that none is remembered. */
async function expansion(service: Service, floor: Service): Promise<void> {
  const sizes = Array.from({ length: SIZES }, (_, at) => PAGE - SIZES / 2 + at);
  const paths = sizes.flatMap((size) =>
    Array.from(
      { length: Math.floor(PUBLICATIONS / size) },
      (_, at) => `/c/records/p/Publication?size=${size}&page=${at + 1}&expand=authors`,
    ),
  );
  const half = paths.length / 2;
  await cost(
    service,
    paths.filter((_, at) => at % 2 === 0),
  );
  const expanded = await cost(
    service,
    paths.filter((_, at) => at % 2 === 1),
  );
  const size = Math.round(expanded.bytes / BYTES_OF_RECORD);
  const pages = Array.from(
    { length: half },
    (_, at) => `/page?from=labid:publication-000${String(at).padStart(4, '0')}&size=${size}`,
  );
  await cost(floor, pages);
  const bare = await cost(floor, pages);
  const per = ({ time, bytes }: { time: number; bytes: number }) => (time / bytes) * 1_000_000;
  console.log(
    `${PAGE} records with ${LINKS} links each: ${expanded.time.toFixed(2)} ms, ${expanded.bytes} bytes; ` +
      `a page of the floor: ${bare.time.toFixed(2)} ms, ${bare.bytes} bytes; ` +
      `${Math.round((per(bare) / per(expanded)) * 100)} % of the floor in bytes`,
  );
}

async function closure(service: Service): Promise<void> {
  const path = `/c/record?pid=${pidOf('organization', 0)}&expand=${encodeURIComponent('^part_of(Organization)+')}`;
  const { time, bytes } = await cost(
    service,
    Array.from({ length: 10 }, () => path),
  );
  console.log(`closure of ${CLOSURE} records: ${time.toFixed(0)} ms of processor time, ${bytes} bytes`);
}

const root = mkdtempSync(join(tmpdir(), 'accession-read-side-'));
try {
  const config = await makeStore(root);
  const database = join(root, 'floor.db');
  await makeFloor(database, 30_000);
  const service = await startAccession(root, { config });
  const floor = await startFloor(database);
  try {
    await settle(service);
    await expansion(service, floor);
    await closure(service);
    await listeners(service);
  } finally {
    await floor.stop();
    await service.stop();
  }
} finally {
  agent.destroy();
  rmSync(root, { recursive: true, force: true });
}
