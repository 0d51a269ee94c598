/**
 * What reads cost as a collection grows: processor time, statements, the longest turn of the event loop and memory of each GET of the API
 * description, with each of its parameters, of searches, and of the most expensive searches that a reader can send.
 *
 *     npm run bench:scale -- [1000 20000] [--database-url URL] [--keep FOLDER] [--seed 1] [--only search --only links]
 *
 * Half of the records are projects with a text of 100 words, in which few words are common and most are rare, 30 % people and 20 %
 * publications. One organization in 200 has a tenth of the references. Nothing is remembered between requests. Prints a row for each request
 * that succeeds or is refused as too large, those that grow most first. A new endpoint is among them without a line here. With `--keep`,
 * stores are in the folder, one for each size, and the next run uses those that are complete: a million records take half an hour.
 * The processor time of a PostgreSQL server on this machine is counted, too.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { type App, openApp } from '../src/app.ts';
import { type RecordText, recordText } from '../src/core/records/record.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { openPostgresqlDatabase } from '../src/core/storage/postgresql/postgresql.ts';
import { type Cost, costOf } from '../test/cost/measure.ts';
import { ENDPOINTS, pathOf, readsOf } from '../test/support/endpoints.ts';
import { statementsOf } from '../test/support/statements.ts';
import { curate, SCHEMA, writeCuratedConfig } from './service/curated.ts';
import { secretOf } from './service/data.ts';
import { randomNumbers } from './service/load.ts';
import { idle, median, serverMilliseconds } from './service/processor.ts';
import { markdown } from './service/report.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'database-url': { type: 'string' },
    keep: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const SIZES = positionals.length > 0 ? positionals.map(Number) : [1_000, 20_000];

const ADMIN = 'bench';
const RUNS = 5;
/** Longer names of requests are cut, in characters. */
const LONGEST_NAME = 120;
/** A request that takes longer is sent once, in milliseconds. */
const LONG = 2_000;

/** Different words of all texts. */
const WORDS = 150_000;
const ORGANIZATIONS = 200;
const HUB = 'labid:organization-0';
const ZONE_RECORDS = 400;
/** A prime: a walk in steps of it meets each number below a power of ten once, so that records come in no order. */
const STEP = 611_953;

const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((first) => [...'aeiou'].map((second) => first + second));

/** The word with a rank: each has three or more letters. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** By Zipf's law: the word with rank n is as often as 1 / n. */
function textOf(random: () => number, words: number): string {
  return Array.from({ length: words }, () => wordOf(Math.floor(WORDS ** random()))).join(' ');
}

function dayOf(random: () => number): string {
  return new Date(Date.UTC(2000, 0, 1 + Math.floor(random() * 9000))).toISOString().slice(0, 10);
}

const pidOf = (kind: string, number: number) => `labid:${kind}-${String(number).padStart(7, '0')}`;

/** The record with a number, of a collection of some records. */
function recordWith(number: number, records: number, random: () => number) {
  const any = (kind: string, step: number, first: number) =>
    pidOf(kind, first + step * Math.floor((random() * records) / step));
  const organization = () =>
    random() < 0.1 ? HUB : `labid:organization-${Math.floor(random() * ORGANIZATIONS)}`;
  if (number < ORGANIZATIONS) {
    const record = {
      pid: `labid:organization-${number}`,
      name: textOf(random, 4),
      founded: 1900 + (number % 100),
    };
    return { className: 'Organization', record };
  }
  if (number % 2 === 0) {
    const participations = [
      { person: any('person', 10, 1), project_role: 'lead' },
      { person: any('person', 10, 3), project_role: ['researcher', 'student'][(number >> 1) % 2]! },
    ];
    const record = {
      ...{ pid: pidOf('project', number), name: textOf(random, 9), description: textOf(random, 100) },
      ...{
        started: dayOf(random),
        project_status: ['planned', 'running', 'completed', 'cancelled'][(number >> 1) % 4]!,
      },
      ...{ funders: [organization()], participations },
    };
    return { className: 'Project', record };
  }
  if ([1, 3, 5].includes(number % 10)) {
    const [given, family] = [textOf(random, 1), textOf(random, 1)];
    const record = {
      ...{ pid: pidOf('person', number), given_name: given, family_name: family, name: `${given} ${family}` },
      ...{ email: `${given}.${family}.${number}@example.org`, affiliations: [organization()] },
    };
    return { className: 'Person', record };
  }
  const record = {
    ...{ pid: pidOf('publication', number), title: textOf(random, 9), published: dayOf(random) },
    ...{
      doi: `10.5281/zenodo.${number}`,
      publication_kind: ['article', 'dataset'][(number >> 1) % 2]!,
      page_count: (number % 40) + 1,
    },
    ...{ authors: [any('person', 10, 1), any('person', 10, 3)], open_access: number % 4 === 1 },
  };
  return { className: 'Publication', record };
}

