/**
 * What the peer's web form editor asks for, from the browser of another origin: the same statuses and the same CORS
 * headers as from the peer.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { canonicalJson, type JsonValue } from '#linkml/json.ts';
import { triples } from './exchange.ts';
import { findPeer } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { laboratory, makePlace, type Place, secretOf } from './world.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;
const ORIGIN = 'https://editor.example.org';
const WRITER = secretOf('WRITE_COLLECTION');

const services: Service[] = [];
const places: Place[] = [];

before(async () => {
  if (!('peer' in found)) return;
  for (const start of [startPeer.bind(undefined, found.peer), startAccession]) {
    const place = await makePlace(laboratory());
    places.push(place);
    services.push(await start(place.store, { config: place.config, arguments: ['--origins', ORIGIN] }));
  }
});

after(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(places.map((place) => place.remove()));
});

const NODE = `@prefix ex: <https://example.org/ns/> .
@prefix lab: <https://example.org/schemas/parity/> .
ex:edited a lab:Project ; <http://schema.org/name> "\\U0001f680 edited" ; lab:place _:b10_c14n0 .
_:b10_c14n0 a lab:Place ; lab:street "Main" .
`;

type Ask = {
  readonly point: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** All that the editor sends, in the order of a session: read, be refused, store, and read again. */
const SESSION: readonly Ask[] = [
  preflight('GET', '/sql/records/p/Project?format=ttl&size=100&page=1', 'content-type,x-dumpthings-token'),
  { point: 'first page', method: 'GET', path: '/sql/records/p/Project?format=ttl&size=100&page=1' },
  {
    point: 'search, not encoded',
    method: 'GET',
    path: '/sql/records/p/Project?format=ttl&matching=%25Lovel%%25&size=100&page=1',
  },
  { point: 'all of a class', method: 'GET', path: '/sql/records/Project?format=ttl' },
  { point: 'a record that is missing', method: 'GET', path: '/sql/record?pid=ex:edited&format=ttl' },
  {
    point: 'an unknown token',
    method: 'GET',
    path: '/sql/record?pid=ex:edited&format=ttl',
    headers: { 'x-dumpthings-token': 'wrong' },
  },
  { point: 'an unknown class', method: 'GET', path: '/sql/records/p/Unicorn?format=ttl&size=100&page=1' },
  preflight('POST', '/sql/record/Project?format=ttl', 'content-type,x-dumpthings-token'),
  {
    point: 'store without a token',
    method: 'POST',
    path: '/sql/record/Project?format=ttl',
    headers: { 'content-type': 'text/turtle' },
    body: NODE,
  },
  {
    point: 'store',
    method: 'POST',
    path: '/sql/record/Project?format=ttl',
    headers: { 'content-type': 'text/turtle', 'x-dumpthings-token': WRITER },
    body: NODE,
  },
  {
    point: 'the stored record',
    method: 'GET',
    path: '/sql/record?pid=ex:edited&format=ttl',
    headers: { 'x-dumpthings-token': WRITER },
  },
  {
    point: 'another origin',
    method: 'GET',
    path: '/sql/records/Project?format=ttl',
    headers: { origin: 'https://elsewhere.example.org' },
  },
];

for (const [i, ask] of SESSION.entries()) {
  test(`the editor gets the same: ${i + 1}. ${ask.point}`, { skip }, async () => {
    const [peer, ours] = await Promise.all(services.map(({ address }) => answerOf(address, ask)));
    assert.deepEqual(ours, peer);
  });
}

async function answerOf(address: string, { method, path, headers, body }: Ask): Promise<object> {
  const response = await fetch(address + path, {
    method,
    // Its GETs have a content type as well.
    headers: { origin: ORIGIN, 'content-type': 'text/turtle', ...headers },
    body,
  });
  const text = await response.text();
  const type = (response.headers.get('content-type') ?? '').split(';')[0];
  const cors = response.headers.get('access-control-allow-origin');
  if (method === 'OPTIONS') {
    const allowed = (name: string) => (response.headers.get(name) ?? '').toLowerCase().split(/, */);
    const wanted = (headers?.['access-control-request-headers'] ?? '').split(',');
    return {
      ok: response.ok,
      cors,
      method: allowed('access-control-allow-methods').includes(
        (headers?.['access-control-request-method'] ?? '').toLowerCase(),
      ),
      headers: wanted.every((name) => allowed('access-control-allow-headers').includes(name)),
    };
  }
  const content = type === 'text/turtle' ? triples(text) : response.ok ? documentsRemoved(text) : '';
  return { status: response.status, type, cors, content };
}

function documentsRemoved(json: string): string {
  return canonicalJson(JSON.parse(json.replaceAll(/"(@prefix(\\.|[^"\\])*)"/g, '"<document>"')) as JsonValue);
}

function preflight(method: string, path: string, headers: string): Ask {
  return {
    point: `preflight of a ${method}`,
    method: 'OPTIONS',
    path,
    headers: { 'access-control-request-method': method, 'access-control-request-headers': headers },
  };
}
