/** Who asks for what, from the headers alone: tokens, limits of bodies and of time, proxies, unknown parameters. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Bodies } from '../../src/core/http/bodies.ts';
import { row } from '../../src/core/http/endpoint.ts';
import { jsonAnswer } from '../../src/core/http/endpoints/schemas.ts';
import { enterAsUser } from '../../src/core/http/enter.ts';
import { replying } from '../../src/core/http/replying.ts';
import { objectOf, textSchema } from '../../src/core/shapes.ts';
import { ADMIN, sharedApp, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { NO_HOSTS } from '../support/hosts.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, rows: { backend: 'sqlite' } },
  tokens: { ann: { c: 'WRITE_COLLECTION', rows: 'WRITE_COLLECTION' }, cleo: { c: 'CURATOR' } },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

test('a token may be sent as Authorization: Bearer, and two different tokens are refused', async () => {
  const { request } = await emptyService();
  const read = (headers: Record<string, string>) => request('GET', '/c/curated/records/', { headers });
  assert.equal((await read({ authorization: 'Bearer cleo' })).status, 200);
  assert.equal((await read({ authorization: 'bearer cleo', 'x-service-token': 'cleo' })).status, 200);
  assert.equal((await read({ authorization: 'Bearer stranger' })).status, 401);
  assert.equal((await read({ authorization: 'Bearer cleo', 'x-service-token': 'ann' })).status, 400);
  assert.equal((await read({ authorization: 'Basic Y2xlbzo=' })).status, 401);
});

test('endpoints for users require a token, whatever the default token reads', async (t) => {
  const { request } = await testApp(
    t,
    {
      collections: { c: { default_token: 'guest' } },
      tokens: { guest: { c: 'READ_CURATED' }, ann: { c: 'WRITE_COLLECTION' }, none: { c: 'NOTHING' } },
    },
    {
      modules: [
        {
          name: 'names',
          endpoints: [
            row('GET', '/-/{collection}/name', 'name', {
              tag: 'Service',
              summary: 'The user',
              answers: { 200: jsonAnswer('The user.', objectOf({ user: textSchema })) },
              ...replying(enterAsUser, {}, ({ grant }) => ({ user: grant.userId })),
            }),
          ],
        },
      ],
    },
  );
  const ask = (token?: string) => request('GET', '/-/c/name', { ...(token && { token }) });
  for (const token of ['ann', 'none', 'guest'])
    assert.deepEqual((await ask(token)).json(), { user: `${token}@example.org` });
  assert.equal((await ask('stranger')).status, 401);
  const refused = await ask();
  assert.deepEqual([refused.status, refused.headers['accession-error']], [401, 'token_required']);
  assert.match(refused.text, /The request requires a token of the collection 'c', and has none\./);
});

test('a body is not read before it is known who asks', async () => {
  const { request } = await emptyService();
  const huge = 'x'.repeat(11 * 1024 * 1024);
  for (const [token, status] of [
    ['stranger', 401],
    [undefined, 401],
    ['ann', 413],
  ] as const) {
    const answer = await request('POST', '/c/record/Person', {
      token,
      body: huge,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, status, answer.text);
  }
  const refused = await request('POST', '/c/curated/record/Person', { token: 'ann', body: huge });
  assert.equal(refused.status, 403);
});

test('a compressed body is read, and its size is that of its content', async () => {
  const { request } = await emptyService();
  const send = (body: Buffer) =>
    request('POST', '/c/record/Person', {
      token: 'ann',
      body,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
  assert.equal((await send(gzipSync(JSON.stringify(person('ann'))))).status, 200);
  assert.equal((await send(gzipSync(' '.repeat(11 * 1024 * 1024)))).status, 413);
  assert.equal((await send(Buffer.from('not gzip'))).status, 400);
});

/** A request whose body arrives as the test writes it. */
function receiving() {
  const raw = new PassThrough();
  const response = new PassThrough();
  const headers: Record<string, string> = {};
  const request = { raw, body: raw, headers: {} } as never;
  const reply = { raw: response, header: (name: string, value: string) => (headers[name] = value) } as never;
  return { raw, response, headers, request, reply };
}

const limits = { inFlight: 1000, graceMilliseconds: 50, bytesPerSecond: 1_000_000 };

test('a body that arrives too slowly ends with request_timeout', async () => {
  const bodies = new Bodies(limits);
  const { raw, request, reply, headers } = receiving();
  raw.write('x');
  await assert.rejects(bodies.read(request, reply), { code: 'request_timeout' });
  assert.deepEqual([bodies.inFlight, headers], [0, { connection: 'close' }]);
});

