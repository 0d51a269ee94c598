/**
 * How the cost of a request grows with its size: for each row of the endpoint table, documents and parameters that are made
 * to be expensive, in growing sizes up to the limits. A new row is in it by itself; a new media type needs shapes. The test
 * prints a table of exponents, and fails if one is far above that of n log n in three rounds. The longest turn of the event loop and the memory
 * are printed, since both depend on what else the process does; `npm run stalls` measures them in a process of their own.
 *
 * All requests take three quarters of an hour, so a run has one in 56 of them, other ones each day. `ACCESSION_COST_FIRST`, which is
 * printed, repeats a run. `ACCESSION_COST_ROWS` is a pattern of rows that are measured whole, as `POST /-/{collection}/titles`; `.` has all.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changes, type Endpoint, type Json } from '../../src/core/http/endpoint.ts';
import { ADMIN, type TestService, testApp } from '../support/app.ts';
import { ENDPOINTS, pathOf } from '../support/endpoints.ts';
import { person } from '../support/people.ts';
import { costOf, exponentOf, isSteep, MOST_ROUNDS, type Point, sampled, sizesUpTo } from './measure.ts';
import { type Shape, shapesOf, TEXTS } from './shapes.ts';
import { type Schema, Values } from './values.ts';

const ROWS = process.env.ACCESSION_COST_ROWS;
/** No request takes longer. */
const MOST_CPU_MS = 15_000;
/** Longer turns are marked. */
const LONG_TURN_MS = 100;
/** Larger requests are not sent after one that took so long. */
const ENOUGH_CPU_MS = 4000;

const MIB = 2 ** 20;
const BODY_LIMIT = 10 * MIB;
/** What a URL may be long, without its path. */
const URL_LIMIT = 48 * 1024;

