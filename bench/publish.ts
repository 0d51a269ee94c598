/**
 * What harvests and releases of a large collection cost: pages of OAI-PMH, and a release that is made while the service answers,
 * killed in the middle and made again.
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
import { type RecordText, recordText } from '../src/records/record.ts';
import { openSchema, type Schema } from '../src/schema/schema.ts';
import { type Service, startAccession } from '../test/parity/services.ts';
import { curate, SCHEMA, writeCuratedConfig } from './service/curated.ts';
import { recordOf, secretOf } from './service/data.ts';
import { memoryOf, processorTimeOf, settle } from './service/targets.ts';

const { values: flags } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
const RECORDS = Number(flags.records);
const PAGES = 200;
const CURATOR = { 'x-service-token': secretOf('curator'), 'content-type': 'application/json' };

async function makeStore(root: string): Promise<string> {
  const schema = await openSchema(SCHEMA);
  await curate(root, records(schema));
  return writeCuratedConfig(root, { curator: 'CURATOR' });
}

function* records(schema: Schema): Generator<RecordText> {
  for (let number = 0; number < RECORDS; number++) yield recordText(schema, recordOf(number));
}

async function ask(service: Service, path: string, json?: object, method = 'POST'): Promise<string> {
  const response = await fetch(`${service.address}${path}`, {
    ...{ method: json ? method : 'GET', headers: CURATOR },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
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

/** Waits until a release is made, or until some of it is. */
async function waitFor(service: Service, name: string, share = 1): Promise<number> {
  let most = 0;
  for (;;) {
    most = Math.max(most, await memoryOf(service));
    const { state, progress } = await release(service, name);
    const { done, total } = progress ?? { done: 0, total: 0 };
    if (state === 'failed') throw new Error(`The release ${name} has failed.`);
    if (state === 'done' || (share < 1 && total > 0 && done / total >= share)) return most;
    await delay(500);
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
      `release of ${RECORDS} records: ${seconds.toFixed(0)} s, ${used.toFixed(0)} s of processor time; memory ${memory} MB before, at most ${most} MB`,
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
