/** How long a service takes from its start to its first answer, with ten collections of one schema. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SCHEMA } from './data.ts';
import { memoryOf, settle, startService } from './targets.ts';

const ROUNDS = 3;

export type Start = { readonly name: string; readonly ms: number; readonly memory: number };

/**
 * The best of some starts of each service.
 *
 * @param schema the schema of all collections; `ACCESSION_BENCH_SCHEMA` names another one than the example's
 */
export async function measureStart(schema = process.env.ACCESSION_BENCH_SCHEMA ?? SCHEMA): Promise<Start[]> {
  const starts: Start[] = [];
  for (const name of ['accession', 'peer'] as const) {
    const rounds: Start[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = await oneStart(name, schema);
      if (start) rounds.push(start);
    }
    rounds.sort((a, b) => a.ms - b.ms);
    if (rounds[0]) starts.push(rounds[0]);
  }
  return starts;
}

async function oneStart(name: 'accession' | 'peer', schema: string): Promise<Start | undefined> {
  const root = path.join(tmpdir(), `accession-bench-start-${process.pid}`);
  await mkdir(path.join(root, 'store'), { recursive: true });
  const collection = (i: number) => ({
    schema,
    default_token: 'anyone',
    curated: `c${i}/curated`,
    incoming: `c${i}/incoming`,
  });
  const collections = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`c${i}`, collection(i)]));
  const config = path.join(root, 'config.yaml');
  const configuration = {
    type: 'collections',
    version: 2,
    collections,
    tokens: {},
    admin_tokens: { a: { representation: 'a'.repeat(64) } },
  };
  await writeFile(config, JSON.stringify(configuration));
  const begin = performance.now();
  const service = await startService(name, path.join(root, 'store'), config);
  const ms = Math.round(performance.now() - begin);
  if (service) await settle(service);
  const memory = service ? await memoryOf(service) : 0;
  await service?.stop();
  await rm(root, { recursive: true, force: true });
  return service && { name, ms, memory };
}
