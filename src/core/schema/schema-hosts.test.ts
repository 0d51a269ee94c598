import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { addressGuard, RequestRefusal } from './address-guard.ts';
import { openSchema } from './schema.ts';

const SCHEMA =
  'id: https://example.org/s\nname: s\nclasses:\n  Thing:\n    attributes:\n      pid: {identifier: true}\n';

/** A host that has a schema at `/s.yaml`, and a redirect to a URL at `/away?URL`. @returns its port */
async function host(t: TestContext): Promise<number> {
  const server = createServer((request, response) => {
    const [path, target] = (request.url ?? '').split('?');
    if (path === '/away') response.writeHead(302, { location: decodeURIComponent(target ?? '') }).end();
    else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else response.end(SCHEMA);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('a schema is read from a host on the same machine only if the operator allows it', async (t) => {
  const port = await host(t);
  const address = `http://127.0.0.1:${port}/s.yaml`;
  await assert.rejects(openSchema(address, { hosts: [] }), {
    code: 'schema_invalid',
    message: /127\.0\.0\.1 is on the same machine or in a private network.*--schema-hosts 127\.0\.0\.1/,
  });
  assert.equal((await openSchema(address, { hosts: ['127.0.0.1'] })).name, 's');
  assert.equal((await openSchema(address)).name, 's');
});

const OWN_ADDRESSES = [
  '0.0.0.0',
  '127.9.9.9',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '169.254.169.254',
  '[fe80::1]',
  '2130706433',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '[fd00::1]',
  '[::ffff:a01:203]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.1.2.3]',
  '[64:ff9b:1::1]',
  '[2001:0:7f00:1::1]',
  '[2002:7f00:1::]',
  '[fec0::1]',
  '[ff02::1]',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
];

for (const name of OWN_ADDRESSES) {
  test(`${name} is an address of the same machine or a private network`, async () => {
    const refused = openSchema(`http://${name}/s.yaml`, { hosts: [] });
    await assert.rejects(refused, { message: /is on the same machine or in a private network/ });
  });
}

test('an address of an interface is one of the same machine, in each of its forms', () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const forms = own.flatMap(({ address, family }) =>
    family === 'IPv6' ? `[${address}]` : [address, `[::ffff:${address}]`, `[64:ff9b::${address}]`],
  );
  for (const form of forms)
    assert.throws(() => addressGuard(new URL(`http://${form}/`), []), RequestRefusal, form);
});

test('addresses of public hosts are not refused', () => {
  for (const form of ['8.8.8.8', '[2001:4860:4860::8888]', '[64:ff9b::8.8.8.8]', '[::ffff:8.8.8.8]'])
    assert.ok(addressGuard(new URL(`http://${form}/`), []).lookup, form);
});

test('a name is judged by the addresses that it resolves to', async (t) => {
  const port = await host(t);
  const address = `http://localhost:${port}/s.yaml`;
  await assert.rejects(openSchema(address, { hosts: [] }), { message: /localhost is on the same machine/ });
  assert.equal((await openSchema(address, { hosts: ['localhost'] })).name, 's');
});

test('a redirect to a host on the same machine is refused, and one to an allowed host is followed', async (t) => {
  const port = await host(t);
  const target = (name: string) => encodeURIComponent(`http://${name}:${port}/s.yaml`);
  const address = (name: string) => `http://localhost:${port}/away?${target(name)}`;
  await assert.rejects(openSchema(address('127.0.0.1'), { hosts: ['localhost'] }), {
    message: /127\.0\.0\.1 is on the same machine/,
  });
  assert.equal((await openSchema(address('localhost'), { hosts: ['localhost'] })).name, 's');
  const file = `http://localhost:${port}/away?${encodeURIComponent('file:///etc/hostname')}`;
  await assert.rejects(openSchema(file, { hosts: ['localhost'] }), { message: /not a protocol for schemas/ });
  const loop = `http://localhost:${port}/loop`;
  await assert.rejects(openSchema(loop, { hosts: ['localhost'] }), { message: /more than 5 redirects/ });
});

test('the body of a redirect is not read', async (t) => {
  const port = await host(t);
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    const redirect = `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port}/s.yaml\r\n\r\n`;
    socket.once('data', () => socket.write(redirect));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const opened = openSchema(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [socket] = await connected;
  assert.equal((await opened).name, 's');
  await eventually('the connection is closed', () => socket.closed);
});

test('a schema with an import chain that does not end is refused', async (t) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end(`${SCHEMA}imports: [chain${asked}]\n`);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chain.yaml`;
  await assert.rejects(openSchema(address), { code: 'schema_invalid', message: /more than 1000 files/ });
  assert.ok(asked <= 1001, String(asked));
});

test('a schema that is a pipe is refused at once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, 'schema.yaml');
  execFileSync('mkfifo', [pipe]);
  await assert.rejects(openSchema(pipe), { code: 'schema_invalid', message: /not a regular file/ });
});

/** Another resolver for this process: the answers to each look-up of a name, the last of which is repeated. */
function resolving(t: TestContext, answers: readonly (readonly string[])[]): { lookups: number } {
  const { lookup } = dns;
  const count = { lookups: 0 };
  const double = (_name: string, _options: object, done: (error: null, addresses: object[]) => void) => {
    const addresses = answers[Math.min(count.lookups++, answers.length - 1)]!;
    process.nextTick(
      done,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  };
  dns.lookup = double as unknown as typeof lookup;
  syncBuiltinESMExports();
  t.after(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });
  return count;
}

test('the address that is judged is the one that is connected to, whatever a name resolves to next', async (t) => {
  let connections = 0;
  const server = createServer((_request, response) => response.end(SCHEMA));
  server.on('connection', () => connections++);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const address = `http://rebinding.example:${port}/s.yaml`;
  // An address of documentation, which no host has.
  const count = resolving(t, [['192.0.2.1'], ['127.0.0.1'], ['192.0.2.1', '127.0.0.1']]);
  // An attempt that ends before the name is looked up shows nothing.
  for (let timeout = 300; count.lookups === 0; timeout *= 2)
    await assert.rejects(openSchema(address, { hosts: [], timeout }), { code: 'schema_invalid' });
  assert.equal(count.lookups, 1, 'one look-up for a connection');
  for (const lookups of [2, 3]) {
    await assert.rejects(openSchema(address, { hosts: [] }), {
      message: /rebinding\.example is on the same machine/,
    });
    assert.equal(count.lookups, lookups);
  }
  assert.equal(connections, 0);
});

test('a redirect to a name that resolves to another address is judged by that', async (t) => {
  const port = await host(t);
  resolving(t, [['127.0.0.1']]);
  const target = encodeURIComponent(`http://rebinding.example:${port}/s.yaml`);
  const from = `http://127.0.0.1:${port}/away?${target}`;
  await assert.rejects(openSchema(from, { hosts: ['127.0.0.1'] }), { message: /rebinding\.example is on/ });
  assert.equal((await openSchema(from, { hosts: ['127.0.0.1', 'rebinding.example'] })).name, 's');
});
