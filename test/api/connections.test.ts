/** Connections, event streams and long polls: what one client may hold, and what others get while it holds all of that. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, isIPv4, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TestContext } from 'node:test';
import type { LimitOptions } from '../../src/core/http/limits.ts';
import { Shares } from '../../src/core/http/shares.ts';
import { ADMIN, type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { longTest, test } from '../support/tier.ts';

const CONFIGURATION = {
  collections: { c: { default_token: 'anyone' } },
  tokens: { anyone: { c: 'READ_CURATED' }, cur: { c: 'CURATOR' } },
};
const STREAM = { path: '/-/c/changes', headers: { accept: 'text/event-stream' } };
const POLL = { path: '/-/c/changes?since=now&wait=60' };
const READ = { path: '/c/records/p/' };

/** An address of this machine that is not of the loopback interface: no trusted proxy. */
const OWN = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ address, internal }) => isIPv4(address) && !internal)?.address;
const skip = OWN === undefined && 'this machine has no address besides those of the loopback interface';

type Ask = {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of this end of the connection. */
  readonly address?: string;
  /** Of the client, as a proxy on this machine reports it. */
  readonly client?: string;
  readonly token?: string;
};
type Answer = { readonly socket: Socket; readonly status: number; readonly head: string };

type Clients = {
  readonly service: TestService;
  /** Opens a connection without a request. Resolves when the other end has closed it, or after it is open. */
  idle(address?: string): Promise<Socket>;
  /** Sends a request over its own connection. @returns what has arrived when its headers have; 0 for a closed connection */
  ask(ask: Ask): Promise<Answer>;
  /** Sends the same so many times, one after the other. @returns how many have each status */
  askMany(count: number, ask: Ask): Promise<Record<number, number>>;
  /** Ends all connections, and waits until the service knows. */
  endAll(): Promise<void>;
};

async function clientsOf(t: TestContext, limits: Partial<LimitOptions>): Promise<Clients> {
  const ends: (() => unknown)[] = [];
  const service = await testApp({ after: (end) => void ends.push(end as () => unknown) }, CONFIGURATION, {
    limits,
  });
  const { server } = service.app.server;
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const sockets = new Set<Socket>();
  const open = async (address?: string) => {
    const socket = connect({ host: '127.0.0.1', port, ...(address && { localAddress: address }) });
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    await once(socket, 'connect');
    return socket;
  };
  const ask = async ({ path, method = 'GET', headers, address, client, token }: Ask): Promise<Answer> => {
    const socket = await open(address);
    const all = {
      host: 'x',
      ...headers,
      ...(client && { 'x-forwarded-for': client }),
      ...(token && { 'x-service-token': token }),
      ...(method === 'POST' && { 'content-length': '0' }),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    let head = '';
    socket.on('data', (data) => (head += data));
    while (!head.includes('\r\n\r\n') && !socket.destroyed)
      await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {});
    return { socket, status: Number(head.split(' ')[1] ?? 0), head };
  };
  const endAll = async () => {
    for (const socket of sockets) socket.destroy();
    const count = () => new Promise<number>((done) => server.getConnections((_, number) => done(number)));
    await eventually('the end of the connections', async () => (await count()) === 0);
  };
  // A service that stops waits for requests in progress.
  t.after(async () => {
    await endAll();
    for (const end of ends) await end();
  });
  return {
    service,
    idle: open,
    ask,
    async askMany(count, one) {
      const statuses: Record<number, number> = {};
      for (let at = 0; at < count; at++) {
        const { status } = await ask(one);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
      return statuses;
    },
    endAll,
  };
}

test('a client has a share of the places, and some are kept for clients that hold none', () => {
  const shares = new Shares(32);
  const taken = (client: string, share?: number) => {
    let count = 0;
    while (shares.take(client, share)) count++;
    return count;
  };
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((client) => taken(client)),
    [4, 4, 4, 4, 4, 4, 4],
  );
  assert.deepEqual([taken('h'), taken('i'), taken('j'), taken('k')], [2, 1, 1, 0]);
  shares.leave('i');
  assert.deepEqual([taken('a'), taken('h'), taken('k')], [0, 0, 1]);
  const all = new Shares(32);
  let count = 0;
  while (all.take('proxy', 1)) count++;
  assert.deepEqual([count, all.take('other'), all.take('other')], [30, true, false]);
});

