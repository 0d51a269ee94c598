/** Webhooks: what receivers are sent, while they are slow, fail, or are gone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ADMIN, sharedApp, type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { missing } from '../../../test/support/installed.ts';
import { organization, person } from '../../../test/support/people.ts';
import { openReceiver } from '../../../test/support/receiver.ts';
import { longTest, repeated, test } from '../../../test/support/tier.ts';
import { DAY } from '../../core/durations.ts';
import { parsedEvent, verifyPayload } from './libraries.ts';

const HOOK = '/-/c/webhooks/site';
const at = (type: string) => ({
  collections: { c: { backend: { type } } },
  tokens: { cur: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
});

type State = { state: string; reason: string | null; pending: number; secret: string };
type Deliveries = {
  items: { id: number; message: string; state: string; attempts: number; error: string }[];
};

async function ask<T>(
  { request }: TestService,
  method: string,
  url: string,
  json?: object,
  token = 'cur',
): Promise<T> {
  const answer = await request(method, url, { token, ...(json && { json }) });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<T>();
}

const put = (service: TestService, url: string, more: object = {}, hook = HOOK) =>
  ask<State>(service, 'PUT', hook, { url, ...more });
const store = (service: TestService, name: string, more: object = {}) =>
  ask(service, 'POST', '/c/curated/record/Person', person(name, more));
const deliveries = (service: TestService, hook = HOOK) =>
  ask<Deliveries>(service, 'GET', `${hook}/deliveries`);

type SocketReceiver = { readonly url: string; requests: number; readonly sockets: Set<Socket> };

/** A receiver that answers each request with bytes of its own. `answer` is given the number of the request on its connection. */
async function openSocketReceiver(
  t: Pick<TestContext, 'after'>,
  answer: (socket: Socket, nth: number) => void,
): Promise<SocketReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    let nth = 0;
    socket.on('data', (data) => {
      if (!data.includes('POST /')) return;
      receiver.requests++;
      answer(socket, ++nth);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: 0,
    sockets,
  };
  return receiver;
}

/** Writes pieces for as long as the other side reads them. */
function writeForever(socket: Socket, piece: string): void {
  while (socket.writable && socket.write(piece));
  if (socket.writable) socket.once('drain', () => writeForever(socket, piece));
}

function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 100);
  socket.on('close', () => clearInterval(timer));
}

/** What became of so many deliveries, when the last one is delivered. */
async function delivered(service: TestService, count: number, hook?: string): Promise<string[]> {
  const isDone = ({ items }: Deliveries) => items.length === count && items[0]?.state === 'delivered';
  const { items } = await eventually('the last delivery', () => deliveries(service, hook), isDone);
  return items.map(({ state, attempts, error }) => `${state} ${attempts} ${error}`);
}

/** A service without records, which the tests share. */
const emptyService = sharedApp(at('sqlite'));

async function withoutWebhooks(): Promise<TestService> {
  const service = await emptyService();
  const { items } = await ask<{ items: { name: string }[] }>(service, 'GET', '/-/c/webhooks');
  for (const { name } of items) await ask(service, 'DELETE', `/-/c/webhooks/${name}`);
  return service;
}

/** Reads a webhook until it is as expected. */
const until = (service: TestService, isDone: (state: State) => boolean, hook = HOOK) =>
  eventually('the state of the webhook', () => ask<State>(service, 'GET', hook), isDone);

