/** Long records in lists, searches and reviews: what is read, compared and listed is bounded, and done in threads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp, type TestService, testApp } from '../support/app.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: { backend: { type: 'sqlite+stl' } } },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, cleo: { c: 'CURATOR' } },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

async function store({ request }: TestService, token: string, area: string, json: object): Promise<void> {
  const answer = await request('POST', `/c${area}/record/Person`, { token, json });
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
}

test('a list or a page is refused if its records are too long together, and smaller ones are not', async () => {
  const service = await emptyService();
  for (let n = 0; n < 4; n++)
    await store(service, 'ann', '', person(`long${n}`, { description: 'ab '.repeat(3_200_000) }));
  const read = async (path: string) => (await service.request('GET', path, { token: 'ann' })).status;
  assert.equal(await read('/c/records/p/?size=100'), 413);
  assert.equal(await read('/c/records/'), 413);
  assert.equal(await read('/c/records/p/?size=3'), 200);
  assert.equal(await read('/c/records/p/?size=3&page=2'), 200);
  assert.equal(await read('/-/c/search?q=ab&size=3'), 200);
});

const COUNT = 8_000;
const affiliated = (prefix: string) =>
  person('long', { affiliations: Array.from({ length: COUNT }, (_, n) => `labid:${prefix}${n}`) });

/** A long curated record, and a submission that differs in everything. */
async function proposed(): Promise<TestService> {
  const service = await emptyService();
  await store(service, 'cleo', '/curated', affiliated('curated'));
  await store(service, 'ann', '', affiliated('submitted'));
  return service;
}

type Item = {
  digest: string;
  curated_etag: string;
  differences: object[];
  more_differences: number;
  merged: object;
};

test('the differences of long lists are found in a thread, and the first 1,000 are listed', {
  skip: lacks('review'),
}, async () => {
  const service = await proposed();
  for (const [token, path] of [
    ['cleo', '/-/c/review/item?label=ann&pid=labid:long'],
    ['ann', '/-/c/submissions/item?pid=labid:long'],
  ] as const) {
    const { started } = service.app.pool;
    const answer = await service.request('GET', path, { token });
    assert.ok(service.app.pool.started > started, path);
    const item = answer.json<Item>();
    assert.equal(item.differences.length, 1000);
    assert.equal(item.more_differences, 2 * COUNT - 1000);
  }
});

test('values that are too long together are left out of differences', { skip: lacks('review') }, async () => {
  const service = await emptyService();
  await store(service, 'cleo', '/curated', person('long', { description: 'a'.repeat(2_000_000) }));
  await store(service, 'ann', '', person('long', { description: 'b'.repeat(2_000_000), given_name: 'x' }));
  const answer = await service.request('GET', '/-/c/submissions/item?pid=labid:long', { token: 'ann' });
  const listed = answer.json<{ differences: { path: string; submitted: unknown; omitted?: true }[] }>()
    .differences;
  assert.deepEqual(
    listed.map(({ path, submitted, omitted }) => [path, submitted, omitted]),
    [
      ['/description', null, true],
      ['/given_name', 'x', undefined],
    ],
  );
});

test('long records are merged, and a decision on them undone, in threads', {
  skip: lacks('review'),
}, async () => {
  const service = await proposed();
  const url = '/-/c/review/item?label=ann&pid=labid:long';
  const { digest } = (await service.request('GET', url, { token: 'cleo' })).json<Item>();
  const { started } = service.app.pool;
  const json = { label: 'ann', pid: 'labid:long', digest, decision: 'accept' };
  const decided = await service.request('POST', '/-/c/review/decisions', { token: 'cleo', json });
  assert.equal(decided.status, 200, decided.text.slice(0, 500));
  assert.ok(service.app.pool.started > started);
  const { id } = decided.json<{ id: string }>();
  const record = async () =>
    (await service.request('GET', '/c/curated/record?pid=labid:long', { token: 'cleo' })).json<{
      affiliations: string[];
    }>();
  assert.equal((await record()).affiliations[0], 'labid:submitted0');
  const undone = await service.request('POST', `/-/c/review/decisions/${id}/undo`, { token: 'cleo' });
  assert.equal(undone.status, 200, undone.text.slice(0, 500));
  assert.equal((await record()).affiliations[0], 'labid:curated0');
});

test('a search looks into long records in threads', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  await store(service, 'ann', '', person('long', { description: `${'xyz '.repeat(50_000)}needle` }));
  await store(service, 'ann', '', person('short', { description: 'needle' }));
  const { started } = service.app.pool;
  const answer = await service.request('GET', '/-/c/search?q=needle+xyz', { token: 'ann' });
  assert.ok(service.app.pool.started > started);
  assert.deepEqual(
    answer.json<{ items: { pid: string }[] }>().items.map(({ pid }) => pid),
    ['labid:long'],
  );

  // The index of values has the beginning of a long text: the rest is read from the record.
  await store(service, 'ann', '', person('many', { description: `${'xyz '.repeat(20_000)}end` }));
  const found = async (query: string) =>
    (await service.request('GET', `/-/c/search?${query}`, { token: 'ann' })).json<{ total: number }>().total;
  const values = Array.from({ length: 20 }, (_, n) => `description.contains=y${n}`).join('&');
  assert.equal(await found(`pid=labid:many&${values}`), 0);
  const names = Array.from({ length: 20 }, (_, n) => `or1.family_name.contains=y${n}`).join('&');
  const read = values.replace('y0', 'z end');
  assert.equal(await found(`pid=labid:many&or1.pid=labid:many&${names}&${read}`), 1);
});
