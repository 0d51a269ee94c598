/**
 * How the cost of a request grows with what a service has beside records: collections, tokens, zones, classes, values of an enum, terms of
 * a vocabulary, and depth of hierarchies. For each of them, services of two sizes get the same requests: writes, and GETs of the endpoint
 * table, of which a run has one in {@link SHARES}, other ones each day. A new row is in it by itself. Prints a table of exponents, as
 * `endpoints.long.test.ts` does, whose variables apply.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { missingTerms } from '../../src/core/collections/terms.ts';
import { ADMIN, type TestConfiguration, type TestService, testApp } from '../support/app.ts';
import { ENDPOINTS, urlOf } from '../support/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { costOf, exponentOf, isSteep, MOST_ROUNDS, type Point, sampled } from './measure.ts';

const ROWS = process.env.ACCESSION_COST_ROWS;
const SHARES = 8;
/**
 * Shorter times count as this long, in milliseconds. With sizes that differ by a factor of eight, 400 ms of the larger service, which is the least that matters,
 * are then found if they grow with the square.
 */
const LEAST_CPU_MS = 12;

/** A request, with a number that no other one has. */
type Sent = {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly token: string;
  readonly url: string;
  /** @param set the collection `c` as it is configured */
  json?(serial: number, set: object): object;
};

type Dimension = {
  /** Both services are made in a second or two. */
  readonly sizes: readonly [small: number, large: number];
  readonly skip?: string | false;
  open(t: TestContext, size: number): Promise<TestService>;
  /** What the requests of its own store. */
  readonly values?: Readonly<Record<string, (size: number) => object>>;
};

const TOKENS = { cur: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } };
const upTo = (size: number) => Array.from({ length: size }, (_, at) => at);
const linesOf = (size: number, line: (at: number) => string) => upTo(size).map(line).join('');

/** A schema whose class `Person` has the attributes that are given, beside others. */
const schemaWith = ({ attributes = '', classes = '', enums = '' }) => `
id: https://example.org/grown
name: grown
prefixes: { labid: 'https://example.org/id/', linkml: 'https://w3id.org/linkml/', ex: 'https://example.org/' }
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
  Person:
    attributes:
      pid: { identifier: true, range: uriorcurie }
      name: {}
${attributes}${classes}${enums}`;

