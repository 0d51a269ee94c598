/** The header `Accession-Error`: the code of every error response, for programs. */
import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { type ClientError, connect as connectClient } from '../../src/client/client.ts';
import { CORE_STATUSES } from '../../src/core/http/reply.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'guest' } },
  tokens: { guest: { c: 'READ_CURATED' }, ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } },
};

const ROWS: readonly [
  code: keyof typeof CORE_STATUSES,
  method: string,
  url: string,
  request?: { token?: string; json?: unknown; body?: string; headers?: Record<string, string> },
][] = [
  ['route_unknown', 'GET', '/-/nothing'],
  ['method_not_allowed', 'PUT', '/server'],
  ['collection_unknown', 'GET', '/nothing/records/'],
  ['class_unknown', 'GET', '/c/records/Nothing'],
  ['parameter_invalid', 'GET', '/c/records/p/?page=x'],
  ['token_refused', 'GET', '/c/records/', { token: 'stranger' }],
  ['permission_missing', 'POST', '/c/record/Person', { json: person('a') }],
  ['record_invalid', 'POST', '/c/record/Person', { token: 'ann', json: { pid: 'labid:a' } }],
  [
    'body_malformed',
    'POST',
    '/c/record/Person',
    { token: 'ann', body: '{', headers: { 'content-type': 'application/json' } },
  ],
  [
    'precondition_failed',
    'POST',
    '/c/record/Person',
    { token: 'ann', json: person('a'), headers: { 'if-match': '"x"' } },
  ],
  [
    'batch_refused',
    'POST',
    '/-/c/curated/records/Person?atomic=true',
    { token: 'cora', json: [{ pid: 'labid:a' }] },
  ],
  ['payload_invalid', 'POST', '/tokens', { token: ADMIN, json: { nothing: true } }],
];

test('every error response has its code, also for scripts of other origins, and no other has one', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, { origins: ['https://one.example'] });
  for (const [code, method, url, { headers, ...options } = {}] of ROWS) {
    const answer = await request(method, url, {
      ...options,
      headers: { origin: 'https://one.example', ...headers },
    });
    assert.deepEqual(
      [answer.headers['accession-error'], answer.status],
      [code, CORE_STATUSES[code]],
      `${method} ${url}: ${answer.text}`,
    );
    assert.match(answer.headers['access-control-expose-headers'] ?? '', /Accession-Error/);
  }
  for (const url of ['/server', '/c/records/', '/c/record?pid=labid:nothing', '/server/']) {
    const { status, headers } = await request('GET', url);
    assert.ok(status < 400);
    assert.equal(headers['accession-error'], undefined, url);
  }
});

test('a client that sends all of a body that is too large before it reads gets the refusal', async (t) => {
  const { app } = await testApp(t, CONFIGURATION);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const bytes = 30 * 2 ** 20;
  const head = `POST /c/record/Person HTTP/1.1\r\nHost: x\r\nX-Service-Token: ann\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${bytes}\r\n\r\n`);
  await new Promise<void>((sent, failed) => {
    socket.on('error', failed);
    socket.write(Buffer.alloc(bytes), () => sent());
  });
  let answer = '';
  for await (const part of socket) answer += part;
  assert.match(answer, /^HTTP\/1.1 413 [\s\S]*Accession-Error: body_too_large/i);
});

test('what the parser of HTTP refuses has a code, too, and the client library reads it', async (t) => {
  const { app } = await testApp(t, CONFIGURATION);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  const answerTo = async (text: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(text);
    let answer = '';
    for await (const part of socket) answer += part;
    return answer;
  };
  assert.match(
    await answerTo('nonsense\r\n\r\n'),
    /^HTTP\/1.1 40[05] [\s\S]*\r\nAccession-Error: (request_malformed|method_not_allowed)\r\n/,
  );
  const long = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`;
  assert.match(await answerTo(long), /^HTTP\/1.1 431 [\s\S]*\r\nAccession-Error: headers_too_large\r\n/);

  const client = connectClient({ url: `http://127.0.0.1:${port}`, token: 'ann' });
  const refusal = await client
    .collection('nothing')
    .get('labid:a')
    .then(
      () => undefined,
      (error: ClientError) => error,
    );
  assert.deepEqual([refusal?.status, refusal?.code, refusal?.type], [404, 'collection_unknown', undefined]);
});
