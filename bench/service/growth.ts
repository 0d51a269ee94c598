/** How the cost of a request grows with the collection, as a table, a file and a drawing for the documentation. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chart, type Series } from './chart.ts';
import { copyOf, storeOf, writeConfig } from './data.ts';
import { growingWorkloads } from './growing-workloads.ts';
import { measure, median } from './measure.ts';
import { keep, markdown, number } from './report.ts';
import { memoryOf, settle, startService } from './targets.ts';

const DRAWING = path.resolve(import.meta.dirname, '../../docs/growth.svg');
const ROUNDS = 3;

/** A small collection has so few pages that larger caches would remember them all. */
const SMALL_CACHES = ['--memory', '1'];

/** Cost may grow by this factor from the smallest to the largest collection. */
const MOST_GROWTH = 1.5;

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
  const services = [];
  const costs: number[][] = [];
  const memories: number[] = [];
  try {
    for (const records of sizes) {
      const store = await storeOf({ records, files: records });
      const config = await writeConfig(`${store}.config.yaml`);
      const copy = await copyOf(store, `growth-${records}`);
      const service = await startService('accession', copy, config, SMALL_CACHES);
      if (!service) throw new Error('the service does not start');
      services.push({ records, service });
      await settle(service);
      process.stderr.write(`${records} records are ready\n`);
    }
    for (const workload of workloads) {
      const rounds = services.map(() => [] as Awaited<ReturnType<typeof measure>>[]);
      for (let round = 0; round < ROUNDS; round++) {
        for (const [i, { records, service }] of services.entries()) {
          await settle(service);
          const load = workload.load(records, round);
          rounds[i]!.push(await measure(service, load, seconds));
        }
      }
      costs.push(
        rounds.map((measured) => {
          const { processor, failures } = median(measured);
          if (failures > 0) throw new Error(`${workload.name}: ${failures} failures`);
          return processor / 1_000;
        }),
      );
      process.stderr.write(`${workload.name}: ${costs.at(-1)!.map(number).join(', ')} ms\n`);
    }
    for (const { service } of services) memories.push(await memoryOf(service));
  } finally {
    for (const { service } of services) await service.stop();
  }
  const series: Series[] = workloads.map(({ name }, i) => ({
    name,
    values: costs[i]!.map((cost) => cost / costs[i]![0]!),
  }));
  const lines = series.map(({ name, values }, i) => {
    const growth = values.at(-1)!;
    const missed = growth > MOST_GROWTH ? ` (aim ${MOST_GROWTH}, missed)` : '';
    return [name, ...costs[i]!.map((cost) => `${number(cost)} ms`), `${number(growth)}${missed}`];
  });
  lines.push(['memory', ...memories.map((memory) => `${memory} MB`), '']);
  const head = ['a request of', ...sizes.map((size) => `${size.toLocaleString('en')} records`), 'growth'];
  console.log(markdown(head, lines));
  if (only === undefined) await writeFile(DRAWING, chart(sizes, series));
  const results = { sizes, workloads: workloads.map(({ name }) => name), costs, memories };
  console.log(`\nkept in ${path.relative('.', await keep('growth', results))}`);
}