/** A service whose collection has a schema, in a store directory with further files. */
async function openWith(t: TestContext, schema: string, others: object = {}, files: object = {}) {
  const store = mkdtempSync(join(tmpdir(), 'accession-grown-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ 'schema.yaml': schema, ...files }))
    writeFileSync(join(store, name), text);
  const c = { schema: join(store, 'schema.yaml'), ...others };
  return openGrown(t, { collections: { c }, tokens: TOKENS }, store);
}

async function openGrown(t: TestContext, configuration: TestConfiguration, store?: string) {
  const service = await testApp(t, configuration, store === undefined ? {} : { store });
  const missing = () => [...service.app.registry.current().collections.values()].flatMap(missingTerms);
  await eventually('all vocabularies', () => missing().length === 0);
  return service;
}

const ENUM = '      kind: { range: Kind, multivalued: true }\n';
const TERM = '      term: { range: Term }\n';
const REACHABLE =
  "enums:\n  Term: { reachable_from: { source_ontology: terms, source_nodes: ['ex:0'], include_self: true } }\n";
const withTerms = (t: TestContext, size: number, parent: (at: number) => string) =>
  openWith(
    t,
    schemaWith({ attributes: TERM, enums: REACHABLE }),
    { vocabularies: { terms: { source: 'terms.csv' } } },
    { 'terms.csv': `id,label,parents\n${linesOf(size, (at) => `ex:${at},term ${at},${parent(at)}\n`)}` },
  );
const lastTerm = {
  'a term': (size: number) => ({ term: `ex:${size - 1}` }),
  'an unknown term': (size: number) => ({ term: `ex:${size}` }),
};

const DIMENSIONS: Readonly<Record<string, Dimension>> = {
  collections: {
    sizes: [40, 320],
    open: (t, size) =>
      openGrown(t, {
        collections: Object.fromEntries([['c', {}], ...upTo(size).map((at) => [`c${at}`, {}])]),
        tokens: { ...TOKENS, all: Object.fromEntries(upTo(size).map((at) => [`c${at}`, 'CURATOR'])) },
      }),
  },
  tokens: {
    sizes: [500, 4000],
    open: (t, size) =>
      openGrown(t, {
        collections: { c: {} },
        tokens: { ...TOKENS, ...Object.fromEntries(upTo(size).map((at) => [`t${at}`, TOKENS.ann])) },
      }),
  },
  zones: {
    sizes: [40, 320],
    async open(t, size) {
      const tokens = Object.fromEntries(upTo(size).map((at) => [`z${at}`, TOKENS.ann]));
      const service = await openGrown(t, { collections: { c: {} }, tokens: { ...TOKENS, ...tokens } });
      for (const token of Object.keys(tokens)) {
        const json = { pid: `labid:of-${token}`, name: 'x', family_name: 'x' };
        assert.equal((await service.request('POST', '/c/record/Person', { token, json })).status, 200);
      }
      return service;
    },
  },
  classes: {
    sizes: [60, 480],
    open: (t, size) =>
      openWith(
        t,
        schemaWith({
          classes: linesOf(size, (at) => `  C${at}: { is_a: Person, attributes: { s${at}: {} } }\n`),
        }),
      ),
    values: { 'an unknown slot': () => ({ s: 'x' }) },
  },
  'depth of classes': {
    sizes: [12, 96],
    open: (t, size) =>
      openWith(
        t,
        schemaWith({
          classes: linesOf(
            size,
            (at) => `  C${at}: { is_a: ${at === 0 ? 'Person' : `C${at - 1}`}, attributes: { s${at}: {} } }\n`,
          ),
        }),
      ),
  },
  'values of an enum': {
    sizes: [1000, 8000],
    open: (t, size) =>
      openWith(
        t,
        schemaWith({
          attributes: ENUM,
          enums: `enums:\n  Kind:\n    permissible_values:\n${linesOf(size, (at) => `      a kind of things with the number ${at}:\n`)}`,
        }),
      ),
    values: {
      'a value': () => ({ kind: ['a kind of things with the number 1'] }),
      'wrong values': () => ({ kind: upTo(100).map((at) => `a kind of thinks with the number ${at}`) }),
    },
  },
  terms: {
    sizes: [1000, 8000],
    skip: lacks('vocabularies'),
    open: (t, size) => withTerms(t, size, (at) => (at === 0 ? '' : 'ex:0')),
    values: lastTerm,
  },
  'depth of terms': {
    sizes: [100, 800],
    skip: lacks('vocabularies'),
    open: (t, size) => withTerms(t, size, (at) => (at === 0 ? '' : `ex:${at - 1}`)),
    values: lastTerm,
  },
};

/** The same for services of all sizes, but for the values. */
function requestsOf(size: number, { values = {} }: Dimension): Sent[] {
  const url = '/c/record/Person';
  const stored: NonNullable<Dimension['values']> = { 'a record': () => ({}), ...values };
  const stores = Object.entries(stored).map(
    ([name, make]): Sent => ({
      name: `POST ${url} with ${name}`,
      method: 'POST',
      token: 'ann',
      url,
      json: (serial) => ({ pid: `labid:n${serial}`, name: 'x', ...make(size) }),
    }),
  );
  const edit = (name: string, url: string, json: Sent['json']): Sent => ({
    name,
    method: 'PUT',
    token: ADMIN,
    url,
    json: json!,
  });
  const edits = [
    edit('PUT /tokens', '/tokens', (serial) => ({
      name: 'edited',
      user_id: `u${serial}`,
      collections: {},
      hashed: false,
    })),
    edit('PUT /collections of one that is there', '/collections', (serial, set) => ({
      ...set,
      name: 'c',
      ignore_classes: serial % 2 === 0 ? [] : ['Person'],
    })),
    edit('PUT /collections of a new one', '/collections', (serial, set) => ({
      ...set,
      name: `new${serial}`,
      curated: `new${serial}/curated`,
      incoming: `new${serial}/incoming`,
    })),
  ];
  const reads = ENDPOINTS.filter(({ method }) => method === 'GET').map((endpoint): Sent => {
    const token = endpoint.token === 'admin' ? ADMIN : 'cur';
    return { name: `GET ${endpoint.path}`, method: 'GET', token, url: urlOf(endpoint) };
  });
  return [...stores, ...edits, ...reads];
}

let serial = 0;

async function pointOf(service: TestService, { method, token, url, json }: Sent, size: number) {
  const { c: set = {} } = service.app.registry.current().configuration.collections;
  const options = { token, ...(json && { json: json(serial++, set) }) };
  const { result, ...cost } = await costOf(() => service.request(method, url, options));
  assert.ok(result.status < 500 || result.status === 503, `${method} ${url}: ${result.text.slice(0, 300)}`);
  return { ...cost, cpu: Math.max(cost.cpu, LEAST_CPU_MS), size };
}

/** The least of some rounds at each size: the first request of a kind compiles code. */
async function pointsOf(
  services: readonly TestService[],
  requests: readonly Sent[],
  sizes: readonly number[],
) {
  const points: Point[] = [];
  for (const [at, service] of services.entries()) {
    const rounds = [
      await pointOf(service, requests[at]!, sizes[at]!),
      await pointOf(service, requests[at]!, sizes[at]!),
    ];
    points.push(rounds.reduce((a, b) => (b.cpu < a.cpu ? b : a)));
  }
  return points;
}

const isMeasured = sampled(ROWS, SHARES);

for (const [name, dimension] of Object.entries(DIMENSIONS))
  test(name, { skip: dimension.skip ?? false }, async (t) => {
    const { sizes } = dimension;
    const services = [await dimension.open(t, sizes[0]), await dimension.open(t, sizes[1])];
    const [small, large] = sizes.map((size) => requestsOf(size, dimension));
    const faults: string[] = [];
    for (const [at, request] of large!.entries()) {
      if (ROWS !== undefined && !new RegExp(ROWS).test(request.name)) continue;
      if (request.method === 'GET' && !isMeasured()) continue;
      const pair = [small![at]!, request];
      let points = await pointsOf(services, pair, sizes);
      for (let round = 1; isSteep(points, LEAST_CPU_MS) && round < MOST_ROUNDS; round++) {
        const again = await pointsOf(services, pair, sizes);
        points = points.map((point, i) => (again[i]!.cpu < point.cpu ? again[i]! : point));
      }
      const exponent = exponentOf(points, LEAST_CPU_MS);
      const cpu = points.map((point) => point.cpu.toFixed(0)).join(' → ');
      const text = `${exponent?.toFixed(2) ?? '-'} ${cpu} ms at ${sizes.join(' → ')} ${name}: ${request.name}`;
      if (isSteep(points, LEAST_CPU_MS)) faults.push(text);
      if (points.at(-1)!.cpu > LEAST_CPU_MS) console.log(text);
    }
    assert.deepEqual(faults, []);
  });
