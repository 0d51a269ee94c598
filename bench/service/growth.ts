/** How the cost of a request grows with the collection, as a table, a file and a drawing for the documentation. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Service } from '../../test/parity/services.ts';
import { chart, type Series } from './chart.ts';
import { bringIntoMemory, copyOf, storeOf, writeConfig } from './data.ts';
import { type GrowingWorkload, growingWorkloads } from './growing-workloads.ts';
import { measure, median, type Round } from './measure.ts';
import { keep, markdown, number } from './report.ts';
import { memoryOf, settle, startService } from './targets.ts';
import { CONNECTIONS } from './workloads.ts';

const DRAWING = path.resolve(import.meta.dirname, '../growth.svg');
/** The first one is not counted: the programs compile what they use, and the databases fill their caches. */
const ROUNDS = 4;

/** A small collection has so few pages and searches that larger caches would remember them all. */
const SMALL_CACHES = ['--memory', '1'];

/** Cost may grow by this factor from the smallest to the largest collection. */
const MOST_GROWTH = 1.5;

type Subject = { readonly records: number; readonly copy: string; readonly config: string };

/**
 * Measures at each number of records, in turn: a service for each runs at the same time. The cost is the
 * processor time of a request: it includes what the service does for it in the background.
 */
export async function measureGrowth(
  sizes: readonly number[],
  only: string | undefined,
  seconds: number,
): Promise<void> {
  const workloads = growingWorkloads().filter(({ name }) => name.includes(only ?? ''));
  const subjects: Subject[] = [];
  for (const records of sizes) {
    const store = await storeOf({ records, files: records });
    const config = await writeConfig(`${store}.config.yaml`);
    subjects.push({ records, copy: await copyOf(store, `growth-${records}`), config });
    process.stderr.write(`${records} records are ready\n`);
  }
  const costs = new Map<string, number[]>();
  const memories: number[] = [];
  for (const [flags, group] of [
    [SMALL_CACHES, workloads.filter(({ remembered }) => remembered)],
    [[], workloads.filter(({ remembered }) => !remembered)],
  ] as const) {
    if (group.length === 0) continue;
    const services: Service[] = [];
    try {
      for (const { copy, config } of subjects) {
        const service = await startService('accession', copy, config, flags);
        if (!service) throw new Error('the service does not start');
        services.push(service);
      }
      for (const workload of group) {
        costs.set(workload.name, await costsOf(workload, subjects, services, seconds));
        process.stderr.write(`${workload.name}: ${costs.get(workload.name)!.map(number).join(', ')} ms\n`);
      }
      memories.splice(0, memories.length, ...(await Promise.all(services.map(memoryOf))));
    } finally {
      for (const service of services) await service.stop();
    }
  }
  await report(
    sizes,
    workloads.map(({ name }) => [name, costs.get(name)!] as const),
    memories,
    only === undefined,
  );
}

/** The milliseconds of processor time of one request at each size. */
async function costsOf(
  workload: GrowingWorkload,
  subjects: readonly Subject[],
  services: readonly Service[],
  seconds: number,
): Promise<number[]> {
  const rounds = services.map(() => [] as Round[]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, service] of services.entries()) {
      await settle(service);
      await bringIntoMemory(subjects[i]!.copy);
      rounds[i]!.push(
        await measure(service, workload.load(subjects[i]!.records, round), CONNECTIONS, seconds),
      );
    }
  }
  return rounds.map((measured) => {
    const { failures } = median(measured);
    if (failures > 0) throw new Error(`${workload.name}: ${failures} failures`);
    return median(measured.slice(1)).processor / 1_000;
  });
}

async function report(
  sizes: readonly number[],
  costs: readonly (readonly [name: string, values: readonly number[]])[],
  memories: readonly number[],
  draws: boolean,
): Promise<void> {
  const series: Series[] = costs.map(([name, values]) => ({
    name,
    values: values.map((cost) => cost / values[0]!),
  }));
  const lines = series.map(({ name, values }, i) => {
    const growth = values.at(-1)!;
    const missed = growth > MOST_GROWTH ? ` (aim ${MOST_GROWTH}, missed)` : '';
    return [name, ...costs[i]![1].map((cost) => `${number(cost)} ms`), `${number(growth)}${missed}`];
  });
  lines.push(['memory', ...memories.map((memory) => `${memory} MB`), '']);
  const head = ['a request of', ...sizes.map((size) => `${size.toLocaleString('en')} records`), 'growth'];
  console.log(markdown(head, lines));
  if (draws) await writeFile(DRAWING, chart(sizes, series));
  const results = {
    sizes,
    workloads: costs.map(([name]) => name),
    costs: costs.map(([, values]) => values),
    memories,
  };
  console.log(`\nkept in ${path.relative('.', await keep('growth', results))}`);
}