for (const [kind, held] of [
  ['event streams', STREAM],
  ['long polls', POLL],
] as const) {
  test(`${kind} of one client are refused beyond its share, and other clients have theirs`, async (t) => {
    const clients = await clientsOf(t, { waiting: 32 });
    const { ask } = clients;
    /** How many of 10 are answered at once: with 200 for streams, with nothing for polls. */
    const refused = async (one: Partial<Ask>) => {
      const answers: Answer[] = [];
      for (let at = 0; at < 10; at++) void ask({ ...held, ...one }).then((answer) => answers.push(answer));
      const busy = () => answers.filter(({ status }) => status === 503);
      await eventually('the refusals', () => busy().length >= 6);
      for (const { head } of busy()) {
        assert.match(head, /^retry-after: 1\r$/im);
        assert.match(head, /^accession-error: busy\r$/im);
        assert.match(head, /^connection: close\r$/im);
      }
      return busy().length;
    };
    for (const one of [{ client: '192.0.2.7' }, { client: '192.0.2.8' }, {}, { token: 'cur' }])
      assert.equal(await refused(one), 6, JSON.stringify(one));
    // A token is another client than its address.
    assert.equal(await refused({ client: '192.0.2.7', token: 'anyone' }), 6);
    for (const one of [{ client: '192.0.2.7' }, {}, { token: 'cur' }])
      for (const path of [READ.path, '/-/health', '/-/ready', '/-/c/changes?wait=0', '/-/c/changes?since=0'])
        assert.equal((await ask({ path, ...one })).status, 200, path);
    await clients.endAll();
    assert.equal(await refused({ client: '192.0.2.7' }), 6);
  });
}

test('a client that holds no event stream gets one, whoever holds all others', async (t) => {
  const { askMany } = await clientsOf(t, { waiting: 32 });
  for (let at = 0; at < 9; at++) await askMany(5, { ...STREAM, client: `192.0.2.${at}` });
  assert.deepEqual(await askMany(3, { ...STREAM, client: '198.51.100.1' }), { 200: 1, 503: 2 });
});

test('a long poll that is answered at once holds nothing', async (t) => {
  const { askMany } = await clientsOf(t, { waiting: 1 });
  await askMany(1, { ...STREAM, client: '192.0.2.7' });
  assert.deepEqual(await askMany(3, { path: '/-/c/changes?wait=0', client: '192.0.2.7' }), { 200: 3 });
});

test('an address that holds all connections it can gets 503, health and ready, and others are served', {
  skip,
}, async (t) => {
  const { idle, ask, endAll, service } = await clientsOf(t, { connections: 32 });
  const own = { address: OWN as string };
  for (let at = 0; at < 4; at++) await idle(own.address);
  const refused = await ask({ ...READ, ...own });
  assert.equal(refused.status, 503);
  assert.match(refused.head, /^retry-after: 1\r$/im);
  assert.match(refused.head, /^connection: close\r$/im);
  for (const path of ['/-/health', '/-/ready']) assert.equal((await ask({ path, ...own })).status, 200);
  const status = { path: '/-/status', ...own, token: ADMIN };
  assert.equal((await ask(status)).status, 200);
  assert.equal((await ask(READ)).status, 200);
  // Connections that never send a request do not keep others of the address from health, however many.
  for (let at = 0; at < 40; at++) await idle(own.address);
  for (const path of ['/-/health', '/-/ready']) assert.equal((await ask({ path, ...own })).status, 200);
  assert.equal((await service.request('GET', '/-/health')).status, 200);
  await endAll();
  assert.equal((await ask({ ...READ, ...own })).status, 200);
});

longTest(
  'connections beyond the share end after their response, and without a request',
  { skip },
  async (t) => {
    const { idle, ask } = await clientsOf(t, { connections: 32 });
    const address = OWN as string;
    for (let at = 0; at < 4; at++) await idle(address);
    const over = [await idle(address), (await ask({ path: '/-/health', address })).socket];
    for (const socket of over) {
      socket.resume();
      await eventually('its end', () => socket.destroyed || socket.readableEnded);
    }
  },
);

test('programs on this machine that hold all connections they can keep neither health nor others out', async (t) => {
  const { idle, ask } = await clientsOf(t, { connections: 32 });
  for (let at = 0; at < 60; at++) await idle();
  for (const path of ['/-/health', '/-/ready']) assert.equal((await ask({ path })).status, 200);
  assert.equal((await ask(READ)).status, 503);
  if (OWN !== undefined) assert.equal((await ask({ ...READ, address: OWN })).status, 200);
});

test('a client behind a proxy has a share of the connections by its own address', async (t) => {
  const { ask } = await clientsOf(t, { connections: 32, waiting: 1000 });
  const client = '192.0.2.7';
  for (let at = 0; at < 4; at++) assert.equal((await ask({ ...STREAM, client })).status, 200);
  const refused = await ask({ ...READ, client });
  assert.equal(refused.status, 503);
  assert.match(refused.head, /^accession-error: busy\r$/im);
  for (const path of ['/-/health', '/-/ready']) assert.equal((await ask({ path, client })).status, 200);
  assert.equal((await ask({ ...READ, client: '192.0.2.8' })).status, 200);
});
