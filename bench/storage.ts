/**
 * What operations of an area cost as it grows, on both databases.
 *
 *     node bench/storage.ts [--sizes 1000,100000] [--database-url URL]
 *
 * Prints a table for each database: microseconds of an operation, and how many times as long it takes in the largest area.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { canonicalJson } from '#linkml/json.ts';
import type { Database } from '../src/core/storage/database.ts';
import { openPostgresqlDatabase } from '../src/core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../src/core/storage/sqlite/sqlite.ts';
import { type Change, linkLines, type RecordStore } from '../src/core/storage/store.ts';
import { recordOf } from './service/data.ts';

const { values: flags } = parseArgs({
  options: { sizes: { type: 'string', default: '1000,100000' }, 'database-url': { type: 'string' } },
});

const BY = { committer: 'bench', author: 'bench', role: 'service' } as const;
const BATCH = 2000;
/** How often each operation is repeated, by as many callers at a time. */
const REPEATED = 500;
const AT_ONCE = 8;

const iriOf = (pid: string) => pid.replace('labid:', 'https://example.org/laboratory/id/');

function put(number: number, note = ''): Change {
  const { className, record } = recordOf(number, note);
  const links = Object.entries(record).flatMap(([slot, value]) =>
    Array.isArray(value)
      ? value.map((pid, at) => ({ iri: iriOf(String(pid)), slot, path: `/${slot}/${at}` }))
      : [],
  );
  const { pid } = record;
  return { put: { pid, iri: iriOf(pid), className, json: canonicalJson(record), links: linkLines(links) } };
}

/** By name; `n` is different in each call. */
function operations(area: RecordStore, size: number): Record<string, (n: number) => Promise<unknown>> {
  const any = (n: number) => (n * 7919) % size;
  const iriAt = (n: number) => iriOf(recordOf(any(n)).record.pid);
  const page = (n: number) => ({ offset: any(n), limit: 50 });
  return {
    'get a record': (n) => area.get(iriAt(n)),
    'first page': () => area.list({}, { offset: 0, limit: 50 }),
    'any page': (n) => area.list({}, page(n)),
    'any page of a class': (n) => area.list({ classes: ['Person'] }, { ...page(n), offset: any(n) / 4 }),
    count: () => area.count({ classes: ['Person'] }),
    'search with one match': (n) =>
      area.list({ matching: `person-${String(any(n) * 3).padStart(7, '0')}@%` }, page(0)),
    'references to a record': (n) => area.links.to(iriAt(n), { offset: 0, limit: 50 }),
    'entries of a record': (n) => area.entries({ iris: [iriAt(n)], newestFirst: true, limit: 10 }),
    'store a record': (n) => area.write([put(size + n)], BY),
    'replace a record': (n) => area.write([put(any(n), `, ${n}`)], BY),
    'delete a record': (n) => area.write([{ delete: iriOf(recordOf(size + n).record.pid) }], BY),
  };
}

async function measure(database: Database, size: number): Promise<Map<string, number>> {
  const area = await database.area(`bench/${size}`);
  for (let first = await area.count({}); first < size; first += BATCH)
    await area.write(
      Array.from({ length: Math.min(BATCH, size - first) }, (_, at) => put(first + at)),
      BY,
    );
  const times = new Map<string, number>();
  for (const [name, run] of Object.entries(operations(area, size))) {
    let next = 0;
    const start = performance.now();
    const caller = async () => {
      while (next < REPEATED) await run(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    times.set(name, ((performance.now() - start) * 1000) / REPEATED);
  }
  return times;
}

async function report(name: string, database: Database): Promise<void> {
  const sizes = flags.sizes.split(',').map(Number);
  const columns: Map<string, number>[] = [];
  for (const size of sizes) columns.push(await measure(database, size));
  await database.close();
  console.log(`\n${name}\n\n| µs | ${sizes.join(' | ')} | growth |`);
  console.log(`|---|${sizes.map(() => '---').join('|')}|---|`);
  for (const operation of columns[0]!.keys()) {
    const times = columns.map((column) => column.get(operation)!);
    const growth = (times.at(-1)! / times[0]!).toFixed(2);
    console.log(`| ${operation} | ${times.map((time) => time.toFixed(0)).join(' | ')} | ${growth} |`);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'accession-bench-'));
try {
  await report('SQLite', await openSqliteDatabase(join(directory, 'accession.db')));
  const url = flags['database-url'];
  if (url) await report('PostgreSQL', await openPostgresqlDatabase(url));
} finally {
  rmSync(directory, { recursive: true });
}