for (const type of BACKENDS) {
  repeated(`${type}: a receiver is sent each change behind the webhook once, and in order`, async (t) => {
    const service = await testApp(t, at(type));
    const receiver = await openReceiver(t);
    await store(service, 'before');
    await put(service, receiver.url);
    await store(service, 'a');
    await store(service, 'a', { given_name: 'A' });
    await store(service, 'b');
    await service.request('DELETE', '/c/curated/record?pid=labid:b', { token: 'cur' });
    await receiver.until(4);
    const { items } = await ask<{ items: object[] }>(service, 'GET', '/-/c/curated/changes');
    const expected = items.slice(1).map((item) => {
      const { author: _, decision: __, etag: ___, ...notice } = item as Record<string, unknown>;
      return { ...notice, collection: 'c' };
    });
    const sent = receiver.received.map(({ body }) => JSON.parse(body) as { data: object; type: string });
    assert.deepEqual(
      sent.map(({ data }) => data),
      expected,
    );
    assert.deepEqual(
      sent.map(({ type: kind }) => kind),
      (expected as unknown as { kind: string }[]).map(({ kind }) => `record.${kind}`),
    );
    assert.equal((await until(service, ({ pending }) => pending === 0)).state, 'active');
    // What would be sent again would come before the next change.
    await store(service, 'last');
    await receiver.until(5);
    assert.equal(receiver.notices().at(-1)?.pid, 'labid:last');
    assert.equal(receiver.received.length, 5);
  });
}

test('a secret is returned once, and no response, delivery or log has it', async (t) => {
  const lines: string[] = [];
  const { pino } = await import('pino');
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const service = await testApp(t, at('sqlite'), { logger });
  const receiver = await openReceiver(t);
  const { secret } = await put(service, receiver.url);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal((await put(service, `${receiver.url}?other`)).secret, null);
  receiver.answers = 500;
  await store(service, 'a');
  await until(service, ({ state }) => state === 'failing');
  const texts = [];
  for (const url of ['/-/c/webhooks', HOOK, `${HOOK}/deliveries`])
    texts.push((await service.request('GET', url, { token: 'cur' })).text);
  for (const url of ['/-/status', '/-/metrics', '/-/history', '/collections', '/-/health'])
    texts.push((await service.request('GET', url, { token: ADMIN })).text);
  texts.push(...lines, ...receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)));
  const bytes = secret.slice('whsec_'.length);
  assert.deepEqual(
    texts.filter((text) => text.includes(bytes)),
    [],
  );
});

test('the library standardwebhooks verifies deliveries, also after a webhook was replaced', {
  skip: missing('standardwebhooks'),
}, async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  const { secret } = await put(service, receiver.url);
  await store(service, 'a');
  await receiver.until(1);
  await put(service, receiver.url, { format: 'cloudevents' });
  await store(service, 'b');
  await ask(service, 'POST', `${HOOK}/test`);
  await receiver.until(3);
  for (const one of receiver.received) assert.deepEqual(verifyPayload(secret, one), JSON.parse(one.body));
  const [first] = receiver.received;
  assert.throws(() => verifyPayload(`whsec_${'A'.repeat(44)}`, first!));
  assert.throws(() => verifyPayload(secret, { ...first!, body: `${first!.body} ` }));
});

test('kinds and classes restrict what is sent, and CloudEvents are sent if they are asked for', {
  skip: missing('cloudevents'),
}, async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  const config = { format: 'cloudevents', kinds: ['created', 'deleted'], classes: ['Person'] };
  await put(service, receiver.url, config);
  await ask(service, 'POST', '/c/curated/record/Organization', organization('o'));
  await store(service, 'a');
  await store(service, 'a', { given_name: 'A' });
  await service.request('DELETE', '/c/curated/record?pid=labid:a', { token: 'cur' });
  await receiver.until(2);
  const events = receiver.received.map((one) => {
    const event = parsedEvent(one);
    assert.ok(event.validate());
    assert.equal(event.id, one.headers['webhook-id']);
    return `${event.type} ${event.source} ${event.subject} ${event.data.pid}`;
  });
  assert.deepEqual(events, [
    'accession.record.created /c labid:a labid:a',
    'accession.record.deleted /c labid:a labid:a',
  ]);
});

