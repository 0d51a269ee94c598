/** Pages are remembered: never longer than until a record changes, and never for somebody who reads something else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const TOKENS = { ann: { c: 'WRITE_COLLECTION' }, bob: { c: 'READ_CURATED' }, cura: { c: 'CURATOR' } };

async function page(service: TestService, token: string, query = '', area = ''): Promise<string[]> {
  const answer = await service.request('GET', `/c${area}/records/p/Person?size=10${query}`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ items: { name: string }[] }>().items.map(({ name }) => name);
}

for (const type of ['record_dir+stl', 'sqlite+stl']) {
  test(`${type}: a page is as new as the last change of its areas`, async (t) => {
    const service = await testApp(t, { collections: { c: { backend: { type } } }, tokens: TOKENS });
    const store = (path: string, token: string, name: string, more = {}) =>
      service.request('POST', `/c${path}/record/Person`, { token, json: person(name, more) });
    assert.deepEqual(await page(service, 'ann'), []);

    await store('/curated', 'cura', 'a');
    assert.deepEqual(await page(service, 'ann'), ['a'], 'after a curated write');
    await store('', 'ann', 'b');
    assert.deepEqual(await page(service, 'ann'), ['a', 'b'], 'after a write into the own zone');
    await store('', 'ann', 'a', { name: 'own' });
    assert.deepEqual(await page(service, 'ann'), ['own', 'b'], 'after the own zone hides a curated record');
    await service.request('DELETE', '/c/record?pid=labid:a', { token: 'ann' });
    assert.deepEqual(await page(service, 'ann'), ['a', 'b'], 'after a delete');
    await service.request('DELETE', '/c/curated/record?pid=labid:a', { token: 'cura' });
    assert.deepEqual(await page(service, 'ann'), ['b'], 'after a curated delete');
  });
}

test('what one token reads is not answered to another, nor one page for another', async (t) => {
  const service = await testApp(t, { collections: { c: {} }, tokens: TOKENS });
  const ann = { token: 'ann', json: person('mine') };
  await service.request('POST', '/c/record/Person', ann);
  const curated = { token: 'cura', json: person('shared') };
  await service.request('POST', '/c/curated/record/Person', curated);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await page(service, 'ann'), ['mine', 'shared']);
    assert.deepEqual(await page(service, 'bob'), ['shared']);
    assert.deepEqual(await page(service, 'cura', '', '/incoming/ann'), ['mine']);
    assert.deepEqual(await page(service, 'cura', '', '/curated'), ['shared']);
    assert.deepEqual(await page(service, 'ann', '&page=2'), []);
  }
});
