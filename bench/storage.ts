/**
 * What operations of the record stores cost as the store grows.
 *
 *     node bench/storage.ts [--backend sqlite] [--sizes 1000,10000] [--directory <path>] [--json <file>] [--keep]
 *
 * Prints one table per backend, times in milliseconds (medians), and writes the same as JSON where asked to.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import {
  type BackendConfig,
  type BackendType,
  DEFAULT_BACKEND,
  type OpenOptions,
  openStore,
} from '../src/storage/backends.ts';
import { completeTextIndex } from '../src/storage/maintenance.ts';
import type { Change, RecordStore } from '../src/storage/store.ts';

const BY = { committer: 'bench', author: 'bench', role: 'service' } as const;

const { values: flags } = parseArgs({
  options: {
    backend: { type: 'string', multiple: true, default: ['sqlite', 'record_dir'] },
    sizes: { type: 'string', default: '1000,10000' },
    directory: { type: 'string' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

const CLASSES = [
  'Person',
  'Person',
  'Person',
  'Publication',
  'Publication',
  'Instrument',
  'Organization',
  'Rare',
];

const options: OpenOptions = {
  schema: 'https://example.org/schema',
  expand: (pid) => pid.replace(/^ex:/, 'https://example.org/things/'),
  schemaTypeOf: (className) => `ex:${className}`,
  log: { info: (details, message) => console.error(message, details), warn: console.error },
};

/** A record of some 600 bytes, whose pid is spread over the whole order. */
function record(i: number): Change {
  const pid = `ex:${((i * 2654435761) % 4294967296).toString(16).padStart(8, '0')}-${i}`;
  const className = i % 1000 === 7 ? 'Rare' : CLASSES[i % 7]!;
  const json = JSON.stringify({
    annotations: { 'ex:note': `Entry number ${i} of the benchmark, made by a program.` },
    description: `A ${className.toLowerCase()} of no particular importance, described in one sentence, and then in another one.`,
    given_name: `Given${i % 977}`,
    name: `Name ${i} Family${i % 4871}`,
    pid,
    schema_type: `ex:${className}`,
    see_also: [`https://example.org/page/${i}`, `https://example.com/other/${i % 313}`],
  });
  return { put: { pid, iri: options.expand(pid)!, className, json } };
}

async function fill(store: RecordStore, size: number): Promise<void> {
  const batch = 1000;
  for (let start = await store.count({}); start < size; start += batch) {
    await store.write(
      Array.from({ length: Math.min(batch, size - start) }, (_, k) => record(start + k)),
      BY,
    );
  }
}

/** The median time of an operation, in milliseconds. */
async function median(times: number, operation: (i: number) => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await operation(i);
    durations.push(performance.now() - start);
  }
  return durations.sort((a, b) => a - b)[times >> 1]!;
}

type Row = { backend: string; size: number } & Record<string, number | string>;

async function measure(backend: BackendType, size: number, root: string): Promise<Row> {
  const directory = join(root, `${backend}-${size}`);
  const config = { ...DEFAULT_BACKEND, type: backend } as BackendConfig;
  const made = existsSync(directory);
  mkdirSync(directory, { recursive: true });
  let start = performance.now();
  let store = await openStore(config, directory, options);
  await fill(store, size);
  await store.close();
  const fillSeconds = (performance.now() - start) / 1000;
  start = performance.now();
  if (backend.startsWith('sqlite')) completeTextIndex(directory, options.log!);
  const textSeconds = (performance.now() - start) / 1000;

  start = performance.now();
  store = await openStore(config, directory, options);
  const opening = performance.now() - start;
  const page = (offset: number, classes?: string[]) => () =>
    store.list(classes ? { classes } : {}, { offset, limit: 50 });
  const matching = (pattern: (i: number) => string) => async (i: number) => {
    const selection = { matching: pattern(i) };
    await store.count(selection);
    await store.list(selection, { offset: 0, limit: 50 });
  };
  const iri = (i: number) => (record((i * 7919) % size) as { put: { iri: string } }).put.iri;
  const row: Row = { backend, size, open: opening };
  await page(0)();
  row.get = await median(300, (i) => store.get(iri(i)));
  row.first_page = await median(200, page(0));
  row.middle_page = await median(200, page(Math.floor(size / 2)));
  row.class_page = await median(200, page(Math.floor(size / 8), ['Publication', 'Instrument']));
  row.rare_class_page = await median(200, page(0, ['Rare']));
  row.count = await median(200, () => store.count({ classes: ['Person', 'Rare'] }));
  if (backend.startsWith('sqlite')) {
    row.matching_one = await median(
      20,
      matching((i) => `%name ${(i * 7919) % size} fam%`),
    );
    row.matching_some = await median(
      5,
      matching((i) => `%family${i + 17}`),
    );
    row.matching_many = await median(
      1,
      matching(() => '%publication%'),
    );
  }
  row.put_new = await median(100, (i) => store.write([record(size + i)], BY));
  row.put_again = await median(100, (i) => store.write([record((i * 7919) % size)], BY));
  row.delete = await median(100, (i) => store.write([{ delete: iri2(size + i) }], BY));
  row.puts_per_second_8 = await parallelPuts(store, size, 8, 2000);
  await store.write(
    Array.from({ length: 2000 }, (_, i) => ({ delete: iri2(size + i) })),
    BY,
  );
  row.memory_MB = process.memoryUsage().rss / 2 ** 20;
  if (!made) Object.assign(row, { fill_s: fillSeconds, text_index_s: textSeconds });
  await store.close();
  if (!flags.keep) rmSync(directory, { recursive: true });
  return row;
}

const iri2 = (i: number) => (record(i) as { put: { iri: string } }).put.iri;

async function parallelPuts(
  store: RecordStore,
  size: number,
  writers: number,
  total: number,
): Promise<number> {
  const start = performance.now();
  let next = 0;
  const writer = async () => {
    while (next < total) await store.write([record(size + next++)], BY);
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return total / ((performance.now() - start) / 1000);
}

/** The durable floor: one INSERT and one commit per request, nothing else. */
function bareInsertsPerSecond(root: string): number {
  const file = join(root, `floor-${process.pid}.db`);
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)',
  );
  const insert = database.prepare('INSERT INTO t (v) VALUES (?)');
  const start = performance.now();
  for (let i = 0; i < 2000; i++) insert.run((record(i) as { put: { json: string } }).put.json);
  const rate = 2000 / ((performance.now() - start) / 1000);
  database.close();
  rmSync(file);
  return rate;
}

const root = flags.directory ?? mkdtempSync(join(tmpdir(), 'accession-bench-'));
mkdirSync(root, { recursive: true });
const rows: Row[] = [];
for (const backend of flags.backend as BackendType[]) {
  for (const size of flags.sizes.split(',').map(Number)) rows.push(await measure(backend, size, root));
}
const rounded = (value: number | string) =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value;
console.table(
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, rounded(value)]))),
);
const floor = bareInsertsPerSecond(root);
console.log(`bare durable inserts per second: ${Math.round(floor)}`);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ floor, rows }, null, 2)}\n`);
if (!flags.directory) rmSync(root, { recursive: true });
