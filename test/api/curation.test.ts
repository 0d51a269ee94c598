/** Low-level access of curators to the curated area and to every zone (specification 4.2). */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedApp, testApp } from '../support/app.ts';
import { organization, person, storedPerson, turtlePerson } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, sql: { backend: 'sqlite' } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    curator: { c: 'CURATOR', sql: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
const AREAS = ['/c/curated', '/c/incoming/ann', '/sql/curated', '/sql/incoming/ann'];
const curator = { token: 'curator' };

test('a store accepts JSON and Turtle and returns null, and the record is read back unchanged', async () => {
  const { request } = await emptyService();
  for (const area of AREAS) {
    const stored = await request('POST', `${area}/record/Person`, { ...curator, json: person('a') });
    assert.deepEqual([stored.status, stored.text], [200, 'null']);
    assert.match(stored.headers.etag ?? '', /^".+"$/);
    const turtle = await request('POST', `${area}/record/Person?format=ttl`, {
      ...curator,
      turtle: turtlePerson('b'),
    });
    assert.deepEqual([turtle.status, turtle.text], [200, 'null']);
    assert.deepEqual((await request('GET', `${area}/record?pid=labid:a`, curator)).json(), storedPerson('a'));
    assert.equal((await request('GET', `${area}/record?pid=labid:none`, curator)).text, 'null');
    const list = await request('GET', `${area}/records/Person`, curator);
    assert.deepEqual(list.json(), [storedPerson('a'), storedPerson('b')]);
    const page = await request('GET', `${area}/records/p/?size=1&page=2`, curator);
    assert.deepEqual(page.json(), { items: [storedPerson('b')], total: 2, page: 2, size: 1, pages: 2 });
    assert.equal((await request('DELETE', `${area}/record?pid=labid:a`, curator)).text, 'true');
    assert.deepEqual((await request('GET', `${area}/records/`, curator)).json(), [storedPerson('b')]);
  }
});

test('inlined records are not extracted, and nothing is annotated', async () => {
  const { request } = await emptyService();
  const inner = { ...organization('k'), schema_type: 'schema:Organization' };
  const json = { ...person('a'), relations: { 'labid:k': inner } };
  for (const area of AREAS) {
    await request('POST', `${area}/record/Person?add_submission_tag=true`, { ...curator, json });
    const records = (await request('GET', `${area}/records/`, curator)).json();
    assert.deepEqual(records, [{ ...storedPerson('a'), relations: { 'labid:k': inner } }]);
  }
});

test('a list of a class holds exactly that class', async () => {
  const { request } = await emptyService();
  for (const area of AREAS) {
    await request('POST', `${area}/record/Person`, { ...curator, json: person('a') });
    await request('POST', `${area}/record/Agent`, { ...curator, json: { pid: 'labid:agent', name: 'x' } });
    const pids = async (path: string) =>
      (await request('GET', `${area}/records/${path}`, curator))
        .json<{ pid: string }[]>()
        .map(({ pid }) => pid);
    assert.deepEqual(await pids('Agent'), ['labid:agent']);
    assert.deepEqual(await pids('Thing'), []);
    assert.deepEqual(await pids(''), ['labid:a', 'labid:agent']);
  }
});

test('an invalid record is refused with 400, after authentication', async () => {
  const { request } = await emptyService();
  for (const area of AREAS) {
    const json = { pid: 'labid:a', colour: 'red' };
    assert.equal((await request('POST', `${area}/record/Person`, { ...curator, json })).status, 400);
    assert.equal((await request('POST', `${area}/record/Person`, { token: 'stranger', json })).status, 401);
    assert.equal((await request('POST', `${area}/record/Person`, { token: 'ann', json })).status, 403);
    assert.equal((await request('POST', `${area}/record/Person`, { json })).status, 401);
  }
});

test('every area returns schema_type, also in records that users stored', async () => {
  const { request } = await emptyService();
  for (const collection of ['c', 'sql']) {
    await request('POST', `/${collection}/record/Person`, { token: 'ann', json: person('a') });
    const list = await request('GET', `/${collection}/incoming/ann/records/`, curator);
    assert.deepEqual(list.json(), [storedPerson('a')]);
  }
});

test('the labels are those of tokens and those on disk, sorted', async () => {
  const { request, store } = await emptyService();
  assert.deepEqual((await request('GET', '/c/incoming/', curator)).json(), ['ann', 'curator']);
  mkdirSync(join(store, 'c/incoming/Zoe'), { recursive: true });
  mkdirSync(join(store, 'c/incoming/.hidden'), { recursive: true });
  assert.deepEqual((await request('GET', '/c/incoming/', curator)).json(), ['Zoe', 'ann', 'curator']);
  assert.deepEqual((await request('GET', '/c/incoming/Zoe/records/', curator)).json(), []);
  rmSync(join(store, 'c/incoming'), { recursive: true });
  assert.deepEqual((await request('GET', '/c/incoming/', curator)).json(), ['ann', 'curator']);
});

test('no label leads out of the incoming area', async () => {
  const { request, store } = await emptyService();
  mkdirSync(join(store, 'c/incoming'), { recursive: true });
  symlinkSync('/tmp', join(store, 'c/incoming/outside'));
  for (const label of ['outside', '..%2fcurated', '%00', '%2e%2e%2f%2e%2e', '.hidden']) {
    for (const [method, path] of [
      ['GET', 'records/'],
      ['GET', 'record?pid=labid:a'],
      ['DELETE', 'record?pid=labid:a'],
    ] as const) {
      const { status } = await request(method, `/c/incoming/${label}/${path}`, curator);
      assert.equal(status, 404, label);
    }
    const stored = await request('POST', `/c/incoming/${label}/record/Person`, {
      ...curator,
      json: person('a'),
    });
    assert.equal(stored.status, 404, label);
  }
});

test('a zone may be the curated area itself: each sees what the other writes', async (t) => {
  const { request, store } = await testApp(t, CONFIGURATION);
  for (const area of ['curated', 'incoming']) mkdirSync(join(store, 'sql', area), { recursive: true });
  symlinkSync(join(store, 'sql/curated'), join(store, 'sql/incoming/ann'));
  await request('POST', '/sql/record/Person', { token: 'ann', json: person('a') });
  assert.deepEqual((await request('GET', '/sql/curated/records/', curator)).json(), [storedPerson('a')]);
  await request('POST', '/sql/curated/record/Person', { ...curator, json: person('b') });
  const page = (await request('GET', '/sql/records/p/', { token: 'ann' })).json<{
    total: number;
    items: object[];
  }>();
  assert.deepEqual([page.total, page.items], [2, [storedPerson('a'), storedPerson('b')]]);
});

test('limits name the paginated path of the area', async () => {
  const { request } = await emptyService();
  const json = Array.from({ length: 1201 }, (_, n) => person(`p${n}`));
  for (const area of ['/sql/curated', '/sql/incoming/ann']) {
    await request('POST', `/-${area}/records/Person`, { ...curator, json });
    for (const path of ['', 'Person']) {
      const answer = await request('GET', `${area}/records/${path}`, curator);
      assert.equal(answer.status, 413);
      assert.ok(answer.text.includes(`${area}/records/p/${path}`), answer.text);
    }
    assert.equal((await request('GET', `${area}/records/Person?format=ttl`, curator)).status, 413);
  }
});

test('a walk that deletes what it reads comes to the end of a zone, and leaves nothing', async () => {
  const { request } = await emptyService();
  const zone = '/c/incoming/ann';
  for (let i = 0; i < 7; i++) {
    await request('POST', `${zone}/record/Person`, { ...curator, json: person(`walk-${i}`) });
  }
  const page = async (number: number) => {
    const answer = await request('GET', `${zone}/records/p/?size=4&page=${number}`, curator);
    return answer.json<{ items: { pid: string }[]; total: number; pages: number }>();
  };
  assert.deepEqual((await page(9)).items, [], 'nobody deletes: a page past the end is empty');

  // As the peer's client walks: until there are no pages, or the page is the last one.
  let last: number | undefined;
  for (let number = 1; number < 9; number++) {
    const { items, pages } = await page(number);
    last ??= pages;
    for (const { pid } of items) await request('DELETE', `${zone}/record?pid=${pid}`, curator);
    if (pages === 0 || number === Math.min(last, pages)) break;
  }
  assert.deepEqual(await page(1), { items: [], total: 0, page: 1, size: 4, pages: 0 });
});
