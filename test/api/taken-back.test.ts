/** Streams in progress end when what they rest on is taken back, and have no record that is stored after they began. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

/** More than sockets and streams keep on their way: 15 MB. */
const RECORDS = 150;
const LONG = 'x'.repeat(100_000);

async function withRecords(t: TestContext) {
  const service = await testApp(t, {
    collections: { c: { default_token: 'nothing' } },
    tokens: { nothing: { c: 'NOTHING' }, reader: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' } },
  });
  const put = async (name: string) => {
    const json = person(name, { name: LONG });
    const { status, text } = await service.request('POST', '/c/curated/record/Person', {
      token: 'cleo',
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
  const rest = async (response: IncomingMessage) => {
    let text = '';
    try {
      for await (const chunk of response) text += chunk;
      return { text, isWhole: response.complete };
    } catch {
      return { text, isWhole: false };
    }
  };
  return { ...service, put, open, rest };
}

const STREAMS = [
  ['/-/c/export', 'reader'],
  ['/-/c/export?fields=name', 'reader'],
  ['/-/c/export?format=ttl', 'reader'],
  ['/-/c/curated/export', 'cleo'],
] as const;

for (const [path, token] of STREAMS)
  test(`${path} breaks when its token is deleted`, async (t) => {
    const { request, open, rest } = await withRecords(t);
    const response = await open(path, token);
    const { status, text } = await request('DELETE', `/tokens/${token}`, { token: ADMIN });
    assert.ok(status < 300, text);
    const read = await rest(response);
    assert.equal(read.isWhole, false);
    assert.ok(read.text.length < RECORDS * LONG.length);
  });

test('an export has no record that was stored after it began, and ends if nothing is taken back', async (t) => {
  const { put, open, rest } = await withRecords(t);
  const response = await open('/-/c/curated/export', 'cleo');
  await put('zzz');
  const { text, isWhole } = await rest(response);
  assert.ok(isWhole);
  assert.equal(text.trim().split('\n').length, RECORDS);
  assert.ok(!text.includes('zzz'));
});