function* recordsOf(schema: Schema, size: number, random: () => number): Generator<RecordText> {
  for (let at = 0; at < size; at++) yield recordText(schema, recordWith((at * STEP) % size, size, random));
}

/** Values of query parameters: what costs most first. Others are sent as the tests do. */
function valuesOf(size: number): Readonly<Record<string, readonly string[]>> {
  const typical = pidOf('project', Math.floor(size / 4) * 2);
  return {
    pid: [HUB, typical],
    record: [typical],
    around_pid: [typical],
    label: ['writer'],
    class: ['Project'],
    page: [String(10 + Math.floor(size / 100))],
    offset: [String(10 + Math.floor(size / 20))],
    size: ['50'],
    limit: ['100'],
    matching: [`%${wordOf(WORDS - 1)}%`, `%${wordOf(100)}%`],
    q: [wordOf(1), wordOf(100), wordOf(20_000)],
    format: ['json', 'ttl'],
    sort: ['name', '-started'],
    facet: ['project_status'],
    slot: ['project_status', 'started', 'page_count'],
    expand: ['funders', '^funders(Project)'],
    fields: ['name'],
    since: ['0', String(10 + Math.floor(size / 4000))],
    at: [new Date().toISOString()],
    wait: ['0'],
  };
}

/** Searches with several parameters. */
const SEARCHES: readonly Readonly<Record<string, string>>[] = [
  { q: '10.5281/zenodo.777' },
  { q: '"10.5281/zenodo.777"' },
  { q: `${wordOf(10)} ${wordOf(30)}` },
  { q: `"${wordOf(3)} ${wordOf(4)}"` },
  { q: wordOf(100), highlight: 'true' },
  { q: wordOf(30), sort: 'name' },
  { q: wordOf(30), facet: 'project_status' },
  { q: `${wordOf(150_000)}x` },
  { 'started.from': '2010-03-01', 'started.to': '2010-03-07' },
  { 'started.from': '2010-03-01', 'started.to': '2010-03-07', sort: '-name' },
  { 'founded.from': '1950' },
  { funders: HUB },
  { affiliations: HUB, facet: 'class' },
  { project_status: 'running', sort: 'started' },
  { project_status: 'running', facet: 'started' },
  { 'description.contains': wordOf(5_000) },
  { 'description.contains': 'ba' },
  { 'name.contains': 'ba' },
  { 'email.filled': 'false' },
];

