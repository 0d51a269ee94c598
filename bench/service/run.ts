/**
 * `npm run bench`: the whole service against the floor and, where it is installed, the peer, in one run and in turn, so
 * that what disturbs the machine disturbs all of them. `--quick` is a smoke run on small stores; `--growth` measures how
 * cost grows with the collection instead; `--only PART` keeps the workloads whose name has this part.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Service } from '../../test/parity/services.ts';
import { copyOf, storeOf, writeConfig } from './data.ts';
import { makeFloor } from './floor.ts';
import { measureGrowth } from './growth.ts';
import { type Measurement, measure, measureSlow, median } from './measure.ts';
import { measureMixed } from './mixed.ts';
import { keep, markdown, number, type Row, tableOf } from './report.ts';
import { measureStart } from './start.ts';
import { memoryOf, settle, startFloor, startService, type TargetName } from './targets.ts';
import { type Sizes, WORKLOADS, type Workload } from './workloads.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const FULL = { sizes: { records: 100_000, files: 20_000 }, rounds: 3, seconds: 4 };
const QUICK = { sizes: { records: 2_000, files: 500 }, rounds: 1, seconds: 1 };
const { sizes, rounds, seconds } = values.quick ? QUICK : FULL;

if (values.growth)
  await measureGrowth(values.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000], seconds);
else await compare();

async function compare(): Promise<void> {
  const workloads = WORKLOADS.filter(({ name }) => values.only === undefined || name.includes(values.only));
  const targets: Targets = {};
  try {
    await startAll(targets, sizes);
    const before = await memories(targets);
    const rows: Row[] = [];
    for (const workload of workloads) {
      await settleAll(targets);
      rows.push(await measureWorkload(workload, targets));
      process.stderr.write(`${workload.name}: ${number(rows.at(-1)?.accession.rate ?? 0)} /s\n`);
    }
    const memory = { before, after: await memories(targets) };
    const mixed = values.only
      ? undefined
      : await measureMixed(targets.accession as Service, sizes, 2 * seconds);
    await stopAll(targets);
    const start = values.only ? undefined : await measureStart();

    console.log(`${tableOf(rows)}\n\n${memoryTable(memory)}`);
    if (mixed)
      console.log(
        `\nmixed load with an import: p50 ${number(mixed.p50)} ms, p99 ${number(mixed.p99)} ms, ${number(mixed.rate)} /s`,
      );
    if (start)
      console.log(
        `\nstart with ten collections: ${start.map(({ name, ms }) => `${name} ${ms} ms`).join(', ')}`,
      );
    console.log(
      `\nkept in ${path.relative('.', await keep('service', { sizes, rounds, seconds, rows, memory, mixed, start }))}`,
    );
  } finally {
    await stopAll(targets);
  }
}

type Targets = Partial<Record<TargetName, Service>>;

async function startAll(targets: Targets, { records, files }: Sizes): Promise<void> {
  const store = await storeOf({ records, files });
  const config = await writeConfig(`${store}.config.yaml`);
  const database = `${store}.floor.db`;
  await makeFloor(database, records);
  targets.floor = await startFloor(database);
  targets.accession = await startService('accession', await copyOf(store, 'accession'), config);
  targets.peer = await startService('peer', await copyOf(store, 'peer'), config);
  await settleAll(targets);
}

async function settleAll(targets: Targets): Promise<void> {
  await Promise.all(Object.values(targets).map((service) => service && settle(service)));
}

async function stopAll(targets: Targets): Promise<void> {
  await Promise.all(Object.values(targets).map((service) => service?.stop()));
}

async function measureWorkload(workload: Workload, targets: Targets): Promise<Row> {
  const measured: Partial<Record<TargetName, Measurement[]>> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of ['accession', 'floor', 'peer'] as const) {
      const requests = workload.requests(name, sizes);
      const service = targets[name];
      // The peer is so much slower that a round of it says all.
      if (!service || !requests || (name === 'peer' && round > 0)) continue;
      const run = name === 'peer' ? measureSlow : measure;
      measured[name] = [...(measured[name] ?? []), await run(service.address, requests, seconds)];
    }
  }
  const { accession = [], floor, peer } = measured;
  return {
    workload: workload.name,
    aim: workload.aim,
    accession: median(accession),
    floor: floor && median(floor),
    peer: peer && median(peer),
  };
}

async function memories(targets: Targets): Promise<Partial<Record<TargetName, number>>> {
  const entries = Object.entries(targets).map(async ([name, service]) => [
    name,
    service && (await memoryOf(service)),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

function memoryTable({
  before,
  after,
}: Record<'before' | 'after', Partial<Record<TargetName, number>>>): string {
  const names = Object.keys(before) as TargetName[];
  const lines = names
    .filter((name) => before[name])
    .map((name) => [name, String(before[name]), String(after[name])]);
  return markdown(['memory, MB', 'after the start', 'after the load'], lines);
}
