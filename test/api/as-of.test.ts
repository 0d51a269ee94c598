/** Reads of records as they were: byte for byte what was answered then, for those who curate and for those who submit. */
import assert from 'node:assert/strict';
import { of, TAG } from '../policies/world.ts';
import { testApp } from '../support/app.ts';
import { BACKENDS } from '../support/backends.ts';
import { assertReadAsThen, configuration, TOKENS } from '../support/former-reads.ts';
import { organization, person } from '../support/people.ts';
import { repeated, test } from '../support/tier.ts';

for (const type of BACKENDS) {
  repeated(`${type}: every read answers as it did at each moment`, async (t) => {
    await assertReadAsThen(await testApp(t, configuration(type)), [
      ['cur', 'POST', '/c/curated/record/Person', person('a')],
      ['cur', 'POST', '/c/curated/record/Organization', organization('c')],
      ['ann', 'POST', '/c/record/Person', person('b', { given_name: 'ann' })],
      ['cur', 'POST', '/c/curated/record/Person', person('b', { affiliations: ['labid:c'] })],
      ['ann', 'POST', '/c/record/Person', person('a', { given_name: 'A' })],
      ['ann', 'DELETE', '/c/record?pid=labid:b'],
      ['cur', 'DELETE', '/c/curated/record?pid=labid:a'],
      ['cur', 'POST', '/c/curated/record/Organization', organization('a')],
    ]);
  });
}

test('a walk through the pages of a moment neither repeats nor skips, whatever is written', async (t) => {
  const { request } = await testApp(t, configuration('sqlite'));
  const put = (n: number, more = {}) =>
    request('POST', '/c/curated/record/Person', { token: 'cur', json: person(`p${n}`, more) });
  for (let n = 10; n < 40; n++) await put(n);
  const { headers, text: wanted } = await request('GET', '/c/curated/records/', { token: 'cur' });
  const at = headers['accession-revision'];
  const found: unknown[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { json, headers } = await request('GET', `/c/curated/records/p/?size=4&page=${page}&at=${at}`, {
      token: 'cur',
    });
    assert.equal(headers['accession-revision'], at);
    const body = json<{ items: unknown[]; pages: number }>();
    pages = body.pages;
    found.push(...body.items);
    await request('DELETE', `/c/curated/record?pid=labid:p${10 + 3 * page}`, { token: 'cur' });
    await put(page, { given_name: 'new' });
    await put(39 - page, { given_name: 'changed' });
  }
  assert.deepEqual(found, JSON.parse(wanted));
});

test('what is not kept, or not yet there, is gone, and searches know the present only', async (t) => {
  const { request, app } = await testApp(t, configuration('sqlite'));
  for (const given_name of ['1', '2', '3'])
    await request('POST', '/c/curated/record/Person', { token: 'cur', json: person('a', { given_name }) });
  const read = (query: string) => request('GET', `/c/curated/records/p/?${query}`, { token: 'cur' });
  const then = (await read('at=2')).text;
  assert.match(then, /"given_name":"2"/);
  const { curated } = app.registry.collection('c');
  assert.equal(await curated.prune('9999-01-01T00:00:00.000000+00:00', 2), 1);
  assert.equal((await read('at=2')).text, then);
  for (const [query, status] of [
    ['at=1', 410],
    ['at=0', 410],
    ['at=4', 410],
    ['at=2000-01-01T00:00:00Z', 410],
    ['at=2&matching=%25', 422],
    ['at=yesterday', 422],
  ] as const)
    assert.equal((await read(query)).status, status, query);
  const search = await request('GET', '/-/c/curated/search?q=a&at=2', { token: 'cur' });
  assert.equal(search.status, 422);
});

