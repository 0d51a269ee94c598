/** Clients that read or send slowly, or ask for too much at once: others are answered. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Bodies } from '../../src/core/http/bodies.ts';
import { Admission } from '../../src/core/work/admission.ts';
import { type TestService, testApp } from '../support/app.ts';
import { longTest, test } from '../support/tier.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'anyone' } },
  tokens: { anyone: { c: 'READ_CURATED' }, ann: { c: 'WRITE_COLLECTION' }, bob: { c: 'CURATOR' } },
};

async function listening(t: TestContext, limits: object) {
  const service = await testApp(t, CONFIGURATION, { limits });
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  const open = async (...lines: string[]): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(`${[...lines, 'Host: x'].join('\r\n')}\r\n\r\n`);
    return socket;
  };
  return { service, open };
}

/** Stores records until a response with all of them does not fit into the buffers of a connection. */
async function fill({ request }: TestService): Promise<void> {
  const description = 'd'.repeat(8_000_000);
  for (let n = 0; n < 2; n++) {
    const json = { pid: `lab:${n}`, name: 'N', family_name: description };
    const answer = await request('POST', '/c/curated/record/Person', { token: 'bob', json });
    assert.equal(answer.status, 200, answer.text);
  }
}

test('one client gets an eighth of the places, and others get the rest', () => {
  const admission = new Admission(16);
  const turns: string[] = [];
  const enter = (client: string) => admission.enter(() => turns.push(client), client);
  const ends = ['a', 'a', 'a', 'a', 'b'].map(enter);
  assert.deepEqual(turns, ['a', 'a', 'b']);
  ends[4]?.();
  assert.deepEqual(turns, ['a', 'a', 'b']);
  ends[0]?.();
  assert.deepEqual(turns, ['a', 'a', 'b', 'a']);
  for (const end of ends.slice(1, 4)) end();
  assert.equal(admission.inProgress, 0);
});

/** A request of a client whose body is written to `raw`. */
function sending(client: string) {
  const raw = new PassThrough();
  const request = { raw, body: raw, headers: {}, client } as never;
  return { raw, request, reply: { raw: new PassThrough(), header() {} } as never };
}

test('the bodies of one client take an eighth of the memory for bodies', async () => {
  const bodies = new Bodies({ each: 1000, inFlight: 8000 });
  const read = (token: string) => {
    const { raw, request, reply } = sending(token);
    raw.end('x'.repeat(900));
    return bodies.read(request, reply);
  };
  await read('ann');
  await assert.rejects(read('ann'), { code: 'busy' });
  assert.equal((await read('bob')).length, 900);
});

test('a client with many long requests leaves threads to others', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const json = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`unknown_slot_${n}`, n]));
  const post = (token: string) => request('POST', '/c/record/Person', { token, json });
  await Promise.all(['ann', 'bob'].map(post));
  let answered = 0;
  const many = Array.from({ length: 20 }, () =>
    post('ann').then(({ status }) => {
      assert.equal(status, 400);
      answered++;
    }),
  );
  assert.equal((await post('bob')).status, 400);
  assert.ok(answered < 10, `${answered} requests were answered before`);
  await Promise.all(many);
});

test('a body that arrives fast and then pauses for too long is refused', async () => {
  const bodies = new Bodies({ graceMilliseconds: 100, bytesPerSecond: 1 });
  const { raw, request, reply } = sending('ann');
  raw.write('x'.repeat(100_000));
  await assert.rejects(bodies.read(request, reply), { code: 'request_timeout' });
});

longTest(
  'clients that read nothing of long responses keep nobody waiting, and are disconnected',
  async (t) => {
    const { service, open } = await listening(t, { requests: 4, unreadSeconds: 2 });
    await fill(service);
    for (let n = 0; n < 6; n++) {
      const reader = await open(`GET ${n % 2 ? '/-/c/export' : '/c/records/'} HTTP/1.1`);
      reader.pause().on('error', () => {});
    }
    const { server } = service.app.server;
    const connections = promisify(server.getConnections.bind(server));
    assert.equal((await service.request('GET', '/c/records/p/?size=1')).status, 200);
    while ((await connections()) > 0) await turn();
  },
);

test('requests whose bodies arrive slowly keep nobody waiting', async (t) => {
  const { service, open } = await listening(t, { requests: 4 });
  const senders = [];
  for (let n = 0; n < 8; n++) {
    const headers = ['X-Service-Token: ann', 'Content-Type: application/json', 'Content-Length: 2'];
    senders.push(await open('POST /c/record/Person HTTP/1.1', ...headers));
  }
  assert.equal((await service.request('GET', '/c/records/p/')).status, 200);
  for (const sender of senders) sender.write('{}');
  for (const sender of senders) assert.match(String((await once(sender, 'data'))[0]), /^HTTP\/1\.1 400 /);
});

test('a request that is refused at once gives its place back', async (t) => {
  const { request } = await testApp(t, CONFIGURATION, { limits: { requests: 1 } });
  for (let n = 0; n < 3; n++) {
    assert.equal((await request('GET', '/-/nothing')).status, 404);
    assert.equal((await request('GET', '/tokens')).status, 401);
    assert.equal((await request('GET', '/c/records/p/')).status, 200);
  }
});
