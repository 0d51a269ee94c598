import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createConnectionServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openSchema } from './schema.ts';

/** Path → schema text, as the host of the test has them. */
const files = new Map<string, string>();
let server: Server;
let base: string;
const cacheDir = mkdtempSync(join(tmpdir(), 'accession-schemas-'));

const main = (value: string): string => `
id: https://example.org/schemas/far
name: far
prefixes: {linkml: "https://w3id.org/linkml/", near: "${base}/lib/", ex: "https://example.org/ns/"}
default_prefix: ex
imports: [linkml:types, near:things, ./lib/more]
enums: {Term: {permissible_values: {${value}: {}}}}
classes: {Word: {is_a: Thing, attributes: {word: {range: Term}, extra: {range: More, inlined: true}}}}
`;

before(async () => {
  server = createServer((request, response) => {
    const text = files.get(request.url ?? '');
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  files.set('/schema.yaml', main('one'));
  files.set(
    '/lib/things.yaml',
    'id: https://example.org/things\nname: things\nclasses: {Thing: {attributes: {pid: {identifier: true, range: uriorcurie}}}}',
  );
  files.set(
    '/lib/more.yaml',
    'id: https://example.org/more\nname: more\nclasses: {More: {attributes: {a: {}}}}',
  );
});

after(() => {
  server.close();
  rmSync(cacheDir, { recursive: true });
});

test('a schema is read over HTTP with its imports, kept, changed when it is opened again, and there when its host is down', async () => {
  const warnings: string[] = [];
  const options = { cacheDir, warn: (message: string) => warnings.push(message) };
  const accepts = async (word: string): Promise<boolean> =>
    (await openSchema(`${base}/schema.yaml`, options)).check('Word', { pid: 'ex:a', word }).valid;

  assert.ok(await accepts('one'));
  assert.equal(readdirSync(cacheDir).length, 3);
  assert.deepEqual(warnings, []);

  files.set('/schema.yaml', main('two'));
  assert.ok(await accepts('two'));

  files.clear();
  assert.ok(await accepts('two'), 'an answer 404 counts as down');
  assert.equal(warnings.length, 3);
  assert.match(
    warnings[0]!,
    /schema\.yaml can't be read \(the host answers 404\); the copy of an earlier start is used/,
  );

  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(await accepts('two'), 'a host that is down');
  assert.match(warnings.at(-1)!, /no program listens there/);
  await assert.rejects(openSchema(`${base}/schema.yaml`), {
    code: 'schema_invalid',
    message: /cannot be read: no program listens there\. To read it without the network, save it as a file/,
  });
});

test('a host that switches protocols is refused', async (t) => {
  const host = createConnectionServer((socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'),
  );
  t.after(() => host.close());
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(host.address() as AddressInfo).port}/schema.yaml`;
  await assert.rejects(openSchema(address), /the connection ended without a response/);
});

test('A schema file without an end is refused', async () => {
  await assert.rejects(openSchema('/dev/zero'), { code: 'schema_invalid', message: /not a regular file/ });
});

test('a file that is not UTF-8 is refused with the line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-latin-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'schema.yaml');
  const text =
    'id: https://example.org/s\nname: s\n# \ufffd\ntitle: Märchen\nclasses: {Thing: {attributes: {pid: {identifier: true}}}}\n';
  const [before = '', after = ''] = text.split('ä');
  writeFileSync(file, Buffer.concat([Buffer.from(before), Buffer.from([0xe4]), Buffer.from(after)]));
  await assert.rejects(openSchema(file), /it is not UTF-8: line 4, column 9 has the byte 0xE4/);
  writeFileSync(file, text);
  assert.equal((await openSchema(file)).title, 'Märchen');
});
