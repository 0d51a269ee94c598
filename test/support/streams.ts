/** Streams in progress, and what they rest on being taken back. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { ADMIN, type TestService, testApp } from './app.ts';
import { person } from './people.ts';

/** More than sockets and streams keep on their way: 15 MB. */
export const RECORDS = 150;
const LONG = 'x'.repeat(100_000);

/** Each test takes one of its own from the service that those of a file share. */
const TOKENS = 8;
const readers = Array.from({ length: TOKENS }, (_, n) => `reader${n}`);
const curators = Array.from({ length: TOKENS }, (_, n) => `cleo${n}`);
const spare = { reader: [...readers], cleo: [...curators] };

/** The policies that readers of these tests have. */
const policies = (...authorized_by: string[]) => ({
  policy_annotation_tag: 'lab:policy',
  policy_mapping: readers.map((name) => ({
    auth_source: 'config',
    user_id: `${name}@example.org`,
    authorized_by,
  })),
});

let shared: ReturnType<typeof openService> | undefined;
const endings: (() => unknown)[] = [];
after(async () => {
  for (const end of endings) await end();
});

/** A service with a collection `c` whose export is longer than what is sent at once. */
export function withRecords() {
  shared ??= openService();
  return shared;
}

async function openService() {
  const tokens = (names: readonly string[], mode: string) =>
    Object.fromEntries(names.map((name) => [name, { c: mode }]));
  const service = await testApp(
    { after: (end) => void endings.push(end as () => unknown) },
    {
      collections: { c: { default_token: 'nothing', ...policies('x') } },
      tokens: {
        nothing: { c: 'NOTHING' },
        author: { c: 'CURATOR' },
        ...tokens(readers, 'READ_CURATED'),
        ...tokens(curators, 'CURATOR'),
      },
    },
  );
  const put = async (name: string) => {
    const json = person(name, { name: LONG, annotations: { 'lab:policy': 'x' } });
    const { status, text } = await service.request('POST', '/c/curated/record/Person', {
      token: 'author',
      json,
    });
    assert.equal(status, 200, text.slice(0, 500));
  };
  for (let n = 0; n < RECORDS; n++) await put(`p${String(n).padStart(3, '0')}`);
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  const open = async (path: string, token: string) => {
    const headers = { 'x-service-token': token };
    const [response] = (await once(get({ host: '127.0.0.1', port, path, headers }), 'response')) as [
      IncomingMessage,
    ];
    assert.equal(response.statusCode, 200);
    return response;
  };
  return { ...service, put, open };
}

/** Reads a response to its end. */
export async function rest(response: IncomingMessage) {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { text, isWhole: response.complete };
  } catch {
    return { text, isWhole: false };
  }
}

type Request = TestService['request'];

/** Reads a configuration, and stores it with some changes. */
async function changed(request: Request, url: string, changes: object) {
  const config = (await request('GET', url, { token: ADMIN })).json<object>();
  return request('PUT', url, { token: ADMIN, json: { ...config, ...changes } });
}

/** What may be taken back from a token. */
const TAKEN = {
  'its token is deleted': (request: Request, token: string) =>
    request('DELETE', `/tokens/${token}`, { token: ADMIN }),
  'its token may read nothing any more': (request: Request, token: string) =>
    changed(request, `/tokens/${token}`, { collections: { c: { mode: 'NOTHING' } } }),
  'its user loses a policy': (request: Request) => changed(request, '/collections/c', policies()),
};

/** Tests that a stream of a token breaks when what it rests on is taken back: a reader, or a curator. */
export function testTakenBack(path: string, role: 'reader' | 'cleo'): void {
  for (const [what, take] of Object.entries(TAKEN)) {
    // Curators see every record.
    if (role === 'cleo' && what.includes('policy')) continue;
    test(`${path} breaks when ${what}`, async () => {
      const { request, open } = await withRecords();
      const token = spare[role].pop()!;
      assert.ok(token, 'there are tokens for all tests');
      await changed(request, '/collections/c', policies('x'));
      const response = await open(path, token);
      const { status, text } = await take(request, token);
      assert.ok(status < 300, text);
      const read = await rest(response);
      assert.equal(read.isWhole, false);
      assert.ok(read.text.length < RECORDS * LONG.length);
    });
  }
}
