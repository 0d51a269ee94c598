/** Deleting records in the user area (specification 4.1, rule 7, and 7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp } from '../support/app.ts';
import { person, storedPerson } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, sql: { backend: 'sqlite+stl' } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    submit: { c: 'SUBMIT_ONLY', sql: 'SUBMIT_ONLY' },
    reader: { c: 'READ_COLLECTION', sql: 'READ_COLLECTION' },
    curator: { c: 'CURATOR', sql: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

test('a delete removes the record from the zone of the user only, and the curated one is visible again', async () => {
  const { request } = await emptyService();
  for (const collection of ['c', 'sql']) {
    await request('POST', `/${collection}/curated/record/Person`, { token: 'curator', json: person('a') });
    await request('POST', `/${collection}/record/Person`, {
      token: 'ann',
      json: person('a', { given_name: 'mine' }),
    });
    const removed = await request('DELETE', `/${collection}/record?pid=labid:a`, { token: 'ann' });
    assert.deepEqual([removed.status, removed.text], [200, 'true']);
    const left = await request('GET', `/${collection}/record?pid=labid:a`, { token: 'ann' });
    assert.deepEqual(left.json(), storedPerson('a'));
    const again = await request('DELETE', `/${collection}/record?pid=labid:a`, { token: 'ann' });
    assert.equal(again.status, 404, 'the curated record is not deleted');
    assert.match(again.text, /labid:a/);
  }
});

test('a delete finds the record under any spelling of its pid', async () => {
  const { request } = await emptyService();
  await request('POST', '/c/record/Person', { token: 'ann', json: person('a') });
  const pid = encodeURIComponent('https://example.org/laboratory/id/a');
  assert.equal((await request('DELETE', `/c/record?pid=${pid}`, { token: 'ann' })).text, 'true');
  assert.equal((await request('GET', '/c/records/', { token: 'ann' })).text, '[]');
});

test('a missing record returns 404, an unknown prefix 400, a missing pid 422', async () => {
  const { request } = await emptyService();
  for (const area of ['', '/curated', '/incoming/ann']) {
    const status = async (query: string) =>
      (await request('DELETE', `/c${area}/record${query}`, { token: 'curator' })).status;
    assert.equal(await status('?pid=labid:none'), 404);
    assert.equal(await status('?pid=http://x.org/none'), 404);
    assert.equal(await status('?pid=nocolon'), 404);
    assert.equal(await status('?pid=nope:x'), 400);
    assert.equal(await status(''), 422);
  }
  const headers = { 'content-type': 'nonsense' };
  const labeled = await request('DELETE', '/c/record?pid=labid:none', { token: 'curator', headers });
  assert.equal(labeled.status, 404);
});

test('a delete needs write permission, but not read permission', async () => {
  const { request } = await emptyService();
  await request('POST', '/c/record/Person', { token: 'submit', json: person('a') });
  assert.equal((await request('DELETE', '/c/record?pid=labid:a', { token: 'reader' })).status, 403);
  assert.equal((await request('DELETE', '/c/record?pid=labid:a', { token: 'submit' })).text, 'true');
});
