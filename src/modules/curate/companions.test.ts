/** Of the staged changes of a rename, companions of other modules see those that concern one of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKED, markedApp } from '../../../test/support/marks.ts';
import { person } from '../../../test/support/people.ts';

for (const [database, order] of MARKED)
  test(`${database}: another module ${order} curation takes part in renames that concern it`, async (t) => {
    const { request, collection, marked } = await markedApp(t, database, order);
    const curate = async (path: string, json: object) => {
      const { status, text } = await request('POST', path, { token: 'cora', json });
      assert.equal(status, 200, text);
    };
    for (const name of ['kept', 'other']) await curate('/c/curated/record/Person', person(name));
    const before = (await marked()).length;
    for (const name of ['kept', 'other'])
      await curate('/-/c/curated/rename', { from: `labid:${name}`, to: `labid:${name}2` });
    const { path } = collection.curated.area;
    assert.deepEqual(
      (await marked()).slice(before).filter((mark) => mark.includes('kept')),
      [`delete ${path} kept`, `put ${path} kept2`],
    );
  });
