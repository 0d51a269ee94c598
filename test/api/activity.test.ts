/** Who changed what in an area: the curated area and zones for curators, the own zone for its owner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedApp } from '../support/app.ts';
import { organization, person } from '../support/people.ts';

type Item = {
  pid: string;
  revision: number;
  committer_id: string | null;
  author_id: string | null;
  role: string;
  changes: { path: string }[];
};
type Activity = { items: Item[]; next: number | null };

const CONFIGURATION = {
  collections: { c: {}, s: { backend: { type: 'sqlite' } } },
  tokens: {
    ann: { c: 'WRITE_COLLECTION', s: 'WRITE_COLLECTION' },
    bob: { c: 'READ_CURATED' },
    curator: { c: 'CURATOR', s: 'CURATOR' },
  },
};

/** A service without records, which the tests share. */
const emptyService = sharedApp(CONFIGURATION);

for (const c of ['c', 's']) {
  test(`${c}: the activity of the curated area is paged, and selected by author, class and time`, async () => {
    const { request } = await emptyService();
    const token = 'curator';
    for (const n of [1, 2, 3])
      await request('POST', `/${c}/curated/record/Person`, {
        token,
        json: person('a', { given_name: `v${n}` }),
      });
    await request('POST', `/${c}/curated/record/Person?author_id=eve`, { token, json: person('b') });
    await request('POST', `/${c}/curated/record/Organization`, { token, json: organization('o') });
    await request('DELETE', `/${c}/curated/record?pid=labid:b`, { token });
    const activity = async (query: string) => {
      const answer = await request('GET', `/-/${c}/history${query}`, { token });
      assert.equal(answer.status, 200, answer.text);
      return answer.json<Activity>();
    };
    const whole = await activity('');
    assert.deepEqual(
      whole.items.map(({ pid }) => pid.slice(-1)),
      ['b', 'o', 'b', 'a', 'a', 'a'],
    );
    assert.equal(whole.next, null);
    assert.deepEqual(
      whole.items[3]?.changes.map(({ path }) => path),
      ['/given_name'],
    );
    const paged: Item[] = [];
    for (let next: number | null | undefined; next !== null; ) {
      const page: Activity = await activity(`?size=2${next === undefined ? '' : `&before=${next}`}`);
      paged.push(...page.items);
      next = page.next;
    }
    assert.deepEqual(paged, whole.items);
    assert.equal((await activity('?author=eve')).items.length, 1);
    assert.equal((await activity('?class=Organization')).items.length, 1);
    assert.equal((await activity('?since=2999-01-01T00:00:00Z')).items.length, 0);
    assert.equal((await activity('?pid=labid:a&size=2')).items.length, 2);
    const array = await request('GET', `/-/${c}/history?pid=labid:a`, { token });
    assert.equal(array.json<unknown[]>().length, 3);
    assert.equal((await request('GET', `/-/${c}/history?befor=1`, { token })).status, 422);
    assert.equal((await request('GET', `/-/${c}/history?before=x`, { token })).status, 422);
    assert.equal((await request('GET', `/-/${c}/history`, { token: 'ann' })).status, 403);
  });

  test(`${c}: the owner of a zone sees that a curator edited a record, and curators see who`, async () => {
    const { request } = await emptyService();
    await request('POST', `/${c}/record/Person`, { token: 'ann', json: person('a') });
    const json = person('a', { given_name: 'Edited' });
    await request('POST', `/${c}/incoming/ann/record/Person`, { token: 'curator', json });
    const own = (await request('GET', `/-/${c}/zone/history`, { token: 'ann' })).json<Activity>();
    assert.deepEqual(
      own.items.map(({ role, committer_id }) => [role, committer_id]),
      [
        ['curator', null],
        ['submitter', 'ann@example.org'],
      ],
    );
    const zone = (
      await request('GET', `/-/${c}/incoming/ann/history`, { token: 'curator' })
    ).json<Activity>();
    assert.equal(zone.items[0]?.committer_id, 'curator@example.org');
    const refused = await request('GET', `/-/${c}/incoming/ann/history`, { token: 'ann' });
    assert.equal(refused.status, 403);
    const unknown = await request('GET', `/-/${c}/incoming/none/history`, { token: 'curator' });
    // A store of a curator would make the zone.
    assert.deepEqual([unknown.status, unknown.json<Activity>().items], [200, []]);
  });
}

test('a token that reads no zone has no history of one', async () => {
  const { request } = await emptyService();
  assert.equal((await request('GET', '/-/c/zone/history', { token: 'bob' })).status, 403);
});
