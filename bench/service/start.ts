/**
 * How long a service takes from its start to its first answer. `npm run bench` measures it with ten collections of one
 * schema; `npm run bench:start` measures the package, as it is published, on a store of 100,000 records beside the floor.
 * `ACCESSION_BENCH_SCHEMA` names another schema than the example's.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Service, startProgram } from '../../test/parity/services.ts';
import { copyOf, SCHEMA, storeOf } from './data.ts';
import { makeFloor } from './floor.ts';
import { memoryOf, processorTimeOf, settle, startFloor, startService } from './targets.ts';

const ROUNDS = 3;
const RECORDS = 100_000;

type Start = {
  readonly name: string;
  readonly ms: number;
  /** Processor time until the first answer, in milliseconds: a busy machine changes it less. */
  readonly processor: number;
  readonly memory: number;
};

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
  const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
  const config = await configuration(path.join(root, 'config.yaml'), names, schema);
  const start = await timed(name, () => startService(name, path.join(root, 'store'), config));
  await rm(root, { recursive: true, force: true });
  return start;
}

/** Starts a service and stops it again. */
async function timed(name: string, start: () => Promise<Service | undefined>): Promise<Start | undefined> {
  const begin = performance.now();
  const service = await start();
  if (!service) return undefined;
  const ms = Math.round(performance.now() - begin);
  const processor = 10 * (await processorTimeOf(service));
  await settle(service);
  const memory = await memoryOf(service);
  await service.stop();
  return { name, ms, processor, memory };
}

async function configuration(file: string, names: readonly string[], schema: string): Promise<string> {
  const collection = (name: string) => ({
    schema,
    default_token: 'anyone',
    curated: `${name}/curated`,
    incoming: `${name}/incoming`,
    ...(name === 'records' && { backend: 'sqlite+stl' }),
  });
  const content = {
    type: 'collections',
    version: 2,
    tokens: {},
    admin_tokens: { a: { representation: 'a'.repeat(64) } },
    collections: Object.fromEntries(names.map((name) => [name, collection(name)])),
  };
  await writeFile(file, JSON.stringify(content));
  return file;
}

/** The published package, unpacked, with the dependencies of this checkout. */
async function unpackedPackage(folder: string): Promise<string> {
  const root = path.resolve(import.meta.dirname, '../..');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'pipe' });
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  execFileSync('tar', ['-xzf', tarball], { cwd: folder });
  const unpacked = path.join(folder, 'package');
  await mkdir(path.join(unpacked, 'node_modules'));
  for (const name of await readdir(path.join(root, 'node_modules')))
    if (!name.startsWith('.'))
      await symlink(path.join(root, 'node_modules', name), path.join(unpacked, 'node_modules', name));
  return unpacked;
}

async function measurePackage(schema = process.env.ACCESSION_BENCH_SCHEMA ?? SCHEMA): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'accession-bench-package-'));
  try {
    const store = await copyOf(await storeOf({ records: RECORDS }), 'start');
    const config = await configuration(path.join(folder, 'config.yaml'), ['records', 'other'], schema);
    await makeFloor(`${store}.floor.db`, RECORDS);
    const program = path.join(await unpackedPackage(folder), 'bin/accession.js');
    const starts = {
      floor: () => startFloor(`${store}.floor.db`),
      package: () =>
        startProgram('package', process.execPath, (port) => [
          ...[program, 'serve', store, '-c', config, '--port', port],
        ]),
      checkout: () => startService('accession', store, config),
    };
    const rounds: Start[] = [];
    // The first round compiles, and fills the indexes.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, start] of Object.entries(starts)) {
        const measured = await timed(name, start);
        if (measured && round > 0) rounds.push(measured);
      }
    }
    for (const name of Object.keys(starts)) {
      const own = rounds.filter((round) => round.name === name);
      const least = (key: 'ms' | 'processor' | 'memory') => Math.min(...own.map((round) => round[key]));
      console.log(`${name}: ${least('ms')} ms, processor ${least('processor')} ms, ${least('memory')} MB`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await measurePackage();
