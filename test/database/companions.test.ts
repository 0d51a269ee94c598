/** A companion of a module takes part in the transactions of stores and deletes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKED, markedApp } from '../support/marks.ts';
import { person } from '../support/people.ts';

for (const [database, order] of MARKED)
  test(`${database}: a module ${order} the others takes part in stores and deletes, and may refuse them`, async (t) => {
    const { request, collection, marked } = await markedApp(t, database, order);
    const submit = async (name: string) =>
      (await request('POST', '/c/record/Person', { token: 'ann', json: person(name) })).status;
    assert.equal(await submit('ada'), 200);
    assert.equal(await submit('refused'), 503);
    assert.equal((await request('GET', '/c/record?pid=labid:refused', { token: 'ann' })).text, 'null');
    const zone = (await collection.zones.areas())[0]!.path;
    assert.deepEqual(await marked(), [`put ${zone} ada`]);
    assert.equal((await request('DELETE', '/c/record?pid=labid:ada', { token: 'ann' })).status, 200);
    assert.deepEqual((await marked()).slice(1), [`delete ${zone} ada`]);
  });
