/** How many requests are let in: at once, of a token, of an address, and after refused tokens. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { addressKey, Proxies } from '../../src/core/http/client.ts';
import { Allowance } from '../../src/core/http/limits.ts';
import { Admission } from '../../src/core/work/admission.ts';
import { testApp } from '../support/app.ts';
import { stopDurations } from '../support/clock.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'anyone' } },
  tokens: { anyone: { c: 'READ_CURATED' }, ann: { c: 'WRITE_COLLECTION' }, bob: { c: 'WRITE_COLLECTION' } },
};

/** The address of a client, as a proxy on this machine reports it. */
const from = (address: string) => ({ 'x-forwarded-for': address });

test('requests beyond the limit wait for their turn in order, and are refused beyond that', () => {
  const admission = new Admission(1);
  const turns: string[] = [];
  const enter = (name: string) =>
    admission.enter((refusal) => turns.push(refusal ? `${name}: ${refusal.code}` : name));
  const ends = ['a', 'b', 'c', 'd', 'e', 'f'].map(enter);
  assert.deepEqual(turns, ['a', 'f: busy']);
  assert.equal(admission.inProgress, 5);
  ends[5]?.();
  // The client of `c` has gone while it waited.
  ends[2]?.();
  ends[0]?.();
  ends[1]?.();
  assert.deepEqual(turns.slice(2), ['b', 'd']);
  ends[3]?.();
  ends[4]?.();
  assert.equal(admission.inProgress, 0);
});

test('a request that waits too long for its turn is refused', async () => {
  const admission = new Admission(1, 1);
  const end = admission.enter(() => {});
  const code = await new Promise((resolve) => admission.enter((refusal) => resolve(refusal?.code)));
  assert.equal(code, 'busy');
  end();
  assert.equal(admission.inProgress, 0);
});

test('an allowance is filled steadily, up to that of a minute', () => {
  let now = 0;
  const allowance = new Allowance(2, () => now);
  assert.deepEqual([allowance.take('a'), allowance.take('a'), allowance.take('a')], [0, 0, 30]);
  assert.equal(allowance.take('b'), 0);
  now += 29_000;
  assert.equal(allowance.wait('a'), 1);
  now += 1_000;
  assert.deepEqual([allowance.wait('a'), allowance.take('a'), allowance.take('a')], [0, 0, 30]);
  now += 600_000;
  assert.deepEqual([allowance.take('a'), allowance.take('a'), allowance.take('a')], [0, 0, 30]);
});

test('addresses of one IPv6 network are one client', () => {
  assert.equal(addressKey('2001:db8::1'), addressKey('2001:db8:0:0:ffff::2'));
  assert.notEqual(addressKey('2001:db8::1'), addressKey('2001:db8:0:1::1'));
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1');
});

test('a token that is used too often gets 429 with the time to wait, others are served', async (t) => {
  stopDurations(t);
  const service = await testApp(t, CONFIGURATION, { limits: { requestsOfToken: 2 } });
  const read = (token?: string) => service.request('GET', '/c/records/p/', { token });
  assert.deepEqual([(await read('ann')).status, (await read('ann')).status], [200, 200]);
  const refused = await read('ann');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '30');
  assert.match(refused.json<{ detail: string }>().detail, /this token: try again in \d+ seconds/);
  assert.deepEqual([(await read('bob')).status, (await read()).status], [200, 200]);
  assert.equal((await service.request('GET', '/-/health', { token: 'ann' })).status, 200);
});

test('after too many refused tokens an address can try no more, and accepted tokens still work', async (t) => {
  stopDurations(t);
  const service = await testApp(t, CONFIGURATION, { limits: { refusedTokens: 3 } });
  const read = async (token: string | undefined, address = '192.0.2.1') =>
    (await service.request('GET', '/c/records/p/', { token, headers: from(address) })).status;
  const guess = async (path: string) =>
    (await service.request('GET', path, { token: 'x', headers: from('192.0.2.1') })).status;
  // Requests without a token are not attempts.
  for (let i = 0; i < 5; i++) await service.request('GET', '/tokens', { headers: from('192.0.2.1') });
  const guesses = [];
  for (const guess of ['1', '2', '3', '4']) {
    guesses.push(await read(guess));
    if (guess === '1') assert.equal(await read('ann'), 200);
  }
  assert.deepEqual(guesses, [401, 401, 401, 429]);
  assert.equal(await read('bob'), 429, 'a token that was not used before is not looked at');
  assert.equal(await read('ann'), 200, 'a token that was accepted before');
  assert.equal(await read(undefined), 200, 'no token');
  assert.equal(await read('bob', '192.0.2.2'), 200, 'another address');
  assert.equal(await guess('/-/metrics'), 429);
  assert.equal(await guess('/tokens'), 429);
});

test('a service at its limit answers health checks, and refuses others with Retry-After', async (t) => {
  const service = await testApp(t, CONFIGURATION, { limits: { requests: 1 } });
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(() => sockets.map((socket) => socket.destroy()));
  /** Five requests whose bodies never come: one is answered and four wait, until they leave their places. */
  async function occupy(): Promise<void> {
    const five = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
    sockets.push(...five);
    await Promise.all(five.map((socket) => once(socket, 'connect')));
    for (const socket of five)
      socket.write(
        'POST /c/record/Person HTTP/1.1\r\nHost: x\r\nX-Service-Token: ann\r\n' +
          'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n',
      );
  }
  const url = `http://127.0.0.1:${port}`;
  let refused: Response | undefined;
  while (refused?.status !== 503) {
    await occupy();
    refused = await fetch(`${url}/c/records/p/`);
  }
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal((await fetch(`${url}/-/health`)).status, 200);
  for (const socket of sockets) socket.destroy();
  // The service learns a little later that the clients have gone.
  let status = 503;
  while (status === 503) ({ status } = await fetch(`${url}/c/records/p/`));
  assert.equal(status, 200);
});

test('proxies on other machines report addresses if the operator trusts them, also with a port', () => {
  const address = (proxies: Proxies, remoteAddress: string, forwarded: string) =>
    proxies.clientAddress({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as never);
  const some = new Proxies(['10.0.0.0/8', 'fd00::/8']);
  assert.equal(address(some, '::ffff:10.1.2.3', '198.51.100.1, 192.0.2.7:4711, 10.9.9.9'), '192.0.2.7');
  assert.equal(address(some, 'fd00::1', '[2001:db8::1]:4711'), '2001:db8:0:0');
  assert.equal(address(some, '10.1.2.3', 'unknown'), undefined);
  assert.equal(address(new Proxies(), '10.1.2.3', '192.0.2.7'), '10.1.2.3');
  assert.equal(address(new Proxies(), '127.0.0.1', '192.0.2.7'), '192.0.2.7');
});

test('a token that was accepted before others at its address tried theirs still works', async (t) => {
  stopDurations(t);
  const service = await testApp(t, CONFIGURATION, { limits: { refusedTokens: 2 } });
  const read = async (token: string) =>
    (await service.request('GET', '/c/records/p/', { token, headers: from('192.0.2.1') })).status;
  assert.equal(await read('ann'), 200);
  assert.deepEqual([await read('1'), await read('2'), await read('3')], [401, 401, 429]);
  assert.equal(await read('ann'), 200);
});