for (const type of BACKENDS) {
  test(`${type}: a delivery that fails is sent again with the same id, before any later one, and less and less often`, async (t) => {
    const service = await testApp(t, at(type));
    const receiver = await openReceiver(t);
    let failures = 0;
    receiver.answers = () => (failures++ < 2 ? 503 : 204);
    await put(service, receiver.url);
    await store(service, 'a');
    await store(service, 'b');
    await receiver.until(4);
    assert.deepEqual(
      receiver.notices().map(({ pid }) => pid),
      ['labid:a', 'labid:a', 'labid:a', 'labid:b'],
    );
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids.slice(0, 3)).size, 1);
    await until(service, ({ pending, state }) => pending === 0 && state === 'active');
    const { items } = await deliveries(service);
    assert.deepEqual(
      items.map(({ state, attempts }) => `${state} ${attempts}`),
      ['delivered 1', 'delivered 3'],
    );
    receiver.answers = 410;
    await store(service, 'c');
    await until(service, ({ state }) => state === 'disabled');
    assert.equal(receiver.received.length, 5);
  });
}

longTest('a receiver is not sent to before the time that it asks for, up to a day', async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  receiver.answers = 503;
  const day = 86_400_000;
  const twoHours = 7_200_000;
  const rows: [asked: () => string, pause: number][] = [
    [() => '7200', twoHours],
    [() => new Date(Date.now() + twoHours).toUTCString(), twoHours],
    [() => '0', 0],
    [() => 'soon', 0],
    [() => '9999999', day],
  ];
  for (const [at, [asked, pause]] of rows.entries()) {
    const hook = `/-/c/webhooks/asks-${at}`;
    const begun = Date.now();
    const header = asked();
    receiver.headers = { 'retry-after': header };
    await put(service, receiver.url, {}, hook);
    await store(service, `asked-${at}`);
    await eventually(
      'an attempt',
      () => deliveries(service, hook),
      ({ items }) => (items[0]?.attempts ?? 0) > 0,
    );
    const [row] = await service.app.registry
      .collection('c')
      .database.tuples<[number]>('SELECT due FROM accession_webhook WHERE name = $1', [`asks-${at}`]);
    const due = row![0];
    // A date has no parts of seconds. Without a longer pause that is asked for, the service makes its own.
    assert.ok(due >= begun + pause - 1000, `${header}: ${due - begun}`);
    assert.ok(due <= Date.now() + pause + 10_000, `${header}: ${due - begun}`);
    await service.request('DELETE', hook, { token: 'cur' });
  }
});

test('a slow receiver delays no other webhook and no write', async (t) => {
  const service = await withoutWebhooks();
  const [slow, quick] = [await openReceiver(t), await openReceiver(t)];
  let release = () => {};
  const held = new Promise<number>((resolve) => {
    release = () => resolve(200);
  });
  slow.answers = () => held;
  await put(service, slow.url);
  await put(service, quick.url, {}, '/-/c/webhooks/quick');
  for (let n = 0; n < 20; n++) await store(service, `p${n}`);
  await quick.until(20);
  assert.equal(slow.received.length, 1);
  release();
  await slow.until(20);
  assert.deepEqual(slow.notices(), quick.notices());
});

test('a webhook is disabled by a 410, which health reports, and goes on from now when it is set again', async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  await put(service, receiver.url);
  receiver.answers = 410;
  await store(service, 'a');
  const gone = await until(service, ({ state }) => state === 'disabled');
  assert.equal(gone.reason, 'the receiver answered 410 (Gone)');
  assert.match(
    (await service.request('GET', '/-/health')).text,
    /1 webhook is disabled, see \/-\/c\/webhooks/,
  );
  await store(service, 'missed');
  receiver.answers = 200;
  assert.equal((await put(service, receiver.url)).state, 'active');
  await store(service, 'b');
  await receiver.until(2);
  assert.deepEqual(
    receiver.notices().map(({ pid }) => pid),
    ['labid:a', 'labid:b'],
  );
  assert.doesNotMatch((await service.request('GET', '/-/health')).text, /webhook/);
});

