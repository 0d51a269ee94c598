/** Reading records in the user area (specification 2.2, 4.1 rules 3 to 6, and 8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp, type TestService } from '../support/app.ts';
import { organization, person, storedPerson } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: {}, sql: { backend: 'sqlite' } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', sql: 'WRITE_COLLECTION' },
    own: { c: 'WRITE_SUBMISSIONS', sql: 'WRITE_SUBMISSIONS' },
    curated: { c: 'READ_CURATED', sql: 'READ_CURATED' },
    curator: { c: 'CURATOR', sql: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);
type Thing = { pid: string; given_name?: string };
type Page = { items: Thing[]; total: number; page: number; size: number; pages: number };

/** Stores many persons at once in the curated area. */
async function curate(
  { request }: TestService,
  collection: string,
  names: readonly string[],
  more: object = {},
) {
  const json = names.map((name) => person(name, more));
  const answer = await request('POST', `/-/${collection}/curated/records/Person`, { token: 'curator', json });
  assert.equal(answer.status, 200, answer.text);
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `p${String(n).padStart(5, '0')}`);
const pids = (things: readonly Thing[]) => things.map(({ pid }) => pid);

test('a list of a class includes its subclasses, a list without a class includes everything', async () => {
  const service = await emptyService();
  const { request } = service;
  await curate(service, 'c', ['b', 'a']);
  await request('POST', '/c/curated/record/Organization', { token: 'curator', json: organization('o') });
  await request('POST', '/c/curated/record/Thing', { token: 'curator', json: { pid: 'labid:t' } });
  const list = async (path: string) => pids((await request('GET', path, { token: 'ann' })).json());
  assert.deepEqual(await list('/c/records/Person'), ['labid:a', 'labid:b']);
  assert.deepEqual(await list('/c/records/Agent'), ['labid:a', 'labid:b', 'labid:o']);
  assert.deepEqual(await list('/c/records/Thing'), ['labid:a', 'labid:b', 'labid:o', 'labid:t']);
  assert.deepEqual(await list('/c/records/'), ['labid:a', 'labid:b', 'labid:o', 'labid:t']);
  assert.deepEqual(await list('/c/records/Project'), []);
});

test('lists are sorted by pid in code point order, over both areas', async () => {
  const service = await emptyService();
  const { request } = service;
  const store = async (path: string, token: string, pid: string) => {
    const answer = await request('POST', path, { token, json: { pid } });
    assert.equal(answer.status, 200, answer.text);
  };
  for (const pid of ['http://z.org/1', 'labid:B', 'labid:a'])
    await store('/sql/curated/record/Thing', 'curator', pid);
  for (const pid of ['http://a.org/1', 'labid:b', 'labid:Z']) await store('/sql/record/Thing', 'ann', pid);
  const expected = ['http://a.org/1', 'http://z.org/1', 'labid:B', 'labid:Z', 'labid:a', 'labid:b'];
  assert.deepEqual(pids((await request('GET', '/sql/records/', { token: 'ann' })).json()), expected);
  assert.deepEqual(
    pids((await request('GET', '/sql/records/p/', { token: 'ann' })).json<Page>().items),
    expected,
  );
});

test('a record in the zone of the user replaces the curated one, in lists, in pages and by pid', async () => {
  const service = await emptyService();
  const { request } = service;
  for (const collection of ['c', 'sql']) {
    await curate(service, collection, ['a', 'b', 'c']);
    const json = { ...person('b', { given_name: 'mine' }), pid: 'https://example.org/laboratory/id/b' };
    await request('POST', `/${collection}/record/Person`, { token: 'ann', json });
    const list = (await request('GET', `/${collection}/records/Person`, { token: 'ann' })).json<Thing[]>();
    assert.deepEqual(pids(list), ['https://example.org/laboratory/id/b', 'labid:a', 'labid:c']);
    const page = (
      await request('GET', `/${collection}/records/p/Person?size=2`, { token: 'ann' })
    ).json<Page>();
    assert.deepEqual(
      [page.total, page.pages, pids(page.items)],
      [3, 2, ['https://example.org/laboratory/id/b', 'labid:a']],
    );
    const one = await request('GET', `/${collection}/record?pid=labid:b`, { token: 'ann' });
    assert.equal(one.json<Thing>().given_name, 'mine');
    const curated = await request('GET', `/${collection}/record?pid=labid:b`, { token: 'curated' });
    assert.deepEqual(curated.json(), storedPerson('b'));
    const own = await request('GET', `/${collection}/records/p/`, { token: 'own' });
    assert.equal(own.json<Page>().total, 0);
  }
});

