/** Conditions on the settings of a collection (RFC 9110, 13.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../support/app.ts';

test('settings are replaced if they have a tag that the request names', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } });
  const get = () => service.request('GET', '/-/c/settings', { token: 'cora' });
  const put = (json: object, headers = {}) =>
    service.request('PUT', '/-/c/settings', { token: 'cora', json, headers });

  const first = await get();
  const etag = first.headers.etag!;
  assert.match(etag, /^"[^"]+"$/);
  const changed = await put({ on_delete: 'refuse' }, { 'if-match': `"x", ${etag}` });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await get()).headers.etag, changed.headers.etag);
  assert.notEqual(changed.headers.etag, etag);

  for (const headers of [{ 'if-match': etag }, { 'if-match': '"x"' }, { 'if-none-match': '*' }]) {
    const refused = await put({ on_delete: 'warn' }, headers);
    assert.deepEqual([refused.status, refused.headers['accession-error']], [412, 'precondition_failed']);
    assert.match(
      refused.text,
      /The settings of 'c' are not in the state that the request demands: read them again\./,
    );
  }
  assert.equal((await get()).json<{ on_delete: string }>().on_delete, 'refuse');

  assert.equal((await put({}, { 'if-match': '*' })).status, 200);
  assert.equal((await put({ on_delete: 'refuse' })).status, 200);
  await service.restart();
  assert.equal((await get()).headers.etag, changed.headers.etag);
});

test('of two requests with one tag, one is refused', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } });
  const { headers } = await service.request('GET', '/-/c/settings', { token: 'cora' });
  const answers = await Promise.all(
    [{ on_delete: 'refuse' }, { on_delete: 'warn' }].map((json) =>
      service.request('PUT', '/-/c/settings', {
        token: 'cora',
        json,
        headers: { 'if-match': headers.etag! },
      }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
});