test('webhooks are deleted with their collection: a later one of its name does not have them', async (t) => {
  const service = await testApp(t, at('sqlite'));
  const receiver = await openReceiver(t);
  const read = () => service.request('GET', '/collections/c', { token: ADMIN });
  await put(service, receiver.url);
  await store(service, 'a');
  await receiver.until(1);
  const collection = (await read()).json<object>();
  assert.equal((await service.request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  const again = await service.request('POST', '/collections', {
    token: ADMIN,
    json: { ...collection, name: 'c' },
  });
  assert.equal(again.status, 201, again.text);
  assert.deepEqual((await ask<{ items: object[] }>(service, 'GET', '/-/c/webhooks')).items ?? [], []);
  const { secret } = await put(service, receiver.url);
  assert.match(secret, /^whsec_/);
});

/** A webhook whose first delivery was refused. */
async function failingWebhook(t: TestContext) {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  await put(service, receiver.url);
  receiver.answers = 500;
  await store(service, 'a');
  await until(service, ({ state }) => state === 'failing');
  return { service, database: service.app.registry.collection('c').database };
}

test('a webhook is disabled after five days without a delivery, also if a clock that was ahead has put the next one off', async (t) => {
  const { service, database } = await failingWebhook(t);
  const times = [Date.now() - 5 * DAY, Date.now() + 365 * DAY];
  await database.transact(
    async (draft) => void draft.run('UPDATE accession_webhook SET failing = $1, due = $2', times),
  );
  const { reason } = await until(service, ({ state }) => state === 'disabled');
  assert.equal(reason, 'deliveries have failed for 5 days');
});

longTest(
  'the clock of the instance that sends does not decide when a webhook is tried again or disabled',
  async (t) => {
    const { service, database } = await failingWebhook(t);
    const tryAgain = () =>
      database.transact(async (draft) => void draft.run('UPDATE accession_webhook SET due = 0'));
    const attempts = async () => (await deliveries(service)).items[0]!.attempts;
    const clock = Date.now;
    t.after(() => {
      Date.now = clock;
    });
    for (const shift of [6 * 24 * 3_600_000, -6 * 24 * 3_600_000]) {
      Date.now = () => clock() + shift;
      const before = await attempts();
      await tryAgain();
      await eventually('another attempt', async () => (await attempts()) > before);
      const { state, reason } = await ask<State>(service, 'GET', HOOK);
      assert.deepEqual([state, reason], ['failing', null]);
      const [row] = await database.tuples<[number]>('SELECT due FROM accession_webhook');
      assert.ok(Math.abs(row![0] - clock()) < 3_600_000, 'the next attempt is by the clock of the database');
    }
  },
);

test('redirects are not followed', async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  receiver.answers = 307;
  await put(service, receiver.url);
  assert.deepEqual(await ask(service, 'POST', `${HOOK}/test`), {
    delivered: false,
    status: 307,
    error: 'the receiver answers 307, and redirects are not followed',
  });
  assert.equal(receiver.received.length, 1);
});

test('hosts on this machine are refused unless they are allowed, also by name', async (t) => {
  const service = await testApp(t, at('sqlite'), { schemaHosts: [] });
  const receiver = await openReceiver(t);
  const { status, text } = await service.request('PUT', HOOK, { token: 'cur', json: { url: receiver.url } });
  assert.equal(status, 422);
  assert.match(text, /127\.0\.0\.1 is on the same machine/);
  await put(service, receiver.url.replace('127.0.0.1', 'localhost'));
  const outcome = await ask<{ error: string }>(service, 'POST', `${HOOK}/test`);
  assert.match(outcome.error, /localhost is on the same machine/);
  assert.equal(receiver.received.length, 0);
});

test('a test and a delivery are sent at once when they are asked for', async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  await put(service, receiver.url);
  const sent = { delivered: true, status: 200, error: null };
  assert.deepEqual(await ask(service, 'POST', `${HOOK}/test`), sent);
  assert.equal(JSON.parse(receiver.received[0]!.body).type, 'webhook.test');
  await store(service, 'a');
  await until(service, () => receiver.received.length === 2);
  const [{ id, message }] = (await deliveries(service)).items as [Deliveries['items'][0]];
  assert.deepEqual(await ask(service, 'POST', `${HOOK}/deliveries/${id}/redeliver`), sent);
  assert.equal(receiver.received[2]?.headers['webhook-id'], message);
  assert.equal(receiver.received[2]?.body, receiver.received[1]?.body);
});

