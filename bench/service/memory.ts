/**
 * `npm run bench:memory`: the resident memory of a service in MB when it is idle, after what needs much of it, for stores of 1,000,
 * 100,000 and 1,000,000 records. What a step leaves behind is the difference from the row above it.
 *
 *     npm run bench:memory -- 1000 100000
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../test/parity/services.ts';
import { copyOf, recordOf, secretOf, storeOf, writeConfig } from './data.ts';
import { memoryOf, settle, startService } from './targets.ts';

const SIZES = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 100_000, 1_000_000];
/** Files of records beside the rows, which are imported, too. */
const MOST_FILES = 20_000;
const PAGES = 400;
/** The most rows of a table. */
const ROWS = 5_000;
/** How often a release is asked for, in milliseconds. */
const POLL = 200;
/** How long a service does nothing before it is measured, in milliseconds: threads end after 5 seconds, and V8 returns their memory later. */
const IDLE = 15_000;
/** How long it rests: V8 collects all if it has collected nothing for 100 seconds, and returns the space for new objects. */
const REST = 180_000;

const headers = { 'X-Service-Token': secretOf('curator'), 'Content-Type': 'application/json' };

type Step = readonly [name: string, act: (service: Service, records: number) => Promise<void>];

const STEPS: readonly Step[] = [
  ['restarted', async () => {}],
  [`${PAGES} pages and searches`, readPages],
  ['a table of 5,000 rows', storeTable],
  ['the same again', storeTable],
  ['an export', (service) => ask(service, '/-/records/export')],
  ['the same again', (service) => ask(service, '/-/records/export')],
  ['a release', (service) => release(service, 'first')],
  ['the same again', (service) => release(service, 'second')],
];

console.log(`| records | state | idle MB |\n| --- | --- | --- |`);
for (const records of SIZES) await measureStore(records);

async function measureStore(records: number): Promise<void> {
  const store = await storeOf({ records, files: Math.min(records, MOST_FILES) });
  const config = await writeConfig(`${store}.config.yaml`);
  const copy = await copyOf(store, 'memory');
  const start = async () => (await startService('accession', copy, config))!;
  let service = await start();
  const rest = async () => {
    await sleep(REST);
    await report(records, 'three minutes later', service);
  };
  try {
    await report(records, 'imported', service);
    await rest();
    // Without a license, nothing is released.
    const publish = { license: 'https://creativecommons.org/publicdomain/zero/1.0/' };
    await ask(service, '/-/records/settings', { method: 'PUT', body: JSON.stringify({ publish }) });
    await service.stop();
    service = await start();
    for (const [name, act] of STEPS) {
      await act(service, records);
      await report(records, name, service);
    }
    await rest();
  } finally {
    await service.stop();
  }
}

async function report(records: number, state: string, service: Service): Promise<void> {
  await settle(service);
  await sleep(IDLE);
  console.log(`| ${records} | ${state} | ${await memoryOf(service)} |`);
}

async function readPages(service: Service, records: number): Promise<void> {
  for (let n = 0; n < PAGES; n++) {
    const page = 1 + Math.floor((n * records) / 100 / PAGES);
    await ask(service, `/records/records/p/?size=100&page=${page}`);
    const { email } = recordOf(3 * Math.floor((n * records) / PAGES / 3)).record;
    await ask(service, `/records/records/p/?size=10&matching=%25${encodeURIComponent(String(email))}%25`);
  }
}

/** Stores a table as most people have them: all rows known, a value of each changed. */
async function storeTable(service: Service): Promise<void> {
  const time = Date.now();
  const lines = Array.from({ length: ROWS }, (_, n) => `labid:table-${n},Name ${n} at ${time},Family,Given`);
  const body = `pid,name,family_name,given_name\n${lines.join('\n')}\n`;
  await ask(service, '/-/records/curated/table/Person', { body, type: 'text/csv' });
}

async function release(service: Service, name: string): Promise<void> {
  await ask(service, '/-/records/releases', { body: JSON.stringify({ name }) });
  for (;;) {
    const state = await fetch(`${service.address}/-/records/releases/${name}`, { headers });
    const { state: now } = (await state.json()) as { state: string };
    if (now === 'failed') throw new Error(`The release ${name} has failed.`);
    if (now === 'done') return;
    await sleep(POLL);
  }
}

/** Sends a request, and reads the response as it arrives. */
async function ask(
  { address }: Service,
  path: string,
  {
    body,
    method = body === undefined ? 'GET' : 'POST',
    type = 'application/json',
  }: { readonly body?: string; readonly method?: string; readonly type?: string } = {},
): Promise<void> {
  const response = await fetch(`${address}${path}`, {
    ...(body !== undefined && { body }),
    method,
    headers: { ...headers, 'Content-Type': type },
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  for await (const _ of response.body ?? []);
}
