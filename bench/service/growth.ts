/** How the cost of a request grows with the collection, as a table, a file and a drawing for the documentation. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chart, type Series } from './chart.ts';
import { copyOf, storeOf, writeConfig } from './data.ts';
import { measure, median } from './measure.ts';
import { keep, markdown, number } from './report.ts';
import { memoryOf, settle, startService } from './targets.ts';
import { WORKLOADS } from './workloads.ts';

const DRAWING = path.resolve(import.meta.dirname, '../../docs/growth.svg');
const ROUNDS = 3;

const GROWING = [
  'read by pid',
  'first page, 50 JSON, own zone over curated',
  'middle page',
  'first page of a class, 50 JSON',
  'matching, one hit',
  'store JSON, own zone (sqlite, durable)',
];

/** Measures at each number of records. The cost is the time of a request in which the service does nothing else. */
export async function measureGrowth(sizes: readonly number[], seconds: number): Promise<void> {
  const costs = new Map<string, number[]>(GROWING.map((name) => [name, []]));
  const memories: number[] = [];
  for (const records of sizes) {
    const store = await storeOf({ records });
    const config = await writeConfig(`${store}.config.yaml`, ['records']);
    const service = await startService('accession', await copyOf(store, 'growth'), config);
    if (!service) throw new Error('the service does not start');
    await settle(service);
    for (const { name, requests } of WORKLOADS.filter((workload) => costs.has(workload.name))) {
      const list = requests('accession', { records, files: 0 }) ?? [];
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(service.address, list, seconds));
      const { rate, failures } = median(rounds);
      if (failures > 0) throw new Error(`${name} at ${records}: ${failures} failures`);
      costs.get(name)?.push(1_000 / rate);
    }
    memories.push(await memoryOf(service));
    await service.stop();
    process.stderr.write(`${records} records measured\n`);
  }
  const series: Series[] = [...costs].map(([name, values]) => ({
    name,
    values: values.map((cost) => cost / (values[0] ?? 1)),
  }));
  const lines = [...costs].map(([name, values]) => [name, ...values.map((cost) => `${number(cost)} ms`)]);
  lines.push(['memory', ...memories.map((memory) => `${memory} MB`)]);
  console.log(
    markdown(['a request of', ...sizes.map((size) => `${size.toLocaleString('en')} records`)], lines),
  );
  await writeFile(DRAWING, chart(sizes, series));
  console.log(
    `\nkept in ${path.relative('.', await keep('growth', { sizes, costs: Object.fromEntries(costs), memories }))}`,
  );
}
