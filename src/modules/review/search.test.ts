/** Finding submissions of the queue: by words, and by their place in it. */
import assert from 'node:assert/strict';
import { decide, item, onEach, person, store } from './endpoints.support.ts';

onEach('Words find submissions on every backend, also in decisions by filter', async (on) => {
  const { service, c } = on;
  const more = { description: 'Möwen auf Rügen', email: 'a@example.org' };
  for (const name of ['a', 'b']) await store(on, 'ann', person(name, more), '?batch=spring');
  await store(on, 'bob', person('z'), '?message=rugen');
  const total = async (path: string, token: string) => {
    const answer = await service.request('GET', `/-/${c}/${path}`, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.json<{ total: number }>().total;
  };
  assert.equal(await total('review/?q=rugen', 'cora'), 3, 'values and messages, without accents');
  assert.equal(await total('review/?q=mowen%20spring', 'cora'), 2, 'all words, wherever they are');
  assert.equal(await total('review/?q=description', 'cora'), 0, 'names of slots are no values');
  assert.equal(await total('review/summary?q=rugen&label=bob', 'cora'), 1);
  assert.equal(
    (await service.request('GET', `/-/${c}/review/?q=${'a%20'.repeat(40)}x`, { token: 'cora' })).status,
    200,
  );
  const many = Array.from({ length: 33 }, (_, i) => `w${i}`).join('%20');
  assert.equal((await service.request('GET', `/-/${c}/review/?q=${many}`, { token: 'cora' })).status, 422);
  const json = { filter: { q: 'mowen' }, expected: 2, decision: 'accept' };
  const decided = await service.request('POST', `/-/${c}/review/decisions/by-filter`, {
    token: 'cora',
    json,
  });
  assert.equal(decided.json<{ selected: number }>().selected, 2, decided.text);
  assert.equal(await total('review/?q=mowen', 'cora'), 0);
  assert.equal(await total('submissions/?q=mowen', 'ann'), 2, 'also what has left the zone');
  assert.equal(await total('submissions/?q=mowen', 'bob'), 0);
});

onEach('A page around a submission says where it is, in each order, and where it was', async (on) => {
  const { service, c } = on;
  const names = Array.from({ length: 12 }, (_, i) => `p${String(i).padStart(2, '0')}`);
  for (const name of names) await store(on, 'ann', person(name));
  const page = async (query: string) => {
    const answer = await service.request('GET', `/-/${c}/review/?${query}`, { token: 'cora' });
    const { items, offset } = answer.json<{
      items: { pid: string }[];
      offset?: number;
      next: string;
    }>();
    return { offset, first: items[0]?.pid, n: items.length };
  };
  for (const sort of ['submitted', 'pid', 'class'])
    assert.deepEqual(
      await page(`sort=${sort}&size=4&around_label=ann&around_pid=labid:p08`),
      { offset: 3, first: 'labid:p03', n: 4 },
      sort,
    );
  assert.deepEqual(await page('sort=-submitted&around_label=ann&around_pid=labid:p08'), {
    offset: 0,
    first: 'labid:p11',
    n: 12,
  });
  assert.deepEqual(await page('around_label=ann&around_pid=labid:none'), {
    offset: 0,
    first: 'labid:p00',
    n: 12,
  });
  const { digest } = await item(on, 'labid:p08');
  await decide(on, { label: 'ann', pid: 'labid:p08', digest, decision: 'accept' });
  assert.deepEqual(await page('around_label=ann&around_pid=labid:p08'), {
    offset: 3,
    first: 'labid:p03',
    n: 8,
  });
  assert.equal((await page('page=2&size=5')).offset, undefined);
});
