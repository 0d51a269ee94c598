/**
 * What publishing a large collection costs: the public pages of records beside the bare floor's read of the same records, pages of
 * OAI-PMH, and a release that is made while the service answers, killed in the middle and made again.
 *
 *     npm run bench:publish -- [--records 1000000]
 *
 * Processor time is counted, so a busy machine changes the figures little.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type RecordText, recordText } from '../src/core/records/record.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { type Service, startAccession } from '../test/parity/services.ts';
import { curate, SCHEMA, writeCuratedConfig } from './service/curated.ts';
import { recordOf, secretOf } from './service/data.ts';
import { makeFloor } from './service/floor.ts';
import { memoryOf, processorTimeOf, settle, startFloor } from './service/targets.ts';

const { values: flags } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
const RECORDS = Number(flags.records);
const PAGES = 200;
/** Records whose pages are read, after as many others. */
const READS = 1500;
const CURATOR = { 'x-service-token': secretOf('curator'), 'content-type': 'application/json' };

async function makeStore(root: string): Promise<string> {
  const schema = await openSchema(SCHEMA);
  await curate(root, records(schema));
  return writeCuratedConfig(root, { curator: 'CURATOR', reader: 'READ_CURATED' });
}

function* records(schema: Schema): Generator<RecordText> {
  for (let number = 0; number < RECORDS; number++) yield recordText(schema, recordOf(number));
}

async function ask(service: Service, path: string, json?: object, method = 'POST'): Promise<string> {
  const response = await fetch(`${service.address}${path}`, {
    method: json ? method : 'GET',
    headers: CURATOR,
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** The processor time of requests that no answer is remembered for, in ms each. */
async function costOf(service: Service, path: string): Promise<number> {
  const read = async (number: number) => {
    const url = `${service.address}${path}${encodeURIComponent(String(recordOf(number).record.pid))}`;
    const response = await fetch(url, {
      // The floor does not compress.
      headers: {
        'x-service-token': secretOf('reader'),
        accept: 'text/html, */*;q=0.5',
        'accept-encoding': 'identity',
      },
    });
    if ((await response.text()).length === 0 || !response.ok) throw new Error(`${url}: ${response.status}`);
  };
  for (let number = 0; number < READS; number++) await read(number);
  const before = await processorTimeOf(service);
  for (let number = READS; number < 2 * READS; number++) await read(number);
  return (((await processorTimeOf(service)) - before) * 10) / READS;
}

/** The public page of a record beside the floor's read of the same record. */
async function landing(service: Service, root: string): Promise<void> {
  const database = join(root, 'floor.db');
  await makeFloor(database, 2 * READS);
  const floor = await startFloor(database);
  try {
    const [own, bare] = [await costOf(service, '/-/c/resource/'), await costOf(floor, '/read?pid=')];
    console.log(
      `the page of a record, the first time: ${own.toFixed(2)} ms of processor time; the floor's read of it: ` +
        `${bare.toFixed(2)} ms; ${Math.round((bare / own) * 100)} % of the floor`,
    );
  } finally {
    await floor.stop();
  }
}

/** Walks some pages of a list. */
async function harvest(service: Service, name: string, query: string): Promise<void> {
  const before = await processorTimeOf(service);
  let pages = 0;
  let records = 0;
  let next: string | undefined = `metadataPrefix=oai_dc${query}`;
  while (next !== undefined && pages < PAGES) {
    const text = await ask(service, `/-/c/oai?verb=ListRecords&${next}`);
    pages += 1;
    records += text.split('<record>').length - 1;
    const token: string | undefined = /<resumptionToken[^>]*>([^<]+)</.exec(text)?.[1];
    next = token && `resumptionToken=${encodeURIComponent(token)}`;
  }
  const used = ((await processorTimeOf(service)) - before) * 10;
  console.log(
    `OAI-PMH, ${name}: ${(used / pages).toFixed(1)} ms of processor time a page (${pages} pages, ${records} records)`,
  );
}

type Release = {
  readonly state: string;
  readonly progress: { readonly done: number; readonly total: number } | null;
};

const release = async (service: Service, name: string): Promise<Release> =>
  JSON.parse(await ask(service, `/-/c/releases/${name}`));

/** Waits until a release is made, or until some of it is. @returns the most memory in MB in each fifth of the work */
async function waitFor(service: Service, name: string, share = 1): Promise<readonly number[]> {
  const most = [0, 0, 0, 0, 0];
  for (let fifth = 0; ; await delay(500)) {
    const { state, progress } = await release(service, name);
    const { done, total } = progress ?? { done: 0, total: 0 };
    if (total > 0) fifth = Math.min(4, Math.floor((5 * done) / total));
    most[fifth] = Math.max(most[fifth]!, await memoryOf(service));
    if (state === 'failed') throw new Error(`The release ${name} has failed.`);
    if (state === 'done' || (share < 1 && total > 0 && done / total >= share)) return most;
  }
}

/** Of its records. */
async function digest(service: Service, name: string): Promise<string> {
  const response = await fetch(`${service.address}/-/c/releases/${name}/records.jsonl`, { headers: CURATOR });
  const hash = createHash('sha256');
  for await (const part of response.body!) hash.update(part);
  return `${response.status} ${hash.digest('hex')}`;
}

const root = mkdtempSync(join(tmpdir(), 'accession-bench-publish-'));
try {
  const config = await makeStore(root);
  let service = await startAccession(root, { config });
  try {
    await settle(service);
    await landing(service, root);
    await harvest(service, 'all records', '');
    await harvest(service, 'one set', '&set=Publication');
    const publish = { license: 'https://creativecommons.org/publicdomain/zero/1.0/' };
    await ask(service, '/-/c/settings', { publish }, 'PUT');
    const memory = await memoryOf(service);
    const before = await processorTimeOf(service);
    const began = performance.now();
    await ask(service, '/-/c/releases', { name: 'whole', notes: 'All of it.' });
    const most = await waitFor(service, 'whole');
    const seconds = (performance.now() - began) / 1000;
    const used = ((await processorTimeOf(service)) - before) / 100;
    console.log(
      `release of ${RECORDS} records: ${seconds.toFixed(0)} s, ${used.toFixed(0)} s of processor time; memory ${memory} MB before, at most ${most.join(', ')} MB in the fifths of it`,
    );
    await ask(service, '/-/c/releases', { name: 'killed', notes: 'Ended in the middle.' });
    await waitFor(service, 'killed', 0.4);
    process.kill(service.pid, 'SIGKILL');
    await service.stop();
    service = await startAccession(root, { config });
    const { state } = await release(service, 'killed');
    await waitFor(service, 'killed');
    const [whole, killed] = [await digest(service, 'whole'), await digest(service, 'killed')];
    console.log(
      `killed at 40 %: ${state} after the next start, then done; its records are ${whole === killed ? 'the same' : 'NOT the same'}`,
    );
  } finally {
    await service.stop();
  }
} finally {
  rmSync(root, { recursive: true });
}