test('unknown webhooks and deliveries, and webhooks that cannot be sent to, are refused', async (t: TestContext) => {
  const service = await withoutWebhooks();
  const receiver = await openReceiver(t);
  const refusal = async (method: string, url: string, json?: object) => {
    const answer = await service.request(method, url, { token: 'cur', ...(json && { json }) });
    return `${answer.status} ${answer.text}`;
  };
  for (const method of ['GET', 'DELETE'])
    assert.match(await refusal(method, HOOK), /^404 .*The collection 'c' has no webhook 'site'\./);
  assert.match(await refusal('GET', '/-/c/webhooks/%00/deliveries'), /^404 .*has no webhook/);
  assert.match(await refusal('PUT', '/-/c/webhooks/%00', { url: receiver.url }), /^422 .*expected 1 to 100/);
  for (const url of ['ftp://example.org/', 'https://user:pass@example.org/', 'x'.repeat(3000)])
    assert.match(await refusal('PUT', HOOK, { url }), /^422 .*"url"\]/);
  assert.match(await refusal('PUT', HOOK, { url: receiver.url, classes: ['Nothing'] }), /^422 .*no class/);
  await put(service, receiver.url);
  assert.match(await refusal('POST', `${HOOK}/deliveries/7/redeliver`), /^404 .*has no delivery/);
  assert.match(await refusal('POST', `${HOOK}/deliveries/x/redeliver`), /^422 .*expected a number/);
  for (let n = 1; n < 20; n++) await put(service, receiver.url, {}, `/-/c/webhooks/n${n}`);
  assert.match(await refusal('PUT', '/-/c/webhooks/more', { url: receiver.url }), /^422 .*20 webhooks/);
  assert.equal(await refusal('DELETE', HOOK), '200 null');
  assert.match(await refusal('GET', HOOK), /^404/);
});