/** What costs most of each kind, up to its limit. */
function expensiveSearches(): URLSearchParams[] {
  const repeated = (name: string, values: readonly string[]) => values.map((value) => [name, value]);
  const common = Array.from({ length: 32 }, (_, at) => wordOf(at + 1));
  const beginnings = SYLLABLES.slice(0, 32).map((syllable, at) => `${syllable}${'bdfgklmn'[at % 8]}*`);
  const facets = [
    'name',
    'description',
    'started',
    'project_status',
    'funders',
    'participations',
    'title',
    'doi',
  ];
  const all = repeated('facet', [...facets, 'authors', 'email']);
  const queries: (readonly string[])[][] = [
    all,
    [...all, ['alternatives', 'true'], ['project_status', 'running'], ['funders', HUB]],
    [['q', wordOf(1)], ...all, ['sort', '-name'], ['highlight', 'true'], ['size', '100']],
    [['q', beginnings.join(' OR ')]],
    [
      ['q', beginnings.join(' OR ')],
      ['sort', 'name'],
      ['facet', 'name'],
    ],
    [['q', common.join(' ')]],
    [
      ['q', common.join(' OR ')],
      ['page', '300'],
      ['size', '100'],
      ['highlight', 'true'],
    ],
    [['q', `"${common.slice(0, 16).join(' ')}"`]],
    [
      [
        'q',
        common
          .slice(0, 8)
          .map((word, at) => `"${word} ${common[at + 8]}"`)
          .join(' OR '),
      ],
    ],
    [['q', common.map((word) => `-${word}`).join(' ')]],
    [
      ['q', 'ab'],
      ['count', '1000000'],
    ],
    [
      ['q', `${wordOf(1)} `],
      ['page', '500'],
      ['size', '100'],
      ['highlight', 'true'],
    ],
    [
      ['page', '500'],
      ['size', '100'],
      ['sort', '-description'],
    ],
    repeated(
      'funders',
      Array.from({ length: 32 }, (_, at) => `labid:organization-${at}`),
    ),
    repeated('description.contains', common),
    repeated(
      'name.contains',
      beginnings.map((one) => one.slice(0, 2)),
    ),
    Array.from({ length: 9 }, (_, at) => [`or${at + 1}.name.contains`, common[at]!]),
    ['name', 'description', 'started', 'email', 'title'].map((slot) => [`${slot}.filled`, 'false']),
    [['name.from', 'a'], ['name.to', 'z'], ['sort', 'started'], ...all],
  ];
  return queries.map((query) => new URLSearchParams(query as [string, string][]));
}

type Request = { readonly name: string; readonly url: string; readonly token: string };

function requests(size: number): Request[] {
  const values = valuesOf(size);
  const rows = ENDPOINTS.filter(({ method, path }) => method === 'GET' && path.includes('{collection}'));
  const described = rows.flatMap((endpoint) => {
    const token =
      endpoint.token === 'admin' ? ADMIN : secretOf(endpoint.area === 'user' ? 'writer' : 'curator');
    // Exports are whole areas, and take minutes with what their records refer to.
    const urls =
      endpoint.reads === 'export' ? [pathOf(endpoint, { label: 'writer' })] : readsOf(endpoint, values);
    return urls.map((url) => {
      const parameters = decodeURIComponent(url.split('?')[1] ?? '').replaceAll(
        /labid:project-\d+/g,
        'labid:project',
      );
      // These are of the size, and of now.
      const shown = parameters.replace(/\b(page|offset|since|at)=[^&]{2,}/, '$1=…');
      return { name: `${endpoint.path}${shown && `?${shown}`}`, url, token };
    });
  });
  const searches = [...SEARCHES.map((query) => new URLSearchParams(query)), ...expensiveSearches()].flatMap(
    (query) =>
      [
        ['/-/c', 'writer'],
        ['/-/c/curated', 'curator'],
      ].map(([path = '', token = '']) => {
        const url = `${path}/search?${query}`;
        return { name: decodeURIComponent(url), url, token: secretOf(token) };
      }),
  );
  const isAsked = (name: string) => flags.only.length === 0 || flags.only.some((one) => name.includes(one));
  return [...described, ...searches].filter(({ name }) => isAsked(name));
}

type RequestCost = Cost & { readonly statements: number; readonly status: number };

/** @param server a connection to the database, if that is on PostgreSQL */
async function costOfRequest(app: App, { url, token }: Request, server?: pg.Client): Promise<RequestCost> {
  /** Returns the status when all of the answer has come: those of a million records are too long for a string. */
  const send = async () => {
    const headers = { 'x-service-token': token };
    const answer = await app.server.inject({ method: 'GET', url, headers, payloadAsStream: true });
    for await (const _part of answer.stream());
    return answer.statusCode;
  };
  const runs: (Cost & { readonly result: number })[] = [];
  const ofServer: number[] = [];
  const cpuOf = ({ cpu }: Cost, at: number) => cpu + ofServer[at]!;
  let status = 0;
  for (let run = 0; run <= RUNS && (runs[0] ? cpuOf(runs[0], 0) : 0) < LONG; run++)
    ofServer.push(
      await serverMilliseconds(server, async () => {
        const counted = () =>
          statementsOf(async () => {
            status = await send();
          });
        runs.push(await costOf(counted));
      }),
    );
  // The first one compiles what it uses.
  const first = runs.length > 1 ? 1 : 0;
  const usual = (numberOf: (run: Cost, at: number) => number) => median(runs.map(numberOf).slice(first));
  return {
    cpu: usual(cpuOf),
    turn: usual(({ turn }) => turn),
    memory: usual(({ memory }) => memory),
    ...{ statements: runs.at(-1)!.result, status },
  };
}

