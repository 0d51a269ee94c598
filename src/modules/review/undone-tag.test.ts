/** The entity tag of the queue, which shows the last decision on a record. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABORATORY, testApp } from '../../../test/support/app.ts';

test('the undo of a decision on former contents gives the queue another tag', async (t) => {
  const { request } = await testApp(t, {
    collections: { lab: { schema: LABORATORY, backend: { type: 'sqlite' } } },
    tokens: { ann: { lab: 'WRITE_COLLECTION' }, cora: { lab: 'CURATOR' } },
  });
  const submit = (name: string) =>
    request('POST', '/lab/record/Person', {
      token: 'ann',
      json: { pid: 'labid:eve', family_name: 'Eve', name },
    });
  const queue = (headers: Record<string, string> = {}) =>
    request('GET', '/-/lab/review/', { token: 'cora', headers });
  type Item = { digest: string; last: object | null };
  await submit('One');
  const [item] = (await queue()).json<{ items: Item[] }>().items;
  const decision = { label: 'ann', pid: 'labid:eve', digest: item!.digest, decision: 'defer', reason: 'so' };
  const deferred = await request('POST', '/-/lab/review/decisions', { token: 'cora', json: decision });
  assert.equal(deferred.status, 200, deferred.text);
  await submit('Two');
  const before = await queue();
  assert.notEqual(before.json<{ items: Item[] }>().items[0]!.last, null);

  const { id } = deferred.json<{ id: string }>();
  const undone = await request('POST', `/-/lab/review/decisions/${id}/undo`, { token: 'cora' });
  assert.equal(undone.status, 200, undone.text);
  const after = await queue({ 'if-none-match': before.headers.etag as string });
  assert.equal(after.status, 200);
  assert.equal(after.json<{ items: Item[] }>().items[0]!.last, null);
});
