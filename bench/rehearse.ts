/**
 * Tries a real schema change on real records: how long its rehearsal takes, and how long other requests wait meanwhile.
 *
 *     node bench/rehearse.ts --from OLD.yaml --to NEW.yaml --examples DIR [--records 5000]
 *       [--from-map URL=DIR] [--to-map URL=DIR] [--switch]
 *
 * The examples are files `<Class>-….json` (or `.yaml`), each one record. Those that the old schema accepts are stored, as
 * often as it takes, under pids of their own. Both schemas are merged into one file before. Then the service, in a process
 * of its own, rehearses the change, while another process reads a record 20 times a second. With `--switch`, the change
 * is carried out, and undone.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { openSchema, parseSchemaMap } from '../src/core/schema/schema.ts';
import { dumpYaml } from '../src/core/yaml/dump.ts';
import { startService } from '../test/support/real-service.ts';

const { values: flags } = parseArgs({
  options: {
    from: { type: 'string', default: '' },
    to: { type: 'string', default: '' },
    examples: { type: 'string', default: '' },
    records: { type: 'string', default: '5000' },
    'from-map': { type: 'string', multiple: true, default: [] },
    'to-map': { type: 'string', multiple: true, default: [] },
    switch: { type: 'boolean', default: false },
  },
});
const ADMIN = 'admin';
const CURATOR = 'curator';
const PAUSE_MS = 50;
const PINGER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const waits = [];
  let ended = false;
  parentPort.on('message', () => { ended = true; });
  (async () => {
    await (await fetch(workerData.url)).text();
    parentPort.postMessage('ready');
    while (!ended) {
      const began = performance.now();
      const response = await fetch(workerData.url);
      await response.text();
      if (response.status !== 200) throw new Error(String(response.status));
      waits.push(performance.now() - began);
      await new Promise((done) => setTimeout(done, Math.max(0, ${PAUSE_MS} - (performance.now() - began))));
    }
    parentPort.postMessage({ waits });
    parentPort.close();
  })();
`;

const folder = await mkdtemp(join(tmpdir(), 'accession-rehearse-'));

async function merged(address: string, name: string, map: string[]): Promise<string> {
  const schema = await openSchema(address, { map: parseSchemaMap(map) });
  await writeFile(join(folder, name), dumpYaml(schema.merged()));
  return join(folder, name);
}

const from = await merged(flags.from, 'from.yaml', flags['from-map']);
const to = await merged(flags.to, 'to.yaml', flags['to-map']);

/** The examples that the merged old schema accepts, by class. */
async function examples(): Promise<[className: string, record: JsonObject][]> {
  const schema = await openSchema(from);
  const names = (await readdir(flags.examples)).filter((name) => name.endsWith('.json')).sort();
  const files = names.length > 0 ? names : (await readdir(flags.examples)).filter((n) => n.endsWith('.yaml'));
  const valid = files.flatMap((name): [string, JsonObject][] => {
    const text = readFileSync(join(flags.examples, name), 'utf8');
    const { '@type': _, ...record } = (
      name.endsWith('.json') ? parseJson(text) : readYaml(text)
    ) as JsonObject;
    const className = name.split('-')[0]!;
    const checked = schema.check(className, record);
    if (checked.valid) return [[className, record]];
    console.log(`left out: ${name}: ${checked.problems[0]?.msg}`);
    return [];
  });
  console.log(`${valid.length} of ${files.length} examples are valid under the merged old schema`);
  return valid;
}

const known = await examples();
const config = {
  ...{ type: 'collections', version: 2 },
  collections: {
    c: {
      ...{ schema: from, default_token: 'nobody', curated: 'c/curated', incoming: 'c/incoming' },
      backend: { type: 'sqlite' },
    },
  },
  tokens: {
    nobody: { user_id: 'nobody', representation: 'nobody', collections: { c: { mode: 'READ_CURATED' } } },
    [CURATOR]: {
      user_id: 'curator',
      representation: CURATOR,
      collections: { c: { mode: 'CURATOR', incoming_label: 'curator' } },
    },
  },
};
await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
await mkdir(join(folder, 'store'));
const service = await startService([join(folder, 'store'), '--config', join(folder, 'config.yaml')], {
  environment: { ACCESSION_ADMIN_TOKEN: ADMIN },
});

