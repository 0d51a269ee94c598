/**
 * What a second process brings that only reads the store: `npm run bench:follower`. The service that owns a store, a process
 * that follows it, and both together are measured in turn. The number of connections is the same; with both, half of them
 * ask each. The driver needs a share of the cores, too.
 *
 * Options: `--records N` (100,000), `--seconds N` of each measurement (4), `--rounds N` (3).
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startAccession } from '../test/parity/services.ts';
import { cannon } from './service/cannon.ts';
import { copyOf, storeOf, writeConfig } from './service/data.ts';
import type { Load, Measurement } from './service/load.ts';
import { processorTimeOf, settle } from './service/targets.ts';
import { FLOOR_PAGE, WORKLOADS } from './service/workloads.ts';
import { hasWrk, wrk } from './service/wrk.ts';

const CONNECTIONS = 8;
/** Before each workload, code is compiled and files are read. */
const WARM_UP_S = 2;
const MEASURED = [
  'read by pid',
  FLOOR_PAGE,
  'page of 50 Turtle, each time another',
  'search with one hit, each time another',
  'page of 50 JSON while another client stores 50 records a second',
  'first page, 50 JSON, own zone over curated',
];

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
  },
});
const records = Number(values.records);
const seconds = Number(values.seconds);
const sizes = { records, files: 0 };
const driver = hasWrk() ? wrk : cannon;

const original = await storeOf(sizes);
const config = await writeConfig(`${original}.config.yaml`, ['records']);
const store = await copyOf(original, 'follower');
const owner = await startAccession(store, { config });
await settle(owner);
const follower = await startAccession(store, { arguments: ['--read-only'] });

type Rate = { readonly rate: number; readonly p50: number; readonly processor: number };

/** Sends a load to some processes at the same time. @returns the sum, and the processor time of a response in µs */
async function fire(
  loads: readonly (readonly [address: string, load: Load])[],
  length = seconds,
): Promise<Rate> {
  const time = async () => (await processorTimeOf(owner)) + (await processorTimeOf(follower));
  const before = await time();
  const each = await Promise.all(
    loads.map(([address, load]) => driver.run(address, load, CONNECTIONS / loads.length, length)),
  );
  const processor = (await time()) - before;
  const failures = sum(each, (one) => one.failures);
  if (failures > 0) throw new Error(`${failures} requests failed`);
  const rate = sum(each, (one) => one.rate);
  const p50 = Math.max(...each.map((one) => one.p50));
  return { rate, p50, processor: (processor * 10_000) / sum(each, (one) => one.responses) };
}

const sum = (all: readonly Measurement[], of: (one: Measurement) => number) =>
  all.reduce((total, one) => total + of(one), 0);

/** Stores records at the owner, 50 a second, while something is measured. */
async function beside<T>(load: Load | undefined, measure: () => Promise<T>): Promise<T> {
  let n = 0;
  const store = async () => {
    const { path, headers = {}, body } = load![n++ % load!.length]!;
    await fetch(owner.address + path, { method: 'POST', headers, ...(body !== undefined && { body }) });
  };
  const timer = load && setInterval(() => void store().catch(() => {}), 20);
  try {
    return await measure();
  } finally {
    clearInterval(timer);
  }
}

const median = (rates: readonly Rate[]) => rates.toSorted((a, b) => a.rate - b.rate)[rates.length >> 1]!;
const words = ({ rate, p50, processor }: Rate) =>
  `${Math.round(rate).toLocaleString('en')}/s (p50 ${p50.toFixed(1)} ms, ${Math.round(processor)} µs)`;

console.log(
  `${records.toLocaleString('en')} records, ${availableParallelism()} cores, load: ${driver.name}, ${CONNECTIONS} connections; µs: processor time of a response`,
);
console.log('| workload | owner alone | follower alone | both | both / owner |\n|---|---|---|---|---|');
try {
  for (const name of MEASURED) {
    const workload = WORKLOADS.find((one) => one.name === name)!;
    const writes = workload.meanwhile?.('accession');
    const alone: Rate[] = [];
    const reads: Rate[] = [];
    const both: Rate[] = [];
    const warm = workload.load('accession', sizes, 9)!;
    const addresses = [owner.address, follower.address];
    await fire(
      addresses.map((address) => [address, warm]),
      WARM_UP_S,
    );
    for (let round = 0; round < Number(values.rounds); round++) {
      const load = (seed: number) => workload.load('accession', sizes, 10 * round + seed)!;
      alone.push(await beside(writes, () => fire([[owner.address, load(0)]])));
      reads.push(await beside(writes, () => fire([[follower.address, load(1)]])));
      const halves = [
        [owner.address, load(2)],
        [follower.address, load(3)],
      ] as const;
      both.push(await beside(writes, () => fire(halves)));
    }
    const [one, other, two] = [median(alone), median(reads), median(both)];
    const ratio = (two.rate / one.rate).toFixed(2);
    console.log(`| ${name} | ${words(one)} | ${words(other)} | ${words(two)} | ${ratio} |`);
  }
} finally {
  await follower.stop();
  await owner.stop();
}
