/**
 * What PostgreSQL reads for searches: words and values by their indexes, and never the records of an area one by one. The statements
 * of each request are planned as the connections of the service plan them, for any values, and executed. Of a few records, the planner
 * takes any plan; so records are stored, and copied in the database.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { SILENT_LOG } from '../../src/core/storage/log.ts';
import { openPool, type Run } from '../../src/core/storage/postgresql/pool.ts';
import { docOf } from '../../src/core/storage/search/word-index.ts';
import { testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { databaseWithTables } from '../support/postgresql.ts';

type Statement = { readonly text: string; readonly values: readonly unknown[] };
/** The statements that read, by their texts. */
const sent = new Map<string, Statement>();
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
  const [{ text, values }] = parts as [Partial<Statement>];
  if (text && values && /^\s*(SELECT|WITH)\b.*\baccession_/s.test(text)) sent.set(text, { text, values });
  return (query as (...parts: unknown[]) => unknown).apply(this, parts);
} as typeof query;

const STORED = 100;
const COPIES = 99;
const RECORDS = STORED * (1 + COPIES);

/** A statement reads less than this part of the rows of a table or an index that has one for each record, or more. */
const MOST_READ = 1 / 3;

/** Pages of an index that a statement reads for few rows; for ten more rows, it reads one more. */
const FEW_PAGES = 20;

/** Indexes that have all that is read by them. */
const COVERING = ['accession_value_pkey', 'accession_record_order', 'accession_record_class'];

const pidOf = (at: number) => `labid:a${at}`;

/**
 * A tenth of the records have each of the words `tenth…`, and refer to each of ten records; each refers to one that is missing, too. All
 * have each of the words `each…`, a tenth of them in their title.
 */
function project(at: number) {
  const words = Array.from({ length: 60 }, (_, word) => `w${at}x${word}`);
  const common = Array.from({ length: 10 }, (_, number) => `each${number}`);
  return {
    ...{ pid: pidOf(at), name: `Project ${at % 50} on tenth${at % 10} each${at % 10}` },
    description: [...words, ...common].join(' '),
    ...{ started: new Date(Date.UTC(2010, 0, 1 + at)).toISOString().slice(0, 10) },
    ...{
      project_status: ['planned', 'running', 'completed', 'cancelled'][at % 4]!,
      funders: [pidOf(at % 10), `labid:p${at}`],
    },
  };
}

/** Requests, and the indexes by which their statements have to read words and values. */
const REQUESTS: readonly (readonly [url: string, words: boolean, values: boolean])[] = [
  ['curated/search?q=w7x1', true, false],
  ['curated/search?q="w7x1"', true, false],
  ['curated/search?q=tenth3', true, false],
  ['curated/search?q=tenth3+w3x2', true, false],
  ['curated/search?q="on+tenth3"', true, false],
  ['curated/search?q=tenth3&sort=name', true, true],
  ['curated/search?q=tenth3&facet=project_status', true, true],
  ['curated/search?q=tenth3&class=Project&started.from=2010-04-01', true, true],
  ['curated/search?q=tenth3&highlight=true', true, false],
  ['curated/search?q=nothing', true, false],
  ['curated/search?started.from=2010-03-01&started.to=2010-03-07', false, true],
  ['curated/search?started.from=2010-03-01&started.to=2010-03-07&sort=-name', false, true],
  ['curated/search?name=Project+1+on+tenth1+each1', false, true],
  ['curated/search?pid=labid:a7', false, true],
  ['curated/search?name.contains=tenth3', false, true],
  ['curated/search?funders=labid:a3', false, true],
  ['curated/search?project_status=running&sort=started', false, true],
  ['curated/search?project_status=running&sort=-started&page=5', false, true],
  ['curated/search?project_status=running&page=5', false, true],
  ['curated/search?project_status=running&class=Project', false, true],
  ['curated/search?project_status=running&funders=labid:a3', false, true],
  ['curated/search?funders=labid:a3&sort=-name', false, true],
  ['curated/search?class=Project&sort=started', false, true],
  ['curated/search?class=Project&facet=project_status', false, true],
  ['curated/search?sort=name', false, true],
  ['curated/search?sort=-started', false, true],
  ['curated/search?facet=project_status', false, true],
  ['curated/search?funders=labid:a3&facet=project_status', false, true],
  ['links?pid=labid:a3', false, false],
  ['dangling', false, false],
];

/** Words of all records: those that have them in their title alone are read and ranked. */
const COMMON = ['curated/search?q=each3', 'curated/search?q="each3"', 'curated/search?q=each3+each3*'];

