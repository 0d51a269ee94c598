/**
 * What operations of a store in PostgreSQL cost with many records, compared with few.
 *
 *     node bench/growth.ts [--sizes 1000,1000000] [--rounds 9] [--seconds 0.3] [--memory 4GB] [--url URL] [--json FILE]
 *
 * Fills a database for each size, on one server. Then it measures in rounds: in each one, every operation runs on every
 * size in turn, one request at a time, so that other load of the machine meets all sizes alike. Prints milliseconds that a
 * tenth of the operations stay below, which other load changes least, and how many times that of the smallest size it is.
 *
 * Without `--url` it starts a server whose `shared_buffers` are `--memory`: four times the largest table, since the server does
 * not keep what it reads of a larger one in order. The databases on a server of `--url` are kept,
 * and used again by the next run.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SILENT_LOG } from '../src/storage/log.ts';
import { openArea } from '../src/storage/postgresql/area.ts';
import { type Database, openPostgresql } from '../src/storage/postgresql/database.ts';
import { openPostgresqlStore } from '../src/storage/postgresql/store.ts';
import { completeTextIndex } from '../src/storage/postgresql/text-index.ts';
import type { RecordStore } from '../src/storage/store.ts';
import { startPostgresql } from '../test/support/postgresql.ts';
import { numberedRecord } from './numbered-record.ts';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,1000000' },
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '0.3' },
    memory: { type: 'string', default: '4GB' },
    url: { type: 'string' },
    json: { type: 'string' },
  },
});
const sizes = flags.sizes.split(',').map(Number);
const rounds = Number(flags.rounds);
const seconds = Number(flags.seconds);

const BY = { committer: 'bench', author: 'bench', role: 'service' } as const;
const PAGE = 100;
/** Records that one name of ten letters is in, at every size. */
const ALIKE = 10;

const record = (i: number) => numberedRecord(i, nameOf(i));

/** Letters that {@link ALIKE} records share. */
function nameOf(i: number): string {
  let rest = (Math.floor(i / ALIKE) + 1) * 48_271;
  let name = '';
  for (let n = 0; n < 10; n++) {
    rest = (rest * 16_807 + 11) % 2_147_483_647;
    name += String.fromCharCode(97 + (rest % 26));
  }
  return name;
}

type Subject = {
  readonly size: number;
  readonly store: RecordStore;
  readonly database: Database;
  /** The IRIs of records that this run has stored and not deleted. */
  readonly stored: string[];
};

/** The operations; `i` is never the same twice. */
const OPERATIONS: Readonly<Record<string, (subject: Subject, i: number) => Promise<unknown>>> = {
  'page, driver alone': ({ database, size }, i) =>
    database.query(
      `SELECT iri, pid, class_name, json FROM floor WHERE pid >= $1 ORDER BY pid LIMIT ${PAGE}`,
      [record(spread(i, size)).pid],
    ),
  'store, driver alone': ({ database, size }, i) => {
    const { iri, pid, className, json } = record(2 * size + i);
    return database.query('INSERT INTO floor VALUES ($1, $2, $3, $4)', [iri, pid, className, json]);
  },
  read: ({ store, size }, i) => store.get(record(spread(i, size)).iri),
  count: ({ store }) => store.count({}),
  rank: ({ store, size }, i) => store.rank({}, record(spread(i, size)).pid),
  page: ({ store, size }, i) => store.list({}, { offset: spread(i, size - PAGE), limit: PAGE }),
  'page of a class': ({ store, size }, i) =>
    store.list({ classes: ['Publication'] }, { offset: spread(i, size / 5 - PAGE), limit: PAGE }),
  search: ({ store, size }, i) =>
    store.list({ matching: `%${nameOf(spread(i, size / ALIKE) * ALIKE)}%` }, { offset: 0, limit: PAGE }),
  store: ({ store, size, stored }, i) => {
    const put = record(size + i);
    stored.push(put.iri);
    return store.write([{ put }], BY);
  },
  replace: ({ store, size }, i) => store.write([{ put: record(spread(i, size)) }], BY),
  delete: async ({ store, stored }) => {
    const iri = stored.pop();
    return iri && store.write([{ delete: iri }], BY);
  },
};

/** Numbers below a limit, far from each other. */
const spread = (i: number, limit: number) => (i * 7_919_003) % Math.floor(limit);

