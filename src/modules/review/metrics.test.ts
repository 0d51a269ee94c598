/** The gauge of submissions in `/-/metrics`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';

test('submissions are counted by collection and standing', async (t) => {
  const service = await testApp(t, {
    collections: { c: {} },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, cur: { c: 'CURATOR' } },
  });
  for (const name of ['a', 'b', 'x'])
    await service.request('POST', '/c/record/Person', { token: 'ann', json: person(name) });
  const counts = async () => {
    const { text } = await service.request('GET', '/-/metrics', { token: ADMIN });
    return ['waiting', 'deferred', 'rejected'].map((standing) => {
      const series = `accession_submissions{collection="c",standing="${standing}"} `;
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(series))
          ?.slice(series.length),
      );
    });
  };
  assert.deepEqual(await counts(), [3, 0, 0]);
  const item = await service.request('GET', '/-/c/review/item?label=ann&pid=labid:a', { token: 'cur' });
  const { digest } = item.json<{ digest: string }>();
  const json = { label: 'ann', pid: 'labid:a', digest, decision: 'reject', reason: 'no' };
  const decided = await service.request('POST', '/-/c/review/decisions', { token: 'cur', json });
  assert.equal(decided.status, 200, decided.text);
  assert.deepEqual(await counts(), [2, 0, 1]);
});
