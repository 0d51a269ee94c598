/** The service as a whole: information, maintenance, redirects, methods, headers, origins (specification 2.3, 2.4, 3, 4.4, 5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { answersHead } from '../../src/core/http/endpoint.ts';
import { ADMIN, LABORATORY, sharedApp, testApp } from '../support/app.ts';
import { ENDPOINTS, pathOf, urlOf } from '../support/endpoints.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'reader' }, d: {} },
  tokens: {
    ann: { c: 'WRITE_COLLECTION' },
    reader: { c: 'READ_COLLECTION' },
    curator: { c: 'CURATOR' },
    other: { d: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

test('GET /server returns the version of the interface, and name, schema and classes of each collection', async () => {
  const { request } = await emptyService();
  const answer = await request('GET', '/server');
  const { version, collections, ...rest } = answer.json<{
    version: string;
    collections: { name: string; schema: string; classes: string[] }[];
  }>();
  assert.deepEqual(rest, {});
  assert.equal(version, '6.3.3');
  assert.deepEqual(
    collections.map(({ name }) => name),
    ['c', 'd'],
  );
  for (const { schema, classes, ...rest } of collections) {
    assert.deepEqual(Object.keys(rest), ['name']);
    assert.equal(schema, LABORATORY);
    assert.deepEqual([...classes].sort(), [
      'Agent',
      'Instrument',
      'Organization',
      'Person',
      'Project',
      'Publication',
      'Thing',
    ]);
  }
});

test('the root redirects to the documentation', async () => {
  const { request } = await emptyService();
  const root = await request('GET', '/');
  assert.deepEqual([root.status, root.headers.location], [307, '/docs']);
  const docs = await request('GET', '/docs');
  assert.equal(docs.status, 200);
  assert.match(docs.headers['content-type'] ?? '', /^text\/html/);
  assert.equal((await request('GET', '/redoc')).text, docs.text);
  for (const url of ['/docs', '/redoc', '/openapi.json']) {
    const [whole, head] = [await request('GET', url), await request('HEAD', url)];
    assert.deepEqual([whole.status, head.status, head.text], [200, 200, ''], url);
    assert.equal(head.headers['content-type'], whole.headers['content-type'], url);
    assert.equal((await request('POST', url)).headers.allow, 'GET, HEAD', url);
  }
});

test('HEAD is answered wherever GET is and writes nothing, as GET without the body, and makes no stream', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: { cur: { c: 'CURATOR' } } });
  const { request } = service;
  await request('POST', '/c/curated/record/Person', { token: 'cur', json: person('a') });
  const reads = ENDPOINTS.filter((one) => answersHead(one) && one.path.includes('{collection}'));
  for (const url of reads.map((endpoint) => urlOf(endpoint))) {
    const [get, head] = [
      await request('GET', url, { token: 'cur' }),
      await request('HEAD', url, { token: 'cur' }),
    ];
    assert.deepEqual([head.status, head.text], [get.status, ''], url);
    const { headers } = head;
    for (const name of ['content-type', 'etag', 'accession-revision', 'accession-error'])
      assert.equal(headers[name], get.headers[name], `${url}: ${name}`);
    if (headers['content-length'] !== undefined)
      assert.equal(headers['content-length'], get.headers['content-length'], url);
  }
  const events = { token: 'cur', headers: { accept: 'text/event-stream' } };
  const { status, headers } = await request('HEAD', '/-/c/changes', events);
  assert.deepEqual([status, headers['content-type']], [200, 'text/event-stream']);
});

test('HEAD of a GET that writes is refused, so no look at its address executes it', async () => {
  const { request } = await emptyService();
  const writing = ENDPOINTS.filter(({ method, writes }) => method === 'GET' && writes);
  assert.ok(writing.some(({ id }) => id === 'reload_policies'));
  for (const url of writing.map((endpoint) => urlOf(endpoint))) {
    const { status, headers } = await request('HEAD', url);
    assert.deepEqual([status, headers.allow], [405, 'GET'], url);
  }
});

test('the description is read again only when it has changed, compressed or not', async () => {
  const { request } = await emptyService();
  for (const coding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': coding };
    const { etag = '' } = (await request('GET', '/openapi.json', { headers })).headers;
    const again = await request('GET', '/openapi.json', { headers: { ...headers, 'if-none-match': etag } });
    assert.deepEqual([again.status, again.headers.etag], [304, etag], coding);
  }
});

test('content codings of responses and requests are negotiated by weights, names and what is excluded', async () => {
  const { request } = await emptyService();
  const rows: [accepted: string, coding: string | undefined][] = [
    ['gzip;q=0, *', 'br'],
    ['br;q=0, gzip;q=0, *', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.4, br;q=0.3', 'gzip'],
    ['identity;q=0.5, gzip;q=0.4', undefined],
    ['X-GZIP', 'gzip'],
    ['*;q=0', undefined],
  ];
  for (const [accepted, coding] of rows) {
    const { headers } = await request('GET', '/openapi.json', { headers: { 'accept-encoding': accepted } });
    assert.equal(headers['content-encoding'], coding, accepted);
    assert.match(headers.vary ?? '', /accept-encoding/, accepted);
  }
  const json = gzipSync(JSON.stringify(person('coded')));
  for (const [coding, status] of [
    ['X-GZip', 200],
    ['GZIP', 200],
    ['compress', 400],
  ] as const) {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const answer = await request('POST', '/c/validate/record/Person', { token: 'ann', body: json, headers });
    assert.equal(answer.status, status, `${coding}: ${answer.text}`);
  }
});

test('health reports the release of the program, readiness the open collections', async () => {
  const { request } = await emptyService();
  const { status, version } = (await request('GET', '/-/health')).json<{ status: string; version: string }>();
  assert.deepEqual({ status, version }, { status: 'ok', version: '0.0.0-test' });
  assert.deepEqual((await request('GET', '/-/ready')).json(), { status: 'ready', collections: 2 });
});

test('health reports what the cache of pages uses of what it may use', async () => {
  const { request } = await emptyService();
  type Health = { cache: { used: number; limit: number } };
  const cache = async () => (await request('GET', '/-/health')).json<Health>().cache;
  const before = await cache();
  assert.equal(before.used, 0);
  await request('GET', '/c/records/p/', { token: 'reader' });
  const { used, limit } = await cache();
  assert.ok(used > 0 && used <= limit, `${used} of ${limit}`);
});

test('only curators of the collection switch maintenance mode, also twice in a row, and it survives a restart', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const maintenance = (active: unknown, token?: string, collection: unknown = 'c') =>
    service.request('POST', '/maintenance', { token, json: { collection, active } });
  const read = async (token?: string) => (await service.request('GET', '/c/records/', { token })).status;
  assert.equal((await maintenance(true)).status, 400, 'without a token');
  assert.equal((await maintenance(true, 'ann')).status, 400, 'without curation rights');
  assert.equal((await maintenance(true, 'other')).status, 401, 'with curation rights elsewhere');
  assert.equal((await maintenance(true, 'stranger')).status, 401);
  assert.equal((await maintenance(true, 'curator', 'nothing')).status, 404);
  assert.equal((await maintenance('soon', 'curator')).status, 422);
  assert.equal((await maintenance(true, 'curator', 7)).status, 422);
  assert.equal(await read('ann'), 200, 'nothing of this has switched it on');
  for (const active of [true, true]) {
    const answer = await maintenance(active, 'curator');
    assert.deepEqual([answer.status, answer.text], [200, 'null']);
  }
  await service.restart();
  assert.deepEqual(
    [await read('ann'), await read(), await read('stranger'), await read('curator')],
    [503, 503, 401, 200],
  );
  const store = await service.request('POST', '/c/record/Person', { token: 'ann', json: person('a') });
  assert.equal(store.status, 503);
  assert.equal((await service.request('GET', '/server')).status, 200);
  for (const active of [false, false]) assert.equal((await maintenance(active, 'curator')).status, 200);
  assert.deepEqual([await read('ann'), await read()], [200, 200]);
});

test('a missing collection is reported before the token is checked', async () => {
  const { request } = await emptyService();
  // Only administrators learn what there is for them alone.
  const rows = ENDPOINTS.filter(({ path, need }) => path.includes('{collection}') && need !== 'admin');
  assert.ok(rows.length > 50);
  for (const token of [undefined, 'ann', 'stranger']) {
    for (const endpoint of rows) {
      const { method } = endpoint;
      const url = pathOf(endpoint, { collection: 'x' });
      const answer = await request(method, url, { token, ...(method !== 'GET' && { json: {} }) });
      assert.equal(answer.status, 404, `${method} ${url}: ${answer.text}`);
      assert.match(answer.text, /The collection 'x' does not exist/);
    }
  }
});

test('the refusal of an unknown token has the reason of each source', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  for (const token of ['stranger', 'other']) {
    const answer = await request('GET', '/c/records/', { token });
    assert.equal(answer.status, 401);
    assert.match(
      answer.json<{ detail: string }>().detail,
      /^The collection 'c' does not accept the token \(config: /,
    );
  }
  const admin = await request('GET', '/c/records/', { token: ADMIN });
  assert.equal(admin.status, 401);
  assert.match(admin.text, /The token is an admin token, which permits administration only/);
  const me = await request('GET', '/-/me', { token: 'stranger' });
  assert.match(me.text, /The token is not valid: no collection accepts it/);
  const none = await request('GET', '/d/records/');
  assert.equal(none.status, 401);
  assert.match(none.text, /collection 'd' needs a token/);
});

test('the header of the peer is accepted; two different tokens are refused; an empty one is ignored', async () => {
  const { request } = await emptyService();
  const status = async (headers: Record<string, string>) =>
    (
      await request('POST', '/c/record/Person', {
        json: person('a'),
        headers: { 'content-type': 'application/json', ...headers },
      })
    ).status;
  assert.equal(await status({ 'x-dumpthings-token': 'ann' }), 200);
  assert.equal(await status({ 'X-DumpThings-Token': 'ann', 'X-Service-Token': 'ann' }), 200);
  assert.equal(await status({ 'x-dumpthings-token': 'ann', 'x-service-token': 'curator' }), 400);
  assert.equal(await status({ 'x-dumpthings-token': 'ann', 'x-service-token': '' }), 200, 'one is empty');
  assert.equal(await status({ 'x-service-token': '' }), 403, 'the default token can not write');
});

test('an extra or missing slash is redirected to the right URL', async () => {
  const { request } = await emptyService();
  const rows: [string, string][] = [
    ['/c/records', '/c/records/'],
    ['/c/records?format=ttl&x=%20', '/c/records/?format=ttl&x=%20'],
    ['/server/', '/server'],
    ['/c/record/?pid=labid:a', '/c/record?pid=labid:a'],
    ['/c/records/Person/', '/c/records/Person'],
    ['/c/curated/records', '/c/curated/records/'],
    ['/c/incoming', '/c/incoming/'],
    ['/c/incoming/ann/records', '/c/incoming/ann/records/'],
    ['/docs/', '/docs'],
    ['/collections/', '/collections'],
    ['/collections/c/', '/collections/c'],
    ['/tokens/ann/', '/tokens/ann'],
  ];
  for (const [from, to] of rows) {
    const answer = await request('GET', from, { headers: { host: 'records.example' } });
    assert.deepEqual([answer.status, answer.headers.location], [307, `http://records.example${to}`], from);
  }
  assert.equal((await request('POST', '/c/record/Person/', { json: {} })).status, 307);
  assert.equal((await request('GET', '/c/records/p', { token: 'ann' })).status, 404, 'p is a class here');
});

test('an unsupported method returns 405 and the supported methods', async () => {
  const { request } = await emptyService();
  const rows: [string, string, string][] = [
    ['PUT', '/c/record', 'DELETE, GET, HEAD'],
    ['GET', '/c/record/Person', 'POST'],
    ['POST', '/c/records/', 'GET, HEAD'],
    ['HEAD', '/c/record/Person', 'POST'],
    ['OPTIONS', '/server', 'GET, HEAD'],
    ['PATCH', '/tokens/x', 'DELETE, GET, HEAD, PUT'],
    ['PROPFIND', '/c/records/', 'GET, HEAD'],
    // `-/c` is not the name of a collection.
    ['GET', '/-/c/records/', 'DELETE, POST'],
    ['OPTIONS', '/-/c/history/record', 'GET, HEAD'],
    // Neither is `c/validate` or `c/curated`.
    ['DELETE', '/-/c/validate/records/', 'POST'],
    ['OPTIONS', '/-/c/curated/validate/records/Person', 'POST'],
  ];
  for (const [method, path, allow] of rows) {
    const answer = await request(method, path);
    assert.deepEqual([answer.status, answer.headers.allow], [405, allow], `${method} ${path}`);
  }
  for (const path of [
    '/c/nothing',
    '/c',
    '/c/',
    '/-/nothing',
    '/c/record/Person/x',
    '/%',
    '/c/records/%zz',
  ]) {
    const answer = await request('GET', path, { token: 'ann' });
    assert.equal(answer.status, 404, path);
    assert.ok(answer.json<{ detail: string }>().detail);
  }
});

test('every response forbids browsers to guess its media type', async () => {
  const { request } = await emptyService();
  for (const path of [
    '/server',
    '/docs',
    '/-/health',
    '/c/record?pid=labid:none',
    '/c/nothing',
    '/server/',
  ]) {
    const { headers } = await request('GET', path, { token: 'ann' });
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
  }
});

test('every response to an allowed origin has the CORS headers, errors included; responses to others do not', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, { origins: ['https://desk.example'] });
  for (const [path, status] of [
    ['/c/records/', 200],
    ['/x/records/', 404],
    ['/c/curated/records/', 401],
    ['/nothing', 404],
    ['/c/records', 307],
  ] as const) {
    const allowed = await request('GET', path, { headers: { origin: 'https://desk.example' } });
    assert.equal(allowed.status, status);
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://desk.example');
    assert.equal(allowed.headers['access-control-allow-credentials'], 'true');
    assert.match(String(allowed.headers.vary), /^Origin,/);
    const other = await request('GET', path, { headers: { origin: 'https://evil.example' } });
    assert.equal(other.status, status);
    assert.equal(other.headers['access-control-allow-origin'], undefined);
  }
  const { vary } = (await request('GET', '/server')).headers;
  assert.match(String(vary), /^Origin,/, 'a cache has to know without an origin, too');
});

test('if every origin is allowed, none is reflected together with credentials', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, { origins: ['*'] });
  const answer = await request('GET', '/server', { headers: { origin: 'https://any.example' } });
  assert.equal(answer.headers['access-control-allow-origin'], '*');
  assert.equal(answer.headers['access-control-allow-credentials'], undefined);
});

test('preflights of allowed origins get 200 with what they request, others get 400', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, {
    origins: ['https://desk.example', 'https://two.example'],
  });
  const preflight = (origin: string, path = '/c/record/Person') =>
    request('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-service-token, content-type',
      },
    });
  for (const path of ['/c/record/Person', '/c/records/', '/nothing/at/all']) {
    const allowed = await preflight('https://two.example', path);
    assert.deepEqual([allowed.status, allowed.text], [200, 'OK']);
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://two.example');
    assert.match(allowed.headers['access-control-allow-methods'] ?? '', /DELETE.*GET.*POST/);
    assert.equal(allowed.headers['access-control-allow-headers'], 'x-service-token, content-type');
    assert.equal(allowed.headers['access-control-max-age'], '600');
  }
  const refused = await preflight('https://evil.example');
  assert.deepEqual([refused.status, refused.text], [400, 'the origin is not allowed']);
  assert.equal(refused.headers['access-control-allow-origin'], undefined);
});

test('below the path of a proxy, redirects keep that path', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, { rootPath: '/api/v1' });
  assert.equal((await request('GET', '/')).headers.location, '/api/v1/docs');
  const { servers } = (await request('GET', '/openapi.json')).json<{ servers: { url: string }[] }>();
  assert.deepEqual(
    servers.map(({ url }) => url),
    ['/api/v1'],
  );
  assert.equal((await request('GET', '/c/records/')).status, 200);
});

test('addresses may be long: a pid of thousands of characters is found, a class of as many is unknown', async (t) => {
  const { app, request } = await testApp(t, CONFIGURATION);
  const long = 'x'.repeat(20_000);
  const stored = await request('POST', '/c/record/Person', { token: 'ann', json: person(long) });
  assert.equal(stored.status, 200, stored.text);
  const address = await app.server.listen({ host: '127.0.0.1', port: 0 });
  const read = await fetch(`${address}/c/record?pid=labid:${long}`, {
    headers: { 'x-service-token': 'ann' },
  });
  assert.equal(((await read.json()) as { pid: string }).pid, `labid:${long}`);
  assert.equal((await fetch(`${address}/c/records/${long}`)).status, 404);
});