async function ask<T>(method: string, path: string, body?: unknown, token = ADMIN): Promise<T> {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'x-dumpthings-token': token, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Milliseconds of processor time that the service has used. */
function used(): number {
  const fields = readFileSync(`/proc/${service.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Waits of a thread that reads a record 20 times a second, while some work goes on. */
async function measured<T>(name: string, work: () => Promise<T>): Promise<T> {
  const pinger = new Worker(PINGER, {
    eval: true,
    workerData: { url: `${service.url}/c/record?pid=${first}` },
  });
  await once(pinger, 'message');
  await delay(20 * PAUSE_MS);
  const [before, began] = [used(), performance.now()];
  const result = await work().catch(async (error: unknown) => {
    await pinger.terminate();
    throw error;
  });
  const time = performance.now() - began;
  const after = used();
  pinger.postMessage('end');
  const [{ waits }] = (await once(pinger, 'message')) as [{ waits: number[] }];
  console.log(
    `${name}: ${(time / 1000).toFixed(2)} s, ${((after - before) / 1000).toFixed(2)} s of processor time; ` +
      `${waits.length} reads meanwhile, the longest ${Math.max(...waits).toFixed(0)} ms, ` +
      `the median ${waits.sort((a, b) => a - b)[waits.length >> 1]!.toFixed(1)} ms`,
  );
  return result;
}

type Rehearsal = {
  readonly id: string;
  readonly state: string;
  readonly changes: readonly { readonly message: string }[];
  readonly summary: { readonly total: number; readonly by_outcome: object };
};

async function rehearsed(): Promise<Rehearsal> {
  let report = await ask<Rehearsal>('POST', '/-/c/rehearse', { address: to });
  while (report.state === 'running') {
    await delay(PAUSE_MS);
    report = await ask<Rehearsal>('GET', `/-/c/rehearsals/${report.id}`);
  }
  return report;
}

const first = encodeURIComponent(`${known[0]![1].pid}-0-0`);
try {
  const wanted = Number(flags.records);
  const copies = Array.from({ length: Math.ceil(wanted / known.length) }, (_, at) => at);
  let stored = 0;
  for (const [number, [className, record]] of known.entries()) {
    const records = copies.map((at) => ({ ...record, pid: `${record.pid}-${number}-${at}` }));
    for (let at = 0; at < records.length; at += 200) {
      const some = records.slice(at, at + 200);
      const path = `/-/c/curated/records/${className}`;
      const results = await ask<{ status: number }[]>('POST', path, some, CURATOR);
      stored += results.filter(({ status }) => status === 200).length;
    }
  }
  console.log(`${stored} of ${copies.length * known.length} copies are stored`);
  for (const round of ['first', 'second', 'third']) {
    const { changes, summary } = await measured(`${round} rehearsal`, rehearsed);
    console.log(`  ${changes.length} differences of the schemas; ${JSON.stringify(summary)}`.slice(0, 300));
  }
  if (flags.switch) {
    const { id } = await rehearsed();
    const path = `/-/c/rehearsals/${id}/switch`;
    const { id: plan } = await measured('switch', () => ask<{ id: string }>('POST', path, { patches: true }));
    const faults = await ask<{ total: number; pending: number }>('GET', '/-/c/faults', undefined, CURATOR);
    console.log(`  faults: ${faults.total}, not checked yet: ${faults.pending}`);
    await measured('undo', () => ask('POST', `/-/c/switches/${plan}/undo`, {}));
  }
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}
