/** How the server executes every statement of a store, read from its plans. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { startPostgresql, type TestServer } from '../../../test/support/postgresql.ts';
import { all, BY, put, record, scanned } from '../contract/subject.ts';
import { SILENT_LOG } from '../log.ts';
import type { Change } from '../store.ts';
import { openArea } from './area.ts';
import { type Database, openPostgresql, type Run } from './database.ts';
import { openPostgresqlStore } from './store.ts';
import { completeTextIndex } from './text-index.ts';

let server: TestServer;
let database: Database;
before(async () => {
  server = await startPostgresql();
  database = await openPostgresql(await server.createDatabase(), { log: SILENT_LOG });
});
after(async () => {
  await database.close();
  await server.close();
});

const RECORDS = 20_000;
const pidOf = (n: number) => `ex:${String(n).padStart(6, '0')}`;
const iriOf = (n: number) => `https://example.org/${String(n).padStart(6, '0')}`;
/** Of a ledger row: one that few rows have, and one that many have. */
const keysOf = (n: number) => [`k${n % 500}`, ...(n % 5 === 0 ? ['many'] : [])];
const nameOf = (n: number) => `${(n * 7919).toString(36)} of ${(n * 104_729).toString(36)}`;

type Statement = { readonly sql: string; readonly values: readonly unknown[] };
type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};

const linked = (n: number, to = n + 1): Change => ({
  put: {
    ...record(pidOf(n), n % 50 ? 'Person' : 'Comet', { name: nameOf(n) }),
    links: [{ iri: iriOf(to), slot: 'next', path: '/next' }],
  },
});

test('no statement of a store reads more of the records than it returns, and a block', async () => {
  const statements = new Map<string, Statement>();
  const recorded: Database = {
    ...database,
    query: recording(database.query, statements),
    connected: (work) => database.connected((run) => work(recording(run, statements))),
    snapshot: (work) => database.snapshot((run) => work(recording(run, statements))),
  };
  const store = (await openPostgresqlStore(recorded, 'plans')).store;
  for (let from = 0; from < RECORDS; from += 2000) {
    const numbers = Array.from({ length: 2000 }, (_, i) => from + i);
    await store.write(
      numbers.map((n) => linked(n)),
      BY,
      numbers.map((n) => ({ set: { kind: 'decision', id: pidOf(n), keys: keysOf(n), json: '{}' } })),
    );
  }
  await completeTextIndex(await openArea(database, 'plans'));
  await database.query('ANALYZE');
  statements.clear();

  await store.get(iriOf(5));
  for (const offset of [0, 9900, RECORDS - 20]) {
    await store.list({}, { offset, limit: 20 });
    await store.list({ classes: ['Person'] }, { offset: Math.floor(offset / 2), limit: 20 });
    await store.list({ classes: ['Comet'] }, { offset: Math.floor(offset / 50), limit: 5 });
  }
  await store.count({ classes: ['Comet'] });
  await store.rank({}, pidOf(9000));
  await store.rank({ classes: ['Comet'] }, pidOf(9000));
  await store.present([iriOf(1), iriOf(2)]);
  await store.changesSince(RECORDS - 10, 10);
  for await (const _ of store.scan({})) break;
  for await (const _ of store.scan({ classes: ['Comet'] })) break;
  await store.entries({ limit: 10 });
  await store.entries({ limit: 10, newestFirst: true, before: 500 });
  await store.entries({ limit: 10, iris: [iriOf(1), iriOf(2)] });
  await store.entries({ limit: 10, author: BY.author });
  await store.ledger.get('decision', pidOf(7));
  await store.ledger.list({ kind: 'decision', after: pidOf(9000), limit: 10 });
  await store.ledger.list({ kind: 'decision', keys: ['k7'], limit: 10 });
  await store.ledger.list({ kind: 'decision', keys: ['many'], after: pidOf(15_000), limit: 10 });
  await store.ledger.list({
    ...{ kind: 'decision', keys: ['many'], after: pidOf(500), before: pidOf(600) },
    ...{ newestFirst: true, limit: 10 },
  });
  assert.deepEqual(
    (await all(store, { matching: `%${nameOf(777)}` })).map(({ pid }) => pid),
    [pidOf(777)],
  );
  assert.deepEqual(
    (await scanned(store, { words: nameOf(777).split(' ') })).map(({ pid }) => pid),
    [pidOf(777)],
  );
  await store.links.from(iriOf(5));
  await store.links.to(iriOf(5), { offset: 0, limit: 10 });
  await store.links.countTo(iriOf(5));
  await store.links.position();
  await store.links.dangling();
  const [last] = await store.changesSince(RECORDS - 1, 1);
  assert.ok(last?.kind === 'put');
  const { iri, revision } = last.record;
  await store.links.fill([{ iri, revision, links: [] }], { key: 'k', revision });
  await store.write([linked(8, 5), linked(9, 9), { delete: iriOf(10), unreferenced: true }, linked(10)], BY);
  await store.write([put(pidOf(3)), { delete: iriOf(4) }, put('ex:new')], BY, [
    { set: { kind: 'decision', id: pidOf(7), keys: ['new'], json: '{}' }, expect: 'present' },
  ]);
  await store.close();

  assert.ok(statements.size > 25, `${statements.size} statements`);
  for (const statement of statements.values()) {
    for (const plan of await plansOf(statement)) {
      const relation = plan['Relation Name'];
      if (!relation || !/^accession_(record|entry|folded|ledger|link)/.test(relation)) continue;
      const {
        'Actual Loops': loops = 0,
        'Actual Rows': kept = 0,
        'Rows Removed by Filter': removed = 0,
      } = plan;
      const rows = loops * (kept + removed);
      const text = `${plan['Node Type']} reads ${rows} rows: ${statement.sql}`;
      assert.notEqual(plan['Node Type'], 'Seq Scan', text);
      assert.ok(rows <= 1600, text);
    }
  }
});