test('pages cover the list without gaps, and each has the right totals', async () => {
  const service = await emptyService();
  const { request } = service;
  const names = numbered(130);
  await curate(service, 'c', names);
  const own = [...names.filter((_, n) => n % 7 === 0), 'p00003x', 'zz'];
  await request('POST', '/-/c/records/Person', {
    token: 'ann',
    json: own.map((name) => person(name, { given_name: 'own' })),
  });
  const expected = [...new Set([...names, ...own])].sort().map((name) => `labid:${name}`);
  const seen: Thing[] = [];
  for (let page = 1; page <= 5; page++) {
    const answer = (
      await request('GET', `/c/records/p/?page=${page}&size=30`, { token: 'ann' })
    ).json<Page>();
    assert.deepEqual([answer.total, answer.page, answer.size, answer.pages], [132, page, 30, 5]);
    seen.push(...answer.items);
  }
  assert.deepEqual(pids(seen), expected);
  assert.equal(seen.filter(({ given_name }) => given_name === 'own').length, own.length);
});

test('a page has 50 records by default; a page past the end is empty; without records there are no pages', async () => {
  const service = await emptyService();
  const { request } = service;
  const none = (await request('GET', '/c/records/p/Person', { token: 'ann' })).json();
  assert.deepEqual(none, { items: [], total: 0, page: 1, size: 50, pages: 0 });
  await curate(service, 'c', numbered(51));
  const first = (await request('GET', '/c/records/p/Person', { token: 'ann' })).json<Page>();
  assert.deepEqual(
    [first.items.length, first.total, first.page, first.size, first.pages],
    [50, 51, 1, 50, 2],
  );
  const beyond = (await request('GET', '/c/records/p/Person?page=9', { token: 'ann' })).json();
  assert.deepEqual(beyond, { items: [], total: 51, page: 9, size: 50, pages: 2 });
});

test('page, size and format out of range are refused with 422', async () => {
  const { request } = await emptyService();
  const rows: [string, number][] = [
    ['page=1&size=1', 200],
    ['size=100', 200],
    ['size=2.0', 200],
    ['page=0', 422],
    ['page=-1', 422],
    ['page=x', 422],
    ['size=0', 422],
    ['size=101', 422],
    ['size=', 422],
    ['size=2.', 422],
    ['page=1e3', 422],
    ['format=xml', 422],
    ['format=', 422],
    ['format=ttl', 200],
    ['unknown=1', 200],
    ['page=9007199254740991&size=100', 200],
    ['page=99999999999999999999', 422],
  ];
  for (const [query, status] of rows) {
    const answer = await request('GET', `/c/records/p/?${query}`, { token: 'ann' });
    assert.equal(answer.status, status, `${query}: ${answer.text}`);
    if (status === 422) {
      const [problem] = answer.json<{ detail: { loc: string[]; msg: string }[] }>().detail;
      assert.deepEqual(problem?.loc, ['query', query.split('=')[0]]);
    }
  }
  const both = await request('GET', '/c/records/p/?page=0&size=0', { token: 'ann' });
  assert.equal(both.json<{ detail: unknown[] }>().detail.length, 2);
});

test('a list of more than 1200 JSON records is refused with 413, which names the paginated path', async () => {
  const service = await emptyService();
  const { request } = service;
  await curate(service, 'sql', numbered(1200));
  // The limit counts the merged list: a record of the own zone that hides a curated one does not add to it.
  await request('POST', '/sql/record/Person', { token: 'ann', json: person('p00000') });
  for (const path of ['Person', 'Agent', '']) {
    const answer = await request('GET', `/sql/records/${path}`, { token: 'ann' });
    assert.equal(answer.status, 200, answer.text.slice(0, 200));
    assert.equal(answer.json<Thing[]>().length, 1200);
  }
  await request('POST', '/sql/record/Person', { token: 'ann', json: person('onemore') });
  for (const path of ['Person', '']) {
    const answer = await request('GET', `/sql/records/${path}`, { token: 'ann' });
    assert.equal(answer.status, 413);
    assert.ok(answer.json<{ detail: string }>().detail.includes(`/sql/records/p/${path}`), answer.text);
  }
  const matching = await request('GET', '/sql/records/Person?matching=%25p0%25', { token: 'ann' });
  assert.deepEqual([matching.status, matching.json<Thing[]>().length], [200, 1200]);
  const common = await request('GET', '/sql/records/Person?matching=%25o%25', { token: 'ann' });
  assert.equal(common.status, 413);
  assert.match(common.json<{ detail: string }>().detail, /more than 1200 records/);
  assert.equal((await request('GET', '/sql/curated/records/Person', { token: 'curator' })).status, 200);
  const page = (
    await request('GET', '/sql/records/p/Person?page=13&size=100', { token: 'ann' })
  ).json<Page>();
  assert.deepEqual([page.total, page.pages, page.items.length], [1201, 13, 1]);
});

test('a list of more than 60 records as Turtle is refused with 413', async () => {
  const service = await emptyService();
  const { request } = service;
  await curate(service, 'c', numbered(60));
  const list = await request('GET', '/c/records/Person?format=ttl', { token: 'ann' });
  assert.equal(list.status, 200);
  assert.equal(list.json<string[]>().length, 60);
  await curate(service, 'c', ['x']);
  assert.equal((await request('GET', '/c/records/Person?format=ttl', { token: 'ann' })).status, 413);
  assert.equal((await request('GET', '/c/records/?format=ttl', { token: 'ann' })).status, 413);
  assert.equal((await request('GET', '/c/records/Person', { token: 'ann' })).status, 200);
  assert.equal(
    (await request('GET', '/c/records/p/Person?format=ttl&size=100', { token: 'ann' })).status,
    200,
  );
});