/** Brings records and indexes into the memory of the server, and of the connection, as they are after some time. */
const EVERYTHING = [
  'SELECT max(length(json)) FROM accession_record',
  'SELECT count(pid_start) FROM (SELECT pid_start FROM accession_record ORDER BY area, pid_start, iri_key) r',
  'SELECT count(iri_key) FROM (SELECT iri_key FROM accession_record ORDER BY area, iri_key) r',
  'SELECT count(pid_start) FROM (SELECT pid_start FROM accession_record ORDER BY area, class_name, pid_start, iri_key) r',
  'SELECT max(length(json)) FROM floor',
  'SELECT count(pid) FROM (SELECT pid FROM floor ORDER BY pid) r',
];

const server =
  flags.url === undefined
    ? await startPostgresql({ durable: true, settings: [`shared_buffers=${flags.memory}`] })
    : undefined;
try {
  const subjects: Subject[] = [];
  for (const size of sizes) subjects.push(await filled(size));
  await measure(subjects);
  for (const { store, database } of subjects) {
    await store.close();
    await database.close();
  }
} finally {
  await server?.close();
}

async function filled(size: number): Promise<Subject> {
  const database = await openPostgresql(await databaseFor(size), { log: SILENT_LOG, statementTimeout: 0 });
  const { store } = await openPostgresqlStore(database, 'growth');
  for (let from = await store.count({}); from < size; from += 2000) {
    const numbers = Array.from({ length: Math.min(2000, size - from) }, (_, n) => from + n);
    await store.write(
      numbers.map((n) => ({ put: record(n) })),
      BY,
    );
  }
  await completeTextIndex(await openArea(database, 'growth'));
  await makeFloor(database);
  await database.connected(async (run) => {
    await run('VACUUM ANALYZE');
    for (const statement of EVERYTHING) await run(statement);
  });
  return { size, store, database, stored: [] };
}

/** The table of the driver alone, with the same records. */
async function makeFloor(database: Database): Promise<void> {
  const [known] = await database.query<{ floor: string | null }>(`SELECT to_regclass('floor') AS floor`);
  if (known?.floor) return;
  await database.connected(async (run) => {
    await run(`CREATE TABLE floor (
      iri text COLLATE "C" PRIMARY KEY, pid text COLLATE "C" NOT NULL, class_name text NOT NULL, json text NOT NULL)`);
    await run('CREATE INDEX floor_order ON floor (pid)');
    await run(
      'INSERT INTO floor SELECT iri_key, pid_start, class_name, json FROM accession_record ORDER BY revision',
    );
  });
}

async function databaseFor(size: number): Promise<string> {
  if (server) return server.createDatabase();
  const url = new URL(flags.url as string);
  const name = `growth_${size}`;
  const admin = await openPostgresql(url.href, { log: SILENT_LOG });
  const known = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (known.length === 0) await admin.query(`CREATE DATABASE ${name}`);
  await admin.close();
  url.pathname = `/${name}`;
  return url.href;
}

async function measure(subjects: readonly Subject[]): Promise<void> {
  let i = Date.now() % 1_000_000_000;
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      for (const subject of subjects) {
        const measured: number[] = [];
        const end = performance.now() + seconds * 1000;
        do {
          const start = performance.now();
          await operation(subject, i++);
          measured.push(performance.now() - start);
        } while (performance.now() < end && (name !== 'delete' || subject.stored.length > 0));
        // The first round fills the memory of the server.
        const key = `${name} ${subject.size}`;
        if (round > 0) times.set(key, [...(times.get(key) ?? []), ...measured]);
      }
    }
  }
  const rows = Object.keys(OPERATIONS).map((operation) => {
    const fast = subjects.map(({ size }) => tenth(times.get(`${operation} ${size}`) ?? []));
    return { operation, fast, ratios: fast.map((time) => time / (fast[0] as number)) };
  });
  console.log(['operation', ...subjects.flatMap(({ size }) => [`${size} (ms)`, 'times'])].join('\t'));
  for (const { operation, fast, ratios } of rows) {
    const cells = fast.flatMap((time, n) => [time.toFixed(2), (ratios[n] as number).toFixed(2)]);
    console.log([operation, ...cells].join('\t'));
  }
  if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ sizes, rows }, undefined, 2)}\n`);
}

/** What a tenth of the times is below. */
function tenth(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)] as number;
}