test('a receiver that switches protocols holds neither its webhook nor the end of the service', async (t) => {
  const service = await testApp(t, at('sqlite'));
  const { url } = await openSocketReceiver(t, (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
  );
  await put(service, url);
  const { delivered, error } = await ask<{ delivered: boolean; error: string }>(
    service,
    'POST',
    `${HOOK}/test`,
  );
  assert.deepEqual([delivered, error], [false, 'the connection ended without a response']);
  await store(service, 'a');
  await until(service, ({ state }) => state === 'failing');
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
/** A member of gzip with 64 KiB of zeros, without its checksum. */
const GZIP = gzipSync(Buffer.alloc(65_536)).subarray(0, -8).toString('latin1');

/** Answers with the status 200 whose bodies are late, endless or broken. */
const ANSWERS: Record<string, (socket: Socket) => void> = {
  'a length that is not sent': (socket) => socket.write(`${OK}Content-Length: 2\r\n\r\n`),
  'no length, and a connection that stays open': (socket) => socket.write(`${OK}\r\nok`),
  'Connection: close, and a connection that stays open': (socket) =>
    socket.write(`${OK}Connection: close\r\n\r\nok`),
  'a byte now and then': (socket) => {
    socket.write(`${OK}\r\n`);
    drip(socket, 'x');
  },
  'bytes without an end': (socket) => {
    socket.write(`${OK}\r\n`);
    writeForever(socket, 'x'.repeat(4096));
  },
  'chunks without an end': (socket) => {
    socket.write(CHUNKED);
    writeForever(socket, '1;extension\r\nx\r\n'.repeat(100));
  },
  'no last chunk': (socket) => socket.write(`${CHUNKED}2\r\nok\r\n`),
  'a chunk that is not one': (socket) => socket.write(`${CHUNKED}zz\r\n`),
  'trailers now and then': (socket) => {
    socket.write(`${CHUNKED}2\r\nok\r\n0\r\n`);
    drip(socket, 'A: b\r\n');
  },
  'trailers without an end': (socket) => {
    socket.write(`${CHUNKED}0\r\n`);
    writeForever(socket, 'A: b\r\n'.repeat(100));
  },
  'compressed zeros without an end': (socket) => {
    socket.write(`${OK}Content-Encoding: gzip\r\n\r\n`, () => {
      socket.setDefaultEncoding('latin1');
      writeForever(socket, GZIP);
    });
  },
  'a body that breaks off': (socket) => socket.end(`${OK}Content-Length: 9\r\n\r\nok`),
  'a connection that is reset within the body': (socket) =>
    socket.write(`${OK}Content-Length: 9\r\n\r\nok`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
  'more than its length': (socket) => socket.write(`${OK}Content-Length: 2\r\n\r\nok and more`),
  'two responses': (socket) =>
    socket.write(`${OK}Content-Length: 0\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`),
  'a body of 204': (socket) => socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n'),
  'responses of 1xx before it': (socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n');
    setTimeout(() => socket.write(`${OK}\r\n`), 20);
  },
};

longTest(
  'the status of a response decides, and its body delays the next delivery by about a second at most',
  async (t) => {
    const service = await testApp(t, at('sqlite'));
    const receivers = new Map<string, SocketReceiver>();
    for (const [name, answer] of Object.entries(ANSWERS)) {
      const receiver = await openSocketReceiver(t, answer);
      receivers.set(name, receiver);
      await put(service, receiver.url, {}, `/-/c/webhooks/n${receivers.size}`);
    }
    await store(service, 'a');
    await store(service, 'b');
    for (const [index, [name, receiver]] of [...receivers].entries()) {
      const hook = `/-/c/webhooks/n${index + 1}`;
      const expected = ['delivered 1 null', 'delivered 1 null'];
      assert.deepEqual(await delivered(service, 2, hook), expected, name);
      assert.equal(receiver.requests, 2, name);
      const open = () => [...receiver.sockets].filter((socket) => socket.readyState === 'open').length;
      // A body that ended leaves a connection that is used again, and any other body none.
      await eventually(`the end of the connections of ${name}`, () => open() <= 1);
    }
  },
);

test('a status of failure decides, too, whatever its body is', async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openSocketReceiver(t, (socket) => {
    socket.write('HTTP/1.1 500 No\r\n\r\n');
    drip(socket, 'x');
  });
  await put(service, receiver.url);
  const outcome = await ask<object>(service, 'POST', `${HOOK}/test`);
  assert.deepEqual(outcome, { delivered: false, status: 500, error: 'the receiver answers 500' });
});

test('a receiver that ends connections which are kept open is sent the change once more, and does not fail', async (t) => {
  const service = await withoutWebhooks();
  const receiver = await openSocketReceiver(t, (socket, nth) => {
    if (nth === 1) socket.write(`${OK}Content-Length: 2\r\n\r\nok`);
    else socket.resetAndDestroy();
  });
  await put(service, receiver.url);
  for (const name of ['a', 'b', 'c']) await store(service, name);
  assert.deepEqual(await delivered(service, 3), Array(3).fill('delivered 1 null'));
});

test('a delivery whose status has come before the service stops is not sent again', async (t) => {
  const receiver = await openSocketReceiver(t, (socket) => socket.write(`${OK}Content-Length: 2\r\n\r\n`));
  const service = await testApp(t, at('sqlite'));
  await put(service, receiver.url);
  await store(service, 'a');
  await eventually('its request', () => receiver.requests === 1);
  await service.restart();
  assert.equal((await ask<State>(service, 'GET', HOOK)).pending, 0);
  assert.equal(receiver.requests, 1);
});

test('a delivery in progress says nothing about those of a later webhook of the same name', async (t) => {
  const service = await testApp(t, at('sqlite'));
  const [slow, next] = [await openReceiver(t), await openReceiver(t)];
  let release = (_: number) => {};
  slow.answers = () => new Promise<number>((resolve) => (release = resolve));
  await put(service, slow.url);
  await store(service, 'a');
  await slow.until(1);
  await ask(service, 'DELETE', HOOK);
  await put(service, next.url);
  await store(service, 'b');
  await eventually(
    'its delivery',
    () => deliveries(service),
    ({ items }) => items.length === 1,
  );
  release(200);
  await next.until(1);
  assert.equal(next.notices()[0]?.pid, 'labid:b');
  assert.equal((await until(service, ({ pending }) => pending === 0)).state, 'active');
});
