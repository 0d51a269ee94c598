/**
 * `npm run bench`: the whole service against the floor, in one run and in turn, so that what disturbs the machine
 * disturbs all of them.
 *
 * - `--only PART` keeps the workloads whose name or kind has this part.
 * - `--beside DIR` measures another checkout, in turn as well.
 * - `--peer` measures the peer, too, if it is installed; it takes minutes.
 * - `--rounds N` counts so many rounds; more of them tell smaller differences apart from a busy machine's.
 * - `--quick` is a smoke run on small stores.
 * - `--growth` measures how cost grows with the collection instead.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Service } from '../../test/parity/services.ts';
import { measureSlow } from './cannon.ts';
import { copyOf, storeOf, writeConfig } from './data.ts';
import { makeFloor } from './floor.ts';
import { measureGrowth } from './growth.ts';
import { driver, measure, median, type Round } from './measure.ts';
import { keep, markdown, number, type Row, tableOf } from './report.ts';
import { measureStart } from './start.ts';
import { memoryOf, settle, startBeside, startFloor, startService, type TargetName } from './targets.ts';
import { CONNECTIONS, FLOOR_PAGE, MIXED, type Sizes, WORKLOADS, type Workload } from './workloads.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    peer: { type: 'boolean', default: false },
    beside: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
  },
});

const FULL = { sizes: { records: 100_000, files: 20_000 }, rounds: 3, seconds: 2 };
const QUICK = { sizes: { records: 2_000, files: 500 }, rounds: 1, seconds: 1 };
const { sizes, seconds, ...size } = values.quick ? QUICK : FULL;
const rounds = Number(values.rounds ?? size.rounds);

if (values.growth)
  await measureGrowth(values.quick ? [1_000, 10_000] : [1_000, 1_000_000], values.only, seconds);
else await compare();

async function compare(): Promise<void> {
  const { only = '' } = values;
  const workloads = [...WORKLOADS, MIXED].filter(({ name, kind }) => `${kind} ${name}`.includes(only));
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
    const floorPage = rows.find(({ workload }) => workload === FLOOR_PAGE)?.floor;
    await stopAll(targets);
    const start = values.only ? undefined : await measureStart();

    console.log(`${tableOf(rows, floorPage)}\n\n${memoryTable(memory)}`);
    console.log(
      `\nload: ${driver.name}, ${CONNECTIONS} connections if not said, ${rounds} rounds of ${seconds} s`,
    );
    if (start)
      console.log(
        `\nstart with ten collections: ${start.map(({ name, ms }) => `${name} ${ms} ms`).join(', ')}`,
      );
    const results = { driver: driver.name, sizes, rounds, seconds, rows, memory, start };
    console.log(`\nkept in ${path.relative('.', await keep('service', results))}`);
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
  const own = await copyOf(store, 'accession');
  targets.accession = await startAgain(() => startService('accession', own, config));
  const { beside } = values;
  if (beside) {
    const copy = await copyOf(store, 'beside');
    targets.beside = await startAgain(() => startBeside(beside, copy, config));
  }
  if (values.peer) targets.peer = await startService('peer', await copyOf(store, 'peer'), config);
  await settleAll(targets);
}

/** The first start takes the store of the peer in, which is not what is measured. */
async function startAgain(start: () => Promise<Service | undefined>): Promise<Service | undefined> {
  const first = await start();
  if (!first) return undefined;
  await settle(first);
  await first.stop();
  return start();
}

async function settleAll(targets: Targets): Promise<void> {
  await Promise.all(Object.values(targets).map((service) => service && settle(service)));
}

async function stopAll(targets: Targets): Promise<void> {
  await Promise.all(Object.values(targets).map((service) => service?.stop()));
}

async function measureWorkload(workload: Workload, targets: Targets): Promise<Row> {
  const measured: Partial<Record<TargetName, Round[]>> = {};
  // One round more, which is not counted: the first makes everything warm.
  for (let round = 0; round <= rounds; round++) {
    const names = ['accession', 'floor', 'beside', 'peer'] as const;
    // In turn, since what comes first in a round finds the machine in another state than what comes later.
    for (const name of round % 2 ? names.toReversed() : names) {
      const service = targets[name];
      // The peer is so much slower that one round of it is enough.
      if (!service || (name === 'peer' && round !== 1)) continue;
      const load = workload.load(name, sizes, round);
      if (!load) continue;
      const measurement = await oneRound(name, service, workload, load);
      if (round > 0) measured[name] = [...(measured[name] ?? []), measurement];
    }
  }
  const { accession = [], floor, beside, peer } = measured;
  return {
    workload: workload.name,
    kind: workload.kind,
    aim: workload.aim,
    accession: median(accession),
    floor: floor && median(floor),
    beside: beside && median(beside),
    peer: peer && median(peer),
  };
}

async function oneRound(
  name: TargetName,
  service: Service,
  { meanwhile, connections = CONNECTIONS }: Workload,
  load: ReturnType<NonNullable<Workload['meanwhile']>>,
): Promise<Round> {
  if (name === 'peer')
    return {
      ...(await measureSlow(service.address, load, connections, seconds)),
      longestWait: 0,
      processor: 0,
    };
  return measure(service, load, connections, seconds, meanwhile?.(name));
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