test('bodies beyond what may be in flight are refused, and room is given back with the response', async () => {
  const bodies = new Bodies({ ...limits, graceMilliseconds: 60_000 });
  const first = receiving();
  first.raw.end('x'.repeat(900));
  assert.equal((await bodies.read(first.request, first.reply)).length, 900);
  const second = receiving();
  second.raw.end('x'.repeat(900));
  await assert.rejects(bodies.read(second.request, second.reply), { code: 'busy' });
  assert.equal(bodies.inFlight, 900);
  first.response.destroy();
  await once(first.response, 'close');
  assert.equal(bodies.inFlight, 0);
  const third = receiving();
  third.raw.end('x'.repeat(900));
  assert.equal((await bodies.read(third.request, third.reply)).length, 900);
});

test('a body that breaks off is refused, and takes no room', async () => {
  const bodies = new Bodies({ ...limits, graceMilliseconds: 60_000 });
  const { raw, request, reply } = receiving();
  raw.write('{');
  const read = bodies.read(request, reply);
  raw.destroy();
  await assert.rejects(read, { code: 'body_malformed' });
  assert.equal(bodies.inFlight, 0);
});

test('a request on an open connection is refused in the usual shape while the service stops', async (t) => {
  const { app } = await testApp(t, CONFIGURATION);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  const accepted: Socket[] = [];
  app.server.server.on('connection', (socket) => void accepted.push(socket));
  const arrived = (client: Socket) =>
    eventually('what was sent has arrived', () =>
      accepted.some(
        ({ remotePort, bytesRead }) => remotePort === client.localPort && bytesRead === client.bytesWritten,
      ),
    );
  const slow = connect(port, '127.0.0.1').setEncoding('utf8');
  // A request in flight keeps the service from being closed.
  slow.write(
    'POST /c/record/Person HTTP/1.1\r\nHost: a\r\nX-Service-Token: ann\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{',
  );
  const open = connect(port, '127.0.0.1').setEncoding('utf8');
  open.write('GET /-/health HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(open, 'data');
  open.write('GET /-/rea');
  // A connection without a request is closed at once.
  for (const client of [slow, open]) await arrived(client);
  const closed = app.server.close();
  open.write('dy HTTP/1.1\r\nHost: a\r\n\r\n');
  const [text] = await once(open, 'data');
  assert.match(text, /^HTTP\/1\.1 503 .*"detail":"The service is stopping\. Try again later\."/s);
  slow.end('}   ');
  open.destroy();
  await closed;
});

test('a byte order mark in a query parameter is a character', async () => {
  const { request } = await emptyService();
  const answer = await request('GET', '/c/records/p/?page=%EF%BB%BF1', { token: 'ann' });
  assert.equal(answer.status, 422);
  assert.match(answer.text, /'\ufeff1'/);
});

test('a protocol other than http and https in X-Forwarded-Proto does not reach a redirect', async () => {
  const { request } = await emptyService();
  const redirect = async (protocol: string) =>
    (await request('GET', '/c/records', { headers: { 'x-forwarded-proto': protocol } })).headers.location;
  assert.match((await redirect('javascript')) ?? '', /^http:/);
  assert.match((await redirect('https')) ?? '', /^https:/);
});

test('what is not a host does not reach redirects', async () => {
  const { request } = await emptyService();
  for (const name of NO_HOSTS)
    for (const header of ['host', 'x-forwarded-host']) {
      const { status, headers } = await request('GET', '/c/records', {
        token: 'cleo',
        headers: { [header]: name },
      });
      assert.deepEqual([status, headers['accession-error']], [400, 'request_malformed'], name);
    }
  for (const host of ['records.example.org:8443', '[::1]:8000', '10.0.0.1'])
    assert.equal(
      (await request('GET', '/c/records', { headers: { host } })).headers.location,
      `http://${host}/c/records/`,
    );
});

test('below a root path, the location of a created element has the path', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, { rootPath: '/records' });
  const json = { user_id: 'x', collections: {} };
  const put = await request('PUT', '/tokens/a%20b', { token: ADMIN, json });
  assert.deepEqual([put.status, put.headers.location], [201, '/records/tokens/a%20b']);
  const post = await request('POST', '/tokens', { token: ADMIN, json: { ...json, name: 'c' } });
  assert.deepEqual([post.status, post.headers.location], [201, '/records/tokens/c']);
});

