/**
 * Rates of the record stores on PostgreSQL and SQLite, with the driver's bare statements as the floor.
 *
 *     node bench/postgresql.ts [--records 10000] [--seconds 3] [--concurrency 16] [--url postgresql://…] [--json FILE]
 *
 * Each workload runs in one process and then in two at the same time, since that is how instances share a database.
 * Without `--url` it starts a server in a temporary directory, whose commits wait for the disk.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openStore } from '../src/storage/backends.ts';
import { SILENT_LOG } from '../src/storage/log.ts';
import { type Database, openPostgresql } from '../src/storage/postgresql/database.ts';
import { openPostgresqlStore } from '../src/storage/postgresql/store.ts';
import type { RecordStore } from '../src/storage/store.ts';
import { startPostgresql } from '../test/support/postgresql.ts';
import { numberedRecord } from './numbered-record.ts';

const { values: flags } = parseArgs({
  options: {
    records: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '16' },
    url: { type: 'string' },
    json: { type: 'string' },
    worker: { type: 'string' },
  },
});
const records = Number(flags.records);
const seconds = Number(flags.seconds);
const concurrency = Number(flags.concurrency);

const BY = { committer: 'bench', author: 'bench', role: 'service' } as const;
const PAGE = 100;

const record = (i: number) => numberedRecord(i, `Family${i % 4871}`);

/** What one process does, over and over; `i` is never the same twice in all processes. */
type Subject = {
  readonly read: (i: number) => Promise<unknown>;
  readonly page: (i: number) => Promise<unknown>;
  readonly store: (i: number) => Promise<unknown>;
  readonly replace: (i: number) => Promise<unknown>;
  close(): Promise<void>;
};
type Workload = 'read' | 'page' | 'store' | 'replace';
const WORKLOADS: readonly Workload[] = ['read', 'page', 'store', 'replace'];

const anyRecord = (i: number) => record((i * 7919) % records);

function storeSubject(store: RecordStore, close: () => Promise<void>): Subject {
  return {
    read: (i) => store.get(anyRecord(i).iri),
    page: (i) => store.list({}, { offset: (i * 7919) % (records - PAGE), limit: PAGE }),
    store: (i) => store.write([{ put: record(records + i) }], BY),
    replace: (i) => store.write([{ put: anyRecord(i) }], BY),
    close: async () => {
      await store.close();
      await close();
    },
  };
}

/** The driver alone: one table with the record and its order, one statement for each operation, no revisions. */
function floorSubject(url: string): Subject {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const run = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values });
  const values = ({ iri, pid, className, json }: ReturnType<typeof record>) => [iri, pid, className, json];
  return {
    read: (i) => run('read', 'SELECT pid, class_name, json FROM floor WHERE iri = $1', [anyRecord(i).iri]),
    page: (i) =>
      run('page', `SELECT iri, pid, class_name, json FROM floor WHERE pid >= $1 ORDER BY pid LIMIT ${PAGE}`, [
        anyRecord(i).pid,
      ]),
    store: (i) => run('store', 'INSERT INTO floor VALUES ($1, $2, $3, $4)', values(record(records + i))),
    replace: (i) =>
      run(
        'replace',
        'UPDATE floor SET pid = $2, class_name = $3, json = $4 WHERE iri = $1',
        values(anyRecord(i)),
      ),
    close: () => pool.end(),
  };
}

const FLOOR_TABLE = `CREATE TABLE floor (
  iri text COLLATE "C" PRIMARY KEY, pid text COLLATE "C" NOT NULL, class_name text NOT NULL, json text NOT NULL);
  CREATE INDEX floor_order ON floor (pid);`;

function openSqlite(directory: string): Promise<RecordStore> {
  return openStore({ type: 'sqlite' }, directory, {
    expand: (pid) => pid.replace('ex:', 'https://example.org/things/'),
    schemaTypeOf: (className) => `ex:${className}`,
  });
}