const CONFIGURATION = {
  collections: { c: { backend: { type: 'sqlite+stl' } } },
  tokens: { cur: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
};
type Sent = { readonly url: string; readonly body?: string | Buffer; readonly type?: string };
type Case = {
  readonly name: string;
  readonly most: number;
  readonly least: number;
  send(size: number): Sent;
};

/** As it is served. */
type Description = {
  readonly components: { readonly requestBodies: Readonly<Record<string, { readonly content: Json }>> };
};

/** The requests of a row, by size. */
function casesOf(endpoint: Endpoint, values: Values, description: Description): Case[] {
  const url = pathOf(endpoint);
  const query = Object.entries(endpoint.query ?? {});
  const required = query.filter(([, { required }]) => required).map(([name]) => `${name}=labid:p1`);
  const queryWith = (...more: string[]) => {
    const all = [...required, ...more];
    return all.length > 0 ? `?${all.join('&')}` : '';
  };
  const sized = (shape: Shape, send: (text: string) => string, of: string): Case => ({
    name: `${of} ${shape.name}`,
    most: URL_LIMIT,
    least: 768,
    send: (size) => ({ url: cut(send(encodeURIComponent(String(shape.make(size))))) }),
  });
  const parameters = query.flatMap(([name]) =>
    TEXTS.map((shape) => sized(shape, (text) => `${url}${queryWith(`${name}=${text}`)}`, name)),
  );
  const segments = [...endpoint.path.matchAll(/\{\+?(\w+)\}/g)].flatMap(([, name = '']) =>
    TEXTS.map((shape) =>
      sized(shape, (text) => pathOf(endpoint, { [name]: text }) + queryWith(), `{${name}}`),
    ),
  );
  return [...parameters, ...segments, ...bodiesOf(endpoint, values, description, url, queryWith)];
}

/** Escapes are three characters. */
function cut(url: string): string {
  return url.slice(0, URL_LIMIT).replace(/%.?$/, '');
}

function bodiesOf(
  { body }: Endpoint,
  values: Values,
  description: Description,
  url: string,
  queryWith: (...more: string[]) => string,
): Case[] {
  if (!body) return [];
  const { content, limit = BODY_LIMIT } = body === 'class' ? { content: classContent(description) } : body;
  return Object.entries(content).flatMap(([type, media]) =>
    shapesOf(type, (media as { schema: Schema }).schema ?? {}, values).map((shape): Case => {
      const format = type === 'text/turtle' ? ['format=ttl'] : [];
      const header = type === 'multipart/form-data' ? `${type}; boundary=b` : type;
      return {
        name: `${type} ${shape.name}`,
        most: limit * 0.95,
        least: 16 * 1024,
        send: (size) => ({ url: url + queryWith(...format), body: shape.make(size), type: header }),
      };
    }),
  );
}

/** The media types of an object of the class that is in the path. */
function classContent(description: Description): Json {
  const bodies = Object.entries(description.components.requestBodies);
  const [, found] = bodies.find(([name]) => name.endsWith('Person'))!;
  return found.content;
}

/** A service with records that parameters are looked for in: short ones, and a long one. */
async function served(t: Parameters<typeof testApp>[0]): Promise<TestService> {
  const service = await testApp(t, CONFIGURATION);
  const long = person('long', { description: 'ab '.repeat(300_000) });
  for (const json of [person('p1'), person('p2', { description: 'x' }), long])
    for (const [area, token] of [
      ['/curated', 'cur'],
      ['', 'ann'],
    ]) {
      const answer = await service.request('POST', `/c${area}/record/Person`, { token, json });
      assert.equal(answer.status, 200, answer.text.slice(0, 500));
    }
  return service;
}

type Growth = { readonly points: readonly Point[]; readonly status: number };

/** The least of several rounds, if the first ones are steep. */
async function growthOf(service: TestService, endpoint: Endpoint, one: Case): Promise<Growth> {
  let growth = await grow(service, endpoint, one);
  for (let round = 1; isFault(growth) && round < MOST_ROUNDS; round++) {
    const again = await grow(service, endpoint, one);
    const costs = new Map(again.points.map((point) => [point.size, point]));
    const points = growth.points.map((point) => {
      const other = costs.get(point.size);
      return other && other.cpu < point.cpu ? other : point;
    });
    growth = { points, status: again.status };
  }
  return growth;
}

function isFault({ points, status }: Growth): boolean {
  // A thread was ended if the status is 503.
  return points.at(-1)!.cpu > MOST_CPU_MS || status === 503 || isSteep(points);
}

async function grow(service: TestService, { method, token }: Endpoint, one: Case): Promise<Growth> {
  const points: Point[] = [];
  let status = 0;
  const [least = 0, ...others] = sizesUpTo(one.most, one.least);
  // The first request of a kind starts threads and compiles code: it is sent twice.
  for (const size of [least, least, ...others]) {
    const { url, body, type } = one.send(size);
    const headers: Record<string, string> = {
      'x-service-token': token === 'admin' ? ADMIN : 'cur',
      ...(type !== undefined && { 'content-type': type }),
    };
    const send = () =>
      service.app.server.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
    const { result, ...cost } = await costOf(send);
    status = result.statusCode;
    points.push({ ...cost, size });
    assert.ok(status < 500 || status === 503, `${one.name}: ${status} ${result.body.slice(0, 300)}`);
    if (points.length > 1 && cost.cpu > ENOUGH_CPU_MS) break;
  }
  return { points: points.slice(1), status };
}

const shown = (value: string | number, width: number) => String(value).padStart(width);

console.log('exponent  cpu ms  turn ms     MiB     size  status  request');
/** Counted over all rows, so that a row with few requests has its turn, too. */
const isMeasured = sampled(ROWS);
/** For all rows that change nothing: a service with its records takes longer than a request. */
const shared = await served({ after: (end) => after(end as () => Promise<void>) });
const description = (await shared.app.server.inject('/openapi.json')).json<Description>();

for (const endpoint of ENDPOINTS) {
  const row = `${endpoint.method} ${endpoint.path}`;
  if (ROWS !== undefined && !new RegExp(ROWS).test(row)) continue;
  const cases = casesOf(endpoint, new Values(description), description).filter(isMeasured);
  if (cases.length === 0) continue;
  test(row, async (t) => {
    const service = changes(endpoint) ? await served(t) : shared;
    const faults: string[] = [];
    for (const one of cases) {
      const growth = await growthOf(service, endpoint, one);
      const { points, status } = growth;
      const { size, cpu } = points.at(-1)!;
      const turn = Math.max(...points.map((point) => point.turn));
      const memory = Math.max(...points.map((point) => point.memory));
      const exponent = exponentOf(points);
      const text = [
        ...[shown(exponent?.toFixed(2) ?? '-', 8), shown(cpu.toFixed(0), 7), shown(turn.toFixed(0), 8)],
        ...[shown((memory / MIB).toFixed(0), 7), shown(size, 8), shown(status, 7), ` ${row} ${one.name}`],
      ].join(' ');
      const steep = isFault(growth);
      if (steep) faults.push(text);
      const mark = steep ? '!' : turn > LONG_TURN_MS ? '~' : ' ';
      if (mark !== ' ' || exponent !== undefined) console.log(mark + text);
    }
    assert.deepEqual(faults, []);
  });
}