test('unknown query parameters are refused by our own endpoints, and ignored by those of the specification', async () => {
  const { request } = await emptyService();
  for (const url of ['/-/health?x=1', '/-/c/export?match=%25', '/-/me?colection=c', '/-/c/classes?x=1']) {
    const { status, text } = await request('GET', url, { token: 'ann' });
    assert.equal(status, 422, `${url}: ${text}`);
    assert.match(text, /is unknown, expected/);
  }
  const many = Array.from({ length: 15_000 }, (_, at) => at.toString(36));
  const refused = await request('GET', `/-/c/search?${many.join('&')}`, { token: 'ann' });
  assert.match(refused.text, /"14899 more problems are not listed\."/);
  const body = Object.fromEntries(many.slice(0, 5000).map((name) => [name, 0]));
  const bad = await request('PUT', '/-/c/settings', { token: 'cleo', json: body });
  assert.match(bad.text, /more problems are not listed\./);
  for (const { text } of [refused, bad]) assert.ok(text.length < 50_000, `${text.length}`);
  assert.equal((await request('GET', '/c/records/?x=1', { token: 'ann' })).status, 200);
});

test('a name that is nearly a parameter of ours is refused, others and those of the peer are ignored', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const json = person('tidy');
  const post = (query: string) => request('POST', `/c/record/Person?${query}`, { token: 'ann', json });
  const refused = await post('batsh=autumn');
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /The query parameter 'batsh' is unknown\. Did you mean 'batch'\?/);
  assert.equal((await request('GET', '/c/record?pid=labid:tidy', { token: 'ann' })).text, 'null');
  for (const query of ['x=1', '_t=1', 'page=2', 'author_id=a', 'formt=ttl', 'utm_source=a'])
    assert.equal((await post(query)).status, 200, query);
  for (const query of ['if_unreferencd=true', 'if-unreferenced=true']) {
    const kept = await request('DELETE', `/c/record?pid=labid:tidy&${query}`, { token: 'ann' });
    assert.equal(kept.status, 422, kept.text);
    assert.match(kept.text, /Did you mean 'if_unreferenced'\?/);
  }
  const replaced = await request('PUT', '/collections/c?dry_rn=true', { token: ADMIN, json: {} });
  assert.match(replaced.text, /Did you mean 'dry_run'\?/);
});

test('a response that ignored matching says so, and an export refuses it', async () => {
  const { request } = await emptyService();
  for (const path of ['records/', 'records/p/', 'records/Person', 'records/p/Person']) {
    const ignored = async (collection: string, query: string) =>
      (await request('GET', `/${collection}/${path}${query}`, { token: 'ann' })).headers['accession-ignored'];
    assert.equal(await ignored('c', '?matching=a%25'), 'matching');
    assert.equal(await ignored('c', ''), undefined);
    assert.equal(await ignored('rows', '?matching=a%25'), undefined);
  }
  assert.equal((await request('GET', '/-/c/export?matching=a', { token: 'ann' })).status, 422);
  assert.equal((await request('GET', '/-/rows/export?matching=a', { token: 'ann' })).status, 200);
});

test('HEAD of the health endpoint is answered', async () => {
  const { request } = await emptyService();
  const answer = await request('HEAD', '/-/health');
  assert.deepEqual([answer.status, answer.text], [200, '']);
});

test('a path names a class by the last part of its URI, if no class has that name', async (t) => {
  const { request, app } = await testApp(t, {
    collections: { c: {} },
    tokens: { curator: { c: 'CURATOR' } },
  });
  const token = 'curator';
  // The description has paths of classes by name alone.
  const stored = await app.server.inject({
    method: 'POST',
    url: '/c/curated/record/CreativeWork',
    headers: { 'x-service-token': token, 'content-type': 'application/json' },
    payload: { pid: 'labid:p', title: 'On records' },
  });
  assert.equal(stored.statusCode, 200, stored.body);
  for (const name of ['CreativeWork', 'Publication']) {
    const list = await request('GET', `/c/curated/records/${name}`, { token });
    assert.equal(list.json<unknown[]>().length, 1);
  }
  assert.equal((await request('GET', '/c/curated/records/Nothing', { token })).status, 404);
  for (const path of [
    '/c/records/Persn',
    '/-/c/search?class=Persn',
    '/-/c/changes?class=Persn',
    '/-/c/classes/Persn',
  ]) {
    const { status, text } = await request('GET', path, { token });
    assert.deepEqual(
      [status, text.includes("has no class 'Persn'. Did you mean Person?")],
      [404, true],
      text,
    );
  }
});