test('in Turtle a list is a JSON array with one document for each record', async () => {
  const service = await emptyService();
  const { request } = service;
  await curate(service, 'c', ['a', 'b']);
  const list = await request('GET', '/c/records/Person?format=ttl', { token: 'ann' });
  assert.equal(list.headers['content-type'], 'application/json');
  const documents = list.json<string[]>();
  assert.equal(documents.length, 2);
  assert.match(documents[0] ?? '', /schema:familyName "a"/);
  const page = (await request('GET', '/c/records/p/Person?format=ttl&size=1&page=2', { token: 'ann' })).json<{
    items: string[];
  }>();
  assert.deepEqual(page.items, [documents[1]]);
  const one = await request('GET', '/c/record?pid=labid:b&format=ttl', { token: 'ann' });
  assert.equal(one.text, documents[1]);
});

test('matching applies to whole string values of records, on backends that support it', async () => {
  const service = await emptyService();
  const { request } = service;
  const names = ['Łódź', 'Lovelace', 'love', '100%', '100'];
  for (const collection of ['c', 'sql']) {
    const json = names.map((name, n) => ({ pid: `labid:${n}`, name, family_name: 'X' }));
    await request('POST', `/-/${collection}/curated/records/Person`, { token: 'curator', json });
  }
  await request('POST', '/sql/record/Person', {
    token: 'ann',
    json: { pid: 'labid:1', name: 'Byron', family_name: 'X' },
  });
  const find = async (collection: string, matching: string, token = 'curated') =>
    (await request('GET', `/${collection}/records/Person?matching=${matching}`, { token }))
      .json<{ name: string }[]>()
      .map(({ name }) => name);
  const rows: [string, string[]][] = [
    [encodeURIComponent('LOVE'), ['love']],
    [encodeURIComponent('love%'), ['Lovelace', 'love']],
    [encodeURIComponent('ł_dź'), ['Łódź']],
    [encodeURIComponent('ove'), []],
    ['', []],
    [encodeURIComponent('family_name'), []],
    // Search strings come unescaped: a character that is not part of an escape is itself.
    ['%25ove%', ['Lovelace', 'love']],
    ['%25Lovel%%25', ['Lovelace']],
    ['%zz', []],
  ];
  for (const [matching, expected] of rows) assert.deepEqual(await find('sql', matching), expected, matching);
  // The curated record is hidden by one that does not match.
  assert.deepEqual(await find('sql', 'love%25', 'ann'), ['love']);
  const page = await request('GET', '/sql/records/p/?matching=%25ov_%25&size=1&page=1', { token: 'ann' });
  assert.equal(page.json<Page>().total, 1);
  assert.equal((await find('c', 'love')).length, names.length, 'record_dir ignores it');
});

test('a pid without a record returns 200 and null in both formats; one that cannot be resolved returns 400', async () => {
  const { request } = await emptyService();
  for (const pid of ['labid:none', 'http://x.org/none', 'nocolon', '']) {
    for (const format of ['json', 'ttl']) {
      const answer = await request('GET', `/c/record?pid=${pid}&format=${format}`, { token: 'ann' });
      assert.deepEqual(
        [answer.status, answer.text, answer.headers['content-type']],
        [200, 'null', 'application/json'],
        pid,
      );
    }
  }
  const unknown = await request('GET', '/c/record?pid=nope:x', { token: 'ann' });
  assert.equal(unknown.status, 400);
  assert.match(unknown.json<{ detail: string }>().detail, /nope/);
  assert.equal((await request('GET', '/c/record', { token: 'ann' })).status, 422);
});

test('a GET with a content type is answered like one without', async () => {
  const { request } = await emptyService();
  const headers = { 'content-type': 'text/turtle' };
  assert.equal((await request('GET', '/c/records/', { token: 'ann', headers })).status, 200);
  assert.equal(
    (await request('GET', '/c/records/', { token: 'ann', headers: { 'content-type': 'nonsense' } })).status,
    200,
  );
});

test('reads return only what the token may read', async () => {
  const service = await emptyService();
  const { request } = service;
  await curate(service, 'c', ['a']);
  await request('POST', '/c/record/Person', { token: 'own', json: person('b') });
  const list = async (token: string) => pids((await request('GET', '/c/records/', { token })).json());
  assert.deepEqual(await list('own'), ['labid:b']);
  assert.deepEqual(await list('curated'), ['labid:a']);
  assert.deepEqual(await list('ann'), ['labid:a']);
  assert.equal((await request('GET', '/c/record?pid=labid:a', { token: 'own' })).text, 'null');
  assert.equal((await request('GET', '/c/record?pid=labid:b', { token: 'curated' })).text, 'null');
});
