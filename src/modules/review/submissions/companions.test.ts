/** Two modules with companions on one area: each sees every change in its transaction, whichever is the first of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKED, markedApp } from '../../../../test/support/marks.ts';
import { person } from '../../../../test/support/people.ts';

for (const [database, order] of MARKED)
  test(`${database}: another module ${order} review takes part in stores and decisions`, async (t) => {
    const { request, collection, marked } = await markedApp(t, database, order);
    const summary = async () =>
      (await request('GET', '/-/c/review/summary', { token: 'cora' })).json<{ total: number }>().total;
    const submit = async (name: string) =>
      (await request('POST', '/c/record/Person', { token: 'ann', json: person(name) })).status;
    assert.equal(await submit('ada'), 200);
    assert.equal(await submit('refused'), 503);
    assert.equal(await summary(), 1);
    const curated = collection.curated.area.path;
    const zone = (await collection.zones.areas())[0]!.path;
    assert.deepEqual(await marked(), [`put ${zone} ada`]);

    const item = await request('GET', '/-/c/review/item?label=ann&pid=labid:ada', { token: 'cora' });
    const { digest } = item.json<{ digest: string }>();
    const json = { label: 'ann', pid: 'labid:ada', digest, decision: 'accept' };
    const accepted = await request('POST', '/-/c/review/decisions', { token: 'cora', json });
    assert.equal(accepted.status, 200, accepted.text);
    assert.equal(await summary(), 0);
    assert.deepEqual((await marked()).slice(1), [`delete ${zone} ada`, `put ${curated} ada`]);
  });