test('records and entries are found by their keys while the planner takes their tables for empty ones', async () => {
  const empty = await openPostgresql(await server.createDatabase(), { log: SILENT_LOG });
  try {
    await empty.query('VACUUM ANALYZE accession_record, accession_entry, accession_tombstone');
    await empty.connected(async (run) => {
      for (const [table, key] of [
        ['accession_record', 'iri_key'],
        ['accession_tombstone', 'iri_key'],
        ['accession_entry', 'revision'],
      ]) {
        await run(`PREPARE by_key AS SELECT 1 FROM ${table} WHERE area = $1 AND ${key} = $2`);
        const rows = await run<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE by_key (1, '1')`);
        assert.match(rows[0]?.['QUERY PLAN'] ?? '', new RegExp(`${table}_pkey`));
        await run('DEALLOCATE by_key');
      }
    });
  } finally {
    await empty.close();
  }
});

test('a scan reads every record once', async () => {
  const store = (await openPostgresqlStore(database, 'plans')).store;
  assert.equal((await scanned(store)).length, RECORDS);
  await store.close();
});

function recording(run: Run, statements: Map<string, Statement>): Run {
  return (sql, values, options) => {
    if (values && /^\s*\(?(SELECT|INSERT|UPDATE|DELETE|DECLARE)/.test(sql))
      statements.set(sql, { sql, values });
    return run(sql, values, options);
  };
}

/** All nodes of the plan by which the server executes a statement as it prepares it; its effect is rolled back. */
async function plansOf({ sql, values }: Statement): Promise<Plan[]> {
  const isCursor = sql.startsWith('DECLARE');
  const text = sql.replace(/^DECLARE .*? FOR /, '');
  return database.connected(async (run) => {
    await run('BEGIN');
    try {
      if (isCursor) await run('SET LOCAL enable_bitmapscan = on');
      if (isCursor) await run('SET LOCAL plan_cache_mode = force_custom_plan');
      await run(`PREPARE explained AS ${text}`);
      const parameters = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
      const [row] = await run<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        // A change is not made again, so its plan has no numbers of rows.
        `EXPLAIN (FORMAT JSON ${/^\s*\(?(SELECT|DECLARE)/.test(sql) ? ', ANALYZE' : ''}) EXECUTE explained ${parameters}`,
      );
      return (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => nodes(Plan));
    } finally {
      await run('ROLLBACK');
      await run('DEALLOCATE explained');
    }
  });
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (!Array.isArray(value)) return pg.escapeLiteral(String(value));
  const items = value.map((item) => (item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`));
  return pg.escapeLiteral(`{${items.join(',')}}`);
}