test('a former state has no record that the caller may not see now, nor what was hidden then', async (t) => {
  const policies = { policy_annotation_tag: TAG, policy_mapping: [of('bob', 'x')] };
  const { request } = await testApp(t, configuration('sqlite', policies));
  const put = (name: string, policy?: string) =>
    request('POST', '/c/curated/record/Person', {
      token: 'cur',
      json: person(name, policy === undefined ? {} : { annotations: { [TAG]: policy } }),
    });
  for (const [name, policy] of [
    ['a', 'x'],
    ['b', 'y'],
    ['c', 'x'],
    ['a', 'y'],
    ['b', 'x'],
  ] as const)
    await put(name, policy);
  type Feed = { items: { revision: number; time: string }[] };
  const feed = async (path: string, token: string) =>
    (await request('GET', `/-/c${path}/changes`, { token })).json<Feed>().items;
  const times = (await feed('/curated', 'cur')).map(({ time }) => encodeURIComponent(time));
  const pids = async (revision: number, at: string | number = times[revision - 1]!) => {
    const { json } = await request('GET', `/c/records/p/?at=${at}`, { token: 'bob' });
    return json<{ items: { pid: string }[] }>().items.map(({ pid }) => pid.slice(6));
  };
  assert.deepEqual(await pids(3), ['c']);
  assert.deepEqual(await pids(5), ['b', 'c']);
  const [last] = (await feed('', 'bob')).slice(-1);
  assert.ok(last!.revision > 1e15, 'numbers that count hidden changes are not shown');
  assert.deepEqual(await pids(5, last!.revision), ['b', 'c']);
  assert.deepEqual(await pids(5, 5), [], 'nor understood');
  await put('c', 'y');
  assert.deepEqual(await pids(3), []);
  await put('a', 'x');
  assert.deepEqual(await pids(3), ['a']);
  assert.equal((await request('GET', `/c/record?pid=labid:b&at=${times[2]}`, { token: 'bob' })).text, 'null');
});

test('stores at the same time say the revision of their own commit', async (t) => {
  const { request } = await testApp(t, configuration('sqlite'));
  const numbers = Array.from({ length: 20 }, (_, n) => n + 10);
  const stored = await Promise.all(
    numbers.map((n) => request('POST', '/c/curated/record/Person', { token: 'cur', json: person(`p${n}`) })),
  );
  const revisions = stored.map(({ headers }) => Number(headers['accession-revision']));
  assert.equal(new Set(revisions).size, numbers.length, revisions.join(' '));
  for (const [i, n] of numbers.entries()) {
    const { json } = await request('GET', `/c/curated/records/?at=${revisions[i]}`, { token: 'cur' });
    const found = json<{ pid: string }[]>().map(({ pid }) => pid);
    assert.equal(found.length, revisions[i]);
    assert.ok(found.includes(`labid:p${n}`));
  }
});

test('reads, searches, stores and deletes say the revision that they are of, to those who may read', async (t) => {
  const service = await testApp(t, {
    collections: { c: { backend: { type: 'sqlite' } } },
    tokens: { ...TOKENS, sub: { c: 'SUBMIT_ONLY' } },
  });
  const revisionOf = async (method: string, url: string, token: string, json?: object) => {
    const answer = await service.request(method, url, { token, ...(json && { json }) });
    assert.equal(answer.status, 200, answer.text);
    return answer.headers['accession-revision'];
  };
  assert.equal(await revisionOf('POST', '/c/curated/record/Person', 'cur', person('a')), '1');
  assert.equal(await revisionOf('POST', '/-/c/curated/records/Person', 'cur', [person('b')]), '2');
  assert.equal(await revisionOf('POST', '/c/record/Person', 'ann', person('a')), '2.1');
  assert.equal(await revisionOf('POST', '/-/c/records/Person', 'ann', [person('b')]), '2.2');
  assert.equal(await revisionOf('POST', '/c/record/Person', 'sub', person('a')), undefined);
  assert.equal(await revisionOf('POST', '/c/curated/record/Person', 'cur', person('t')), '3');
  assert.equal(await revisionOf('GET', '/c/record?pid=labid:a', 'ann'), '3.2');
  assert.equal(await revisionOf('GET', '/c/record?pid=labid:none', 'bob'), '3');
  assert.equal(await revisionOf('GET', '/-/c/search?q=a', 'bob'), '3');
  assert.equal(await revisionOf('DELETE', '/c/record?pid=labid:a', 'ann'), '3.3');
  assert.equal(await revisionOf('DELETE', '/-/c/curated/records/', 'cur', ['labid:a']), '4');
});