async function open(kind: string, place: string): Promise<Subject> {
  if (kind === 'floor') return floorSubject(place);
  if (kind === 'sqlite') return storeSubject(await openSqlite(place), async () => {});
  const database = await openPostgresql(place, { log: SILENT_LOG });
  return storeSubject((await openPostgresqlStore(database, 'bench')).store, () => database.close());
}

async function fill(url: string, sqlite: string): Promise<void> {
  const batches = Array.from({ length: Math.ceil(records / 1000) }, (_, b) =>
    Array.from({ length: Math.min(1000, records - b * 1000) }, (_, i) => record(b * 1000 + i)),
  );
  const database: Database = await openPostgresql(url, { log: SILENT_LOG });
  const stores = [(await openPostgresqlStore(database, 'bench')).store, await openSqlite(sqlite)];
  for (const store of stores) {
    for (const batch of batches)
      await store.write(
        batch.map((put) => ({ put })),
        BY,
      );
    await store.close();
  }
  await database.query(FLOOR_TABLE);
  for (const batch of batches) {
    const columns = (['iri', 'pid', 'className', 'json'] as const).map((name) =>
      batch.map((row) => row[name]),
    );
    await database.query(
      'INSERT INTO floor SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])',
      columns,
    );
  }
  await database.query('VACUUM ANALYZE');
  await database.close();
}

/** The operations of one process per second. */
async function measure(subject: Subject, workload: Workload, first: number): Promise<number> {
  let i = first;
  const lanes = async (until: number) => {
    let done = 0;
    const lane = async () => {
      while (performance.now() < until) {
        await subject[workload](i++);
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    return done;
  };
  await lanes(performance.now() + 300);
  const start = performance.now();
  const done = await lanes(start + seconds * 1000);
  return (done * 1000) / (performance.now() - start);
}

type Order = {
  readonly kind: string;
  readonly place: string;
  readonly workload: Workload;
  readonly first: number;
};

if (flags.worker) {
  process.on('message', async ({ kind, place, workload, first }: Order) => {
    const subject = await open(kind, place);
    const rate = await measure(subject, workload, first);
    await subject.close();
    process.send?.(rate);
  });
} else {
  await main();
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-bench-'));
  const server = flags.url === undefined ? await startPostgresql({ durable: true }) : undefined;
  const args = ['--worker', 'yes', '--records', flags.records, '--seconds', flags.seconds];
  const workers = Array.from({ length: 2 }, () =>
    fork(import.meta.filename, [...args, '--concurrency', flags.concurrency]),
  );
  const rates: Record<string, number> = {};
  try {
    const url = flags.url ?? (await server?.createDatabase()) ?? '';
    await fill(url, folder);
    let first = 0;
    const run = async (kind: string, place: string, workload: Workload, used: readonly ChildProcess[]) => {
      const answers = used.map(async (worker) => {
        first += 1_000_000;
        worker.send({ kind, place, workload, first } satisfies Order);
        return (await once(worker, 'message'))[0] as number;
      });
      const rate = (await Promise.all(answers)).reduce((a, b) => a + b);
      rates[`${kind} ${workload} ${used.length}`] = Math.round(rate);
      return Math.round(rate);
    };
    console.log(`records ${records}, ${concurrency} requests at a time in each process, per second`);
    console.log(['workload', 'processes', 'floor', 'postgresql', 'of floor', 'sqlite'].join('\t'));
    for (const workload of WORKLOADS) {
      for (const count of [1, 2]) {
        const used = workers.slice(0, count);
        const floor = await run('floor', url, workload, used);
        const ours = await run('postgresql', url, workload, used);
        const sqlite = count === 1 ? await run('sqlite', folder, workload, used) : '';
        console.log(
          [workload, count, floor, ours, `${Math.round((100 * ours) / floor)} %`, sqlite].join('\t'),
        );
      }
    }
    if (flags.json)
      writeFileSync(flags.json, `${JSON.stringify({ records, concurrency, rates }, undefined, 2)}\n`);
  } finally {
    for (const worker of workers) worker.kill();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