test('PostgreSQL reads the indexes of words and values, and no statement of a search reads all records', async (t) => {
  const databaseUrl = await databaseWithTables();
  const service = await testApp(
    t,
    { collections: { c: { backend: { type: 'postgresql' } } }, tokens: { cur: { c: 'CURATOR' } } },
    { databaseUrl },
  );
  const projects = Array.from({ length: STORED }, (_, at) => project(at));
  const stored = await service.request('POST', '/-/c/curated/records/Project', {
    token: 'cur',
    json: projects,
  });
  assert.equal(stored.status, 200, stored.text);
  const { projector, registry } = service.app;
  await eventually('all indexes to have the records', () =>
    projector.list().every(({ behind }) => behind === 0),
  );
  await projector.stopAll();
  const { id } = registry.current().collections.get('c')!.curated.area;
  const pool = openPool(databaseUrl, { log: SILENT_LOG, statementTimeout: 0 });
  t.after(() => pool.close());
  for (const sql of copies(id)) await pool.run(sql);
  await service.restart();
  const faults: string[] = [];
  await pool.connected(async (run) => {
    const sizes = await run(`SELECT relname::text, reltuples FROM pg_class WHERE reltuples >= ${RECORDS}`);
    const growing = new Map(sizes.rows as [string, number][]);
    for (const [url, words, values] of REQUESTS) {
      sent.clear();
      const { status, text } = await service.request('GET', `/-/c/${url}`, { token: 'cur' });
      assert.equal(status, 200, `${url}: ${text}`);
      const indexes = new Set<string>();
      for (const statement of [...sent.values()])
        for (const { index, rows, pages, isCovered } of await scansOf(run, statement)) {
          indexes.add(index);
          if (COVERING.includes(index) && !isCovered)
            faults.push(`${url}: rows outside of ${index}: ${statement.text}`);
          if (pages > FEW_PAGES + rows / 10)
            faults.push(`${url}: ${pages} pages of ${index} for ${rows} rows: ${statement.text}`);
          if (rows > MOST_READ * (growing.get(index) ?? Number.POSITIVE_INFINITY))
            faults.push(`${url}: ${rows} rows of ${index}: ${statement.text}`);
        }
      if (indexes.has('accession_word_words') !== words) faults.push(`${url}: words by ${[...indexes]}`);
      if (indexes.has('accession_value_pkey') !== values) faults.push(`${url}: values by ${[...indexes]}`);
    }
    for (const url of COMMON) {
      sent.clear();
      const { status, text } = await service.request('GET', `/-/c/${url}`, { token: 'cur' });
      assert.deepEqual([status, JSON.parse(text).total], [200, RECORDS], url);
      const ranking = [...sent.values()].filter((statement) => statement.text.includes('ts_rank'));
      assert.equal(ranking.length, 1, url);
      for (const { index, rows } of await scansOf(run, ranking[0]!))
        if (rows > MOST_READ * RECORDS) faults.push(`${url}: ${rows} rows of ${index} are ranked`);
    }
  });
  assert.deepEqual(faults, []);
});

/** Copies the rows of the records in an area, and of their indexes. The blocks of the copies are behind those of the records. */
function copies(area: number): string[] {
  const renamed = (column: string, prefix: string) => `replace(${column}, '${prefix}a', '${prefix}' || name)`;
  const [pid, iri] = [renamed('pid', ':'), renamed('iri', '/')];
  const ofArea = `area = ${area}`;
  const inArea = `doc >= ${docOf({ id: area })}`;
  const rows = {
    record: `id + shift, area, ${iri}, ${pid}, class_name, revision + shift, policy, ${renamed('json', 'labid:')}`,
    entry: `area, revision + shift, ${iri}, ${pid}, class_name, deleted, time`,
    link: `id + 10 * shift, area, ${iri}, target, slot, path, policy`,
    block: `area, block + 1000 * k, ${renamed("('labid:a' || substr(start_pid, 8))", ':')}, ${renamed('start_iri', '/')},
      counts, revision + shift`,
    value: 'slot, number, value, record + shift, kind, first',
    doc: 'doc + shift, class_name, policy',
    word: 'doc + shift, words',
  };
  const conditions = {
    value: `slot IN (SELECT slot FROM accession_slot WHERE ${ofArea})`,
    doc: inArea,
    word: inArea,
  };
  return [
    ...Object.entries(rows).map(
      ([table, columns]) => `INSERT INTO accession_${table} SELECT ${columns} FROM accession_${table},
        (SELECT k, ${STORED} * k AS shift, 'c' || lpad(k::text, 3, '0') AS name FROM generate_series(1, ${COPIES}) k) copy
        WHERE ${(conditions as Readonly<Record<string, string>>)[table] ?? ofArea}`,
    ),
    // With another class, searches in one have to leave out rows of values.
    `INSERT INTO accession_kind (area, class_name, policy) VALUES (${area}, 'Person', '')`,
    `UPDATE accession_area SET records = ${RECORDS}, revision = ${RECORDS} WHERE ${ofArea}`,
    `UPDATE accession_cursor SET revision = ${RECORDS} WHERE ${ofArea} AND revision = ${STORED}`,
    // Also empties the list of what the index of words has to add, whose pages cost each search.
    'VACUUM ANALYZE',
  ];
}

/** A step of a plan that was executed. */
type Step = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Heap Fetches'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Step[];
};

/**
 * How many rows were read of an index, or of a table without one, in how many pages if only one range of an index was read, and whether
 * the index has all that was read.
 */
type Scan = {
  readonly index: string;
  readonly rows: number;
  readonly pages: number;
  readonly isCovered: boolean;
};

async function scansOf(run: Run, { text, values }: Statement): Promise<Scan[]> {
  await run(`PREPARE explained AS ${text}`);
  const parameters = values.length > 0 ? `(${values.map(literal)})` : '';
  const { rows } = await run(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained${parameters}`,
  );
  await run('DEALLOCATE explained');
  const [[[{ Plan }]]] = rows as [[[{ Plan: Step }]]];
  return scansIn(Plan);
}

const pagesOf = (step: Step) => step['Shared Hit Blocks'] + step['Shared Read Blocks'];

function scansIn(step: Step): Scan[] {
  const { Plans = [], 'Relation Name': table, 'Index Name': index = table } = step;
  const removed = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);
  const rows = step['Actual Loops'] * (step['Actual Rows'] + removed);
  const isCovered = step['Node Type'] === 'Index Only Scan';
  const isOneRange = isCovered && step['Heap Fetches'] === 0 && step['Actual Loops'] === 1;
  // Those of a step include those of the steps below it.
  const pages = isOneRange ? pagesOf(step) - Plans.reduce((sum, below) => sum + pagesOf(below), 0) : 0;
  return [...(index === undefined ? [] : [{ index, rows, pages, isCovered }]), ...Plans.flatMap(scansIn)];
}

/** A value of a statement in SQL. */
function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one))}}`);
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value));
}
