/** A format is one row: this one is added before the service is loaded, and is then in requests, lists, streams and words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORMATS } from '../../src/core/formats/formats.ts';
import { parseJsonObject } from '../../src/core/formats/json.ts';
import type { RecordFormat } from '../../src/core/formats/record-format.ts';

/** JSON of one member a line. */
const lines: RecordFormat = {
  title: 'Lines',
  mediaType: 'text/x-lines',
  streamType: 'text/x-lines',
  isJson: false,
  mostListed: 2,
  parse: (body) => parseJsonObject(`{${body.trim().replaceAll('\n', ',')}}`),
  serialize: (json) =>
    Object.entries(JSON.parse(json))
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}\n`)
      .join(''),
  note: (reason) => `"note":${JSON.stringify(reason)}\n`,
};
Object.assign(FORMATS, { lines });
const { testApp } = await import('../support/app.ts');

const BODY = '"pid":"labid:ada"\n"name":"Ada Byron"\n"family_name":"Byron"\n';

test('a format that is one row more is read, written, listed, exported and described', async (t) => {
  const { request } = await testApp(t, { collections: { lab: {} }, tokens: { cora: { lab: 'CURATOR' } } });
  const url = '/lab/curated/record';
  const labeled = { token: 'cora', headers: { 'content-type': 'text/x-lines' }, body: BODY };
  assert.equal((await request('POST', `${url}/Person?format=lines`, labeled)).status, 200);
  const json = (await request('POST', `${url}/Person?format=lines`, { token: 'cora', json: {} })).text;
  assert.match(json, /the Content-Type 'application\/json', expected text\/x-lines\./);

  const read = await request('GET', `${url}?pid=labid:ada&format=lines`, { token: 'cora' });
  assert.equal(read.headers['content-type'], 'text/x-lines; charset=utf-8');
  assert.match(read.headers.etag!, /\.lines"$/);
  assert.match(read.text, /^"family_name":"Byron"$/m);
  const listed = await request('GET', '/lab/curated/records/p/Person?format=lines', { token: 'cora' });
  assert.deepEqual(listed.json<{ items: unknown }>().items, [read.text]);
  const exported = await request('GET', '/-/lab/curated/export?format=lines', { token: 'cora' });
  assert.equal(exported.text, `${read.text}\n`);

  for (const [pid, status] of [
    ['labid:b', 200],
    ['labid:c', 413],
  ] as const) {
    const stored = { ...labeled, body: BODY.replace('labid:ada', pid) };
    assert.equal((await request('POST', `${url}/Person?format=lines`, stored)).status, 200);
    const all = await request('GET', '/lab/curated/records/?format=lines', { token: 'cora' });
    assert.equal(all.status, status);
  }
  const refused = await request('GET', `${url}?pid=labid:ada&format=xml`, { token: 'cora' });
  assert.match(refused.text, /expected 'json' or 'ttl' or 'jsonld' or 'nq' or 'lines'/);
  const api = (await request('GET', '/openapi.json')).text;
  assert.match(api, /Lines \(`text\/x-lines`, `format=lines`\)/);
});
