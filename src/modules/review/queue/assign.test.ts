/** Who is to decide on submissions: by hand, by a rule, and no longer once a grant has ended; on both databases. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, type TestService, testApp } from '../../../../test/support/app.ts';
import { person } from '../../../../test/support/people.ts';
import { ownDatabase } from '../../../../test/support/postgresql.ts';
import { ofTier } from '../../../../test/support/tier.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: {
    ann: { c: 'WRITE_COLLECTION' },
    bea: { c: 'WRITE_COLLECTION' },
    cora: { c: 'CURATOR' },
    carl: { c: 'CURATOR' },
  },
};

type Row = { pid: string; assignee: string | null; due: string | null };

function actions({ request }: TestService) {
  const ok = async (method: string, url: string, token: string, json?: object) => {
    const answer = await request(method, url, { token, ...(json && { json }) });
    assert.ok(answer.status < 300, `${method} ${url}: ${answer.text}`);
    // biome-ignore lint/suspicious/noExplicitAny: of any form
    return answer.json<any>();
  };
  return {
    ok,
    submit: (token: string, name: string, others: object = {}) =>
      ok('POST', '/c/record/Person', token, { ...person(name), ...others }),
    assign: (json: object) => ok('POST', '/-/c/review/assignments', 'cora', json),
    /** `name assignee`, in the order of the queue. */
    async queue(query = '', token = 'cora') {
      const { items, total } = await ok('GET', `/-/c/review/?${query}`, token);
      assert.equal(total, items.length, 'the number of rows is that of the total');
      return items.map(({ pid, assignee }: Row) => `${pid.replace('labid:', '')} ${named(assignee)}`);
    },
    async summary() {
      const { by_assignee } = await ok('GET', '/-/c/review/summary', 'cora');
      return Object.fromEntries(Object.entries(by_assignee).map(([id, n]) => [named(id), n]));
    },
  };
}

const userId = (name: string) => `${name}@example.org`;
const named = (id: string | null) => (id === null ? null : id.replace('@example.org', ''));
const of = (label: string, name: string, curator: string | null, others: object = {}) => {
  return { label, pid: `labid:${name}`, assignee: curator && userId(curator), ...others };
};