/** Waits until the indexes have all changes, and nothing else is done in the background. */
async function isReady({ projector }: App): Promise<void> {
  do await idle();
  while (projector.list().some(({ behind }) => behind > 0));
}

/** Opens a service with the records, and makes them unless they are kept. */
async function openAt(size: number, root: string): Promise<App> {
  const databaseUrl = flags['database-url'];
  const random = randomNumbers(Number(flags.seed));
  const complete = join(root, 'complete');
  const options = {
    ...{
      store: root,
      configFile: writeCuratedConfig(root, { writer: 'WRITE_COLLECTION', curator: 'CURATOR' }),
    },
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...{ bootstrap: createHash('sha256').update(ADMIN).digest('hex'), version: '0.0.0-bench', memory: 1 },
    logger: pino({ level: 'silent' }),
  };
  if (existsSync(complete)) {
    const app = await openApp(options);
    await isReady(app);
    return app;
  }
  // Makes the tables and the areas.
  await (await openApp(options)).close();
  const records = recordsOf(await openSchema(SCHEMA), size, random);
  if (databaseUrl === undefined) await curate(root, records);
  else {
    const database = await openPostgresqlDatabase(databaseUrl);
    await curate(database, records);
    await database.close();
  }
  const app = await openApp(options);
  const people = Array.from(
    { length: ZONE_RECORDS },
    (_, at) => recordWith(10 * at + 201, size, random).record,
  );
  const headers = { 'x-service-token': secretOf('writer'), 'content-type': 'application/json' };
  const stored = await app.server.inject({
    method: 'POST',
    url: '/-/c/records/Person',
    headers,
    payload: people,
  });
  if (stored.statusCode !== 200) throw new Error(stored.body);
  await isReady(app);
  writeFileSync(complete, '');
  return app;
}

async function costsAt(size: number): Promise<Map<string, RequestCost>> {
  const { keep, 'database-url': databaseUrl } = flags;
  const root =
    keep === undefined ? mkdtempSync(join(tmpdir(), 'accession-bench-scale-')) : join(keep, String(size));
  mkdirSync(root, { recursive: true });
  try {
    const app = await openAt(size, root);
    const server = databaseUrl === undefined ? undefined : new pg.Client({ connectionString: databaseUrl });
    await server?.connect();
    const costs = new Map<string, RequestCost>();
    for (const request of requests(size)) {
      const cost = await costOfRequest(app, request, server);
      costs.set(request.name, cost);
      if (cost.cpu > LONG) process.stderr.write(`${request.name}: ${(cost.cpu / 1000).toFixed(1)} s\n`);
    }
    await server?.end();
    await app.close();
    return costs;
  } finally {
    if (keep === undefined) rmSync(root, { recursive: true });
  }
}

const columns: Map<string, RequestCost>[] = [];
for (const size of SIZES) {
  columns.push(await costsAt(size));
  process.stderr.write(`${size} records: ${columns.at(-1)!.size} requests\n`);
}
const isAnswered = ({ status }: RequestCost) => status < 300 || status === 413 || status >= 500;
const rows = [...columns[0]!.keys()].flatMap((name) => {
  const costs = columns.map((column) => column.get(name)!);
  return costs.some(isAnswered) ? [{ name, costs, growth: costs.at(-1)!.cpu / costs[0]!.cpu }] : [];
});
const head = SIZES.flatMap((size) => [
  ...[`${size.toLocaleString('en')} records, ms`, 'statements', 'longest turn, ms', 'memory, MB'],
]);
const lines = rows
  .sort((a, b) => b.growth - a.growth)
  .map(({ name, costs, growth }) => [
    `\`${name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name}\``,
    ...costs.flatMap(({ cpu, statements, turn, memory, status }) => [
      `${cpu < 10 ? cpu.toFixed(1) : cpu.toFixed(0)}${status < 300 ? '' : ` (${status})`}`,
      ...[String(statements), turn.toFixed(0), (memory / 1e6).toFixed(0)],
    ]),
    `${growth.toFixed(1)} ×`,
  ]);
console.log(markdown(['request', ...head, 'growth'], lines));