for (const kind of ofTier(['SQLite', 'PostgreSQL'])) {
  const open = async (t: Parameters<typeof testApp>[0]) =>
    testApp(t, CONFIGURATION, kind === 'SQLite' ? {} : { databaseUrl: await ownDatabase() });

  test(`${kind}: submissions are assigned, filtered by who is to decide, counted, and ordered by when they are due`, async (t) => {
    const { submit, assign, queue, summary, ok } = actions(await open(t));
    for (const name of ['a', 'b', 'c', 'd']) await submit('ann', name);
    assert.deepEqual(await queue(), ['a null', 'b null', 'c null', 'd null']);

    const due = '2100-01-02T00:00:00.000000+00:00';
    assert.deepEqual(await assign(of('ann', 'a', 'cora', { due })), of('ann', 'a', 'cora', { due }));
    const { results } = await assign([
      of('ann', 'b', 'carl', { due: '2100-01-01T00:00:00Z' }),
      of('ann', 'c', 'ann'),
      of('ann', 'x', 'cora'),
      of('nowhere', 'c', 'cora'),
      of('ann', 'd', null),
    ]);
    assert.deepEqual(
      results.map(({ status, detail }: { status: number; detail?: { msg: string }[] }) => [
        status,
        detail?.at(-1)?.msg,
      ]),
      [
        [200, undefined],
        [422, "expected a curator of the collection, found 'ann@example.org'"],
        [
          404,
          "No submission with the pid 'labid:x' waits in the zone. It may have been withdrawn or accepted.",
        ],
        [404, "The collection 'c' has no incoming zone 'nowhere', expected 'ann', 'bea', 'carl', 'cora'."],
        [200, undefined],
      ],
    );
    assert.deepEqual(await queue('assignee=me'), ['a cora']);
    assert.deepEqual(await queue('assignee=me', 'carl'), ['b carl']);
    assert.deepEqual(await queue('assignee=none'), ['c null', 'd null']);
    assert.deepEqual(await queue(`assignee=${userId('cora')},none`), ['a cora', 'c null', 'd null']);
    assert.deepEqual(await queue(`assignee=${userId('nadia')}`), []);
    assert.deepEqual(await queue('sort=due'), ['b carl', 'a cora', 'c null', 'd null']);
    assert.deepEqual(await queue('sort=-due'), ['c null', 'd null', 'a cora', 'b carl']);
    assert.deepEqual(await summary(), { carl: 1, cora: 1, '': 2 });
    const first = await ok('GET', '/-/c/review/?sort=due&size=2', 'cora');
    const rest = await ok('GET', `/-/c/review/?sort=due&after=${first.next}`, 'cora');
    assert.deepEqual(
      rest.items.map(({ pid }: Row) => pid),
      ['labid:c', 'labid:d'],
    );

    // Other content stays whose it was; what has left and comes again is unassigned.
    await submit('ann', 'a', { given_name: 'Other' });
    await ok('DELETE', '/c/record?pid=labid:b', 'ann');
    await submit('ann', 'b');
    assert.deepEqual(await queue('sort=pid'), ['a cora', 'b null', 'c null', 'd null']);

    // Decisions by filter are on one's own, and an undo gives back whose it was.
    const json = { filter: { assignee: 'me' }, expected: 1, decision: 'accept' };
    const decided = await ok('POST', '/-/c/review/decisions/by-filter', 'cora', json);
    assert.deepEqual(await summary(), { '': 3 });
    const { id } = decided.results[0].decision;
    await ok('POST', `/-/c/review/decisions/${id}/undo`, 'cora', {});
    assert.deepEqual(await queue(`assignee=${userId('cora')}`), ['a cora']);
  });

  test(`${kind}: rules assign new submissions by class and zone, with the days that a decision may take`, async (t) => {
    const { submit, assign, queue, ok } = actions(await open(t));
    await submit('ann', 'before');
    const rules = [
      { curator: userId('nadia'), classes: ['Instrument'] },
      { curator: userId('carl'), classes: ['Agent'], zones: ['bea'] },
      { curator: userId('nadia'), zones: ['carl'] },
      { curator: userId('cora') },
    ];
    await ok('PUT', '/-/c/settings', 'cora', { review: { assign: rules, due_days: 10 } });
    await submit('ann', 'a');
    await submit('bea', 'b');
    await submit('carl', 'c');
    assert.deepEqual(await queue(), ['before null', 'a cora', 'b carl', 'c null']);
    const { items } = await ok('GET', `/-/c/review/?assignee=${userId('carl')}`, 'cora');
    const days = (Date.parse(items[0].due) - Date.parse(items[0].submitted_at)) / 86_400_000;
    assert.ok(Math.abs(days - 10) < 0.01, items[0].due);
    // By hand, the days count from now, and a time that there is stays.
    assert.notEqual((await assign(of('ann', 'before', 'cora'))).due, null);
    assert.equal((await assign(of('bea', 'b', 'cora'))).due, items[0].due);
    assert.equal((await assign(of('bea', 'b', 'cora', { due: null }))).due, null);
  });

  test(`${kind}: submissions of someone who curates no more are unassigned, and are theirs again with the grant`, async (t) => {
    const service = await open(t);
    const { submit, assign, queue, summary, ok } = actions(service);
    for (const name of ['a', 'b']) await submit('ann', name);
    await assign([of('ann', 'a', 'carl'), of('ann', 'b', 'cora')]);
    const curators = async () =>
      (await ok('GET', '/-/c/review/curators', 'cora')).items.map((one: { user_id: string }) =>
        named(one.user_id),
      );
    assert.deepEqual(await curators(), ['carl', 'cora']);
    const before = await service.request('GET', '/-/c/review/', { token: 'cora' });
    const token = await ok('GET', '/tokens/carl', ADMIN);
    await ok('DELETE', '/tokens/carl', ADMIN);

    const headers = { 'if-none-match': String(before.headers.etag) };
    assert.equal((await service.request('GET', '/-/c/review/', { token: 'cora', headers })).status, 200);
    assert.deepEqual(await curators(), ['cora']);
    assert.deepEqual(await queue(), ['a null', 'b cora']);
    assert.deepEqual(await queue('assignee=none'), ['a null']);
    assert.deepEqual(await queue(`assignee=${userId('carl')}`), []);
    assert.deepEqual(await summary(), { cora: 1, '': 1 });
    const item = await ok('GET', '/-/c/review/item?label=ann&pid=labid:a', 'cora');
    assert.equal(item.assignee, null);

    await ok('PUT', '/tokens/carl', ADMIN, token);
    assert.deepEqual(await queue(), ['a carl', 'b cora']);
  });
}
