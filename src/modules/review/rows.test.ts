/** What the endpoints of review return, field by field and filter by filter, on each backend. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { assertDescribed } from '../../../test/support/described-values.ts';
import { curate, decide, item, type On, onEach, person, store } from './endpoints.support.ts';

const CORA = { token: 'cora' };

type Page<T = { pid: string }> = { items: T[]; total: number; next: string | null; as_of: string };

async function get<T>({ service, c }: On, path: string, token = 'cora'): Promise<T> {
  const answer = await service.request('GET', `/-/${c}${path}`, { token });
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.json<T>();
}

const pids = ({ items }: { items: readonly { pid: string }[] }) =>
  items.map(({ pid }) => pid.replace('labid:', ''));

/** Four submissions: a and c of ann, b and d of bob; b in a batch, d not valid for review's `new`: it is curated, too. */
async function four(on: On): Promise<void> {
  await curate(on, person('d'));
  await store(on, 'ann', person('a'));
  await store(on, 'bob', person('b'), '?batch=one');
  await store(on, 'ann', person('c'));
  await store(on, 'bob', person('d', { email: 'd@example.org' }));
}

async function decided(on: On, label: string, name: string, decision: object) {
  const { digest } = await item(on, `labid:${name}`, label);
  const answer = await decide(on, { label, pid: `labid:${name}`, digest, ...decision });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ id: string; group: string; time: string }>();
}

onEach('A page of the queue and each row have all the fields of the contract', async (on) => {
  await four(on);
  const page = await get<Page<object>>(on, '/review/?size=2');
  assert.deepEqual(
    Object.keys(page).sort(),
    ['as_of', 'items', 'next', 'page', 'pages', 'size', 'total', 'zones_pending'].sort(),
  );
  const fields =
    `pid class label submitter edited_by submitted_at batch message state standing digest etag curated_etag
    base_etag title valid differences conflicts slots others last`.split(/\s+/);
  for (const row of page.items)
    assert.deepEqual(
      fields.filter((name) => !(name in row)),
      [],
    );
});

onEach('The queue is filtered, sorted, and continued behind a row', async (on) => {
  await four(on);
  const queue = async (query: string) => pids(await get<Page>(on, `/review/?${query}`));
  assert.deepEqual(await queue(''), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await queue('sort=-submitted'), ['d', 'c', 'b', 'a']);
  assert.deepEqual(await queue('sort=-pid'), ['d', 'c', 'b', 'a']);
  assert.deepEqual(await queue('sort=class&class=Agent'), ['a', 'c', 'b', 'd']);
  assert.deepEqual(await queue('label=bob'), ['b', 'd']);
  assert.deepEqual(await queue('label=ann,bob&state=changed'), ['d']);
  assert.deepEqual(await queue('submitter=ann@example.org'), ['a', 'c']);
  assert.deepEqual(await queue('batch=one'), ['b']);
  assert.deepEqual(await queue('pid=labid:c'), ['c']);
  assert.deepEqual(await queue('class=Organization'), []);
  assert.deepEqual(await queue('valid=true&size=1&page=2'), ['b']);
  assert.deepEqual(await queue('valid=false'), []);
  const { next } = await get<Page>(on, '/review/?size=2');
  await decided(on, 'ann', 'a', { decision: 'reject', reason: 'no' });
  const rest = await get<Page>(on, `/review/?size=2&after=${encodeURIComponent(next!)}`);
  assert.deepEqual([pids(rest), rest.next], [['c', 'd'], null]);
  assert.deepEqual(await queue('standing=rejected'), ['a']);
});

onEach('Each part of the summary ignores the filter on its own field', async (on) => {
  await four(on);
  await decided(on, 'ann', 'c', { decision: 'defer', reason: 'later?' });
  type Summary = Record<`by_${string}`, Record<string, number>> & { total: number };
  const { total, ...parts } = await get<Summary>(on, '/review/summary?label=ann');
  assert.equal(total, 1);
  assert.deepEqual(parts.by_label, { ann: 1, bob: 2 });
  assert.deepEqual(parts.by_standing, { deferred: 1, waiting: 1 });
  assert.deepEqual([parts.by_state, parts.by_class], [{ new: 1 }, { Person: 1 }]);
  assert.deepEqual(parts.by_submitter, { 'ann@example.org': 1 });
  assert.deepEqual((await get<Summary>(on, '/review/summary?label=bob')).by_batch?.one, 1);
});

onEach('An item has its references, its competitors, and the decisions on its pid', async (on) => {
  const { service, c } = on;
  const organization = { pid: 'labid:lab', name: 'Lab' };
  const url = `/${c}/record/Organization`;
  assert.equal((await service.request('POST', url, { token: 'ann', json: organization })).status, 200);
  await store(on, 'ann', person('a', { affiliations: ['labid:lab', 'labid:none'] }));
  await store(on, 'bob', person('a', { email: 'a@example.org' }));
  await decided(on, 'bob', 'a', { decision: 'reject', reason: 'not you' });
  const found = (await item(on, 'labid:a')) as unknown as {
    references: { pid: string; in: string; digest: string | null; standing: string | null }[];
    competing: { label: string; standing: string }[];
    decisions: { reason: string }[];
    problems: object[];
    merged: object;
    last: { reason: string };
  };
  assert.deepEqual(found.references.map((one) => `${one.pid} ${one.in} ${one.standing}`).sort(), [
    'labid:lab zone waiting',
    'labid:none nowhere null',
  ]);
  assert.deepEqual(
    found.competing.map(({ label, standing }) => [label, standing]),
    [['bob', 'rejected']],
  );
  assert.deepEqual([found.decisions[0]?.reason, found.last.reason], ['not you', 'not you']);
  assert.deepEqual([found.problems, found.merged !== null], [[], true]);

  const digest = found.references.find((one) => one.in === 'zone')?.digest;
  const references = { with_references: [{ pid: 'labid:lab', digest }] };
  const { group, id } = await decided(on, 'ann', 'a', { decision: 'accept', ...references });
  const both = await get<Page>(on, `/review/decisions?group=${group}`);
  assert.deepEqual(pids(both).sort(), ['a', 'lab']);
  assert.deepEqual(pids(await get<Page>(on, '/review/?label=ann')), []);
  const undone = await service.request('POST', `/-/${c}/review/decisions/${id}/undo`, CORA);
  assert.equal(undone.status, 200, undone.text);
  assert.deepEqual(pids(await get<Page>(on, '/review/?label=ann')).sort(), ['a', 'lab'], 'the whole group');
});

onEach('A rejected claim is decided again only if that is asked for', async (on) => {
  await store(on, 'ann', person('a'));
  await decided(on, 'ann', 'a', { decision: 'reject', reason: 'no' });
  const { digest } = await item(on, 'labid:a');
  const body = { label: 'ann', pid: 'labid:a', digest, decision: 'accept' };
  const refused = await decide(on, body);
  assert.deepEqual(
    [refused.status, refused.json<{ decision: { reason: string } }>().decision.reason],
    [409, 'no'],
  );
  assert.equal((await decide(on, { ...body, overturn: true })).status, 200);
});

onEach('Decisions are found by who, what, whose and when, with the records that they keep', async (on) => {
  await four(on);
  const first = await decided(on, 'ann', 'a', { decision: 'accept' });
  await decided(on, 'bob', 'b', { decision: 'reject', reason: 'no' });
  const third = await decided(on, 'bob', 'd', { decision: 'accept' });
  const list = async (query: string) => pids(await get<Page>(on, `/review/decisions?${query}`));
  assert.deepEqual(await list(''), ['d', 'b', 'a'], 'newest first');
  assert.deepEqual(await list('decision=accept'), ['d', 'a']);
  assert.deepEqual(await list('label=bob&class=Person'), ['d', 'b']);
  assert.deepEqual(await list('submitter=ann@example.org'), ['a']);
  assert.deepEqual(await list('reviewer=me&size=1'), ['d']);
  assert.deepEqual(await list('submitter=me'), []);
  assert.deepEqual(await list('q=NO'), ['b'], 'a word of the reason');
  assert.deepEqual(await list('q=bob+person&decision=accept'), ['d']);
  assert.deepEqual(await list('q=bob&size=1&page=2'), ['b']);
  assert.deepEqual(await list('q=none'), []);
  assert.deepEqual(await list(`since=${encodeURIComponent(third.time)}`), ['d']);
  assert.deepEqual(await list(`until=${encodeURIComponent(third.time)}`), ['b', 'a']);
  type Kept = Record<'submitted' | 'before' | 'after', { pid: string; email?: string } | null>;
  const { submitted, before, after } = await get<Kept>(on, `/review/decisions/${third.id}`);
  assert.deepEqual(
    [before?.email, submitted?.email, after?.email],
    [undefined, ...Array(2).fill('d@example.org')],
  );
  assert.equal((await get<Kept>(on, `/review/decisions/${first.id}`)).before, null);
});

onEach('By filter, submissions that came after the list was read are left alone', async (on) => {
  const { service, c } = on;
  await four(on);
  const { as_of, next } = await get<Page>(on, '/review/?size=1');
  await store(on, 'ann', person('late'));
  const body = { filter: { state: ['new'] }, decision: 'accept', as_of, after: next, expected: 2 };
  const url = `/-/${c}/review/decisions/by-filter`;
  const done = await service.request('POST', url, { ...CORA, json: body });
  assert.equal(done.status, 200, done.text);
  assert.equal(done.json<{ selected: number }>().selected, 2);
  assert.deepEqual(pids(await get<Page>(on, '/review/')).sort(), ['a', 'd', 'late']);
});

onEach(
  'Submitters find their submissions by status, class, batch and time, and what the curator changed',
  async (on) => {
    const { service, c } = on;
    for (const name of ['a', 'b', 'd', 'w'])
      await store(on, 'ann', person(name), name === 'b' ? '?batch=one' : '');
    const accepted = person('a', { name: 'A. Better', schema_type: undefined });
    const { time } = await decided(on, 'ann', 'b', { decision: 'reject', reason: 'no' });
    await decided(on, 'ann', 'd', { decision: 'defer', reason: 'which?', until: '2999-01-01T00:00:00Z' });
    const record = JSON.parse(JSON.stringify(accepted)) as object;
    await decided(on, 'ann', 'a', { decision: 'accept', record, if_curated: null });
    await service.request('DELETE', `/${c}/record?pid=labid:w`, { token: 'ann' });
    await store(on, 'ann', person('z'));

    const own = async (query: string) => pids(await get<Page>(on, `/submissions/?${query}`, 'ann')).sort();
    assert.deepEqual(await own(''), ['a', 'b', 'd', 'w', 'z']);
    for (const [status, name] of Object.entries({
      accepted: 'a',
      rejected: 'b',
      deferred: 'd',
      withdrawn: 'w',
    }))
      assert.deepEqual(await own(`status=${status}`), [name]);
    assert.deepEqual(await own('class=Organization'), []);
    assert.deepEqual(await own('batch=one'), ['b']);
    assert.deepEqual(await own(`since=${encodeURIComponent(time)}`), ['a', 'b', 'd', 'w']);
    type Own = { changed_by_curator: { slot: string }[]; reason: string | null; decisions: object[] };
    const seen = await get<Own>(on, '/submissions/item?pid=labid:a', 'ann');
    assert.deepEqual([seen.changed_by_curator.map(({ slot }) => slot), seen.decisions.length], [['name'], 1]);
  },
);

onEach('Classes, titles, permissions and state of the service are those of each backend', async (on) => {
  const { service, c } = on;
  await curate(on, person('a', { name: 'Ada' }));
  await store(on, 'ann', person('b', { name: 'Bea' }));
  const classes = await get<{ class: string; count: number }[]>(on, '/classes', 'ann');
  assert.equal(classes.find((one) => one.class === 'Person')?.count, 2);
  const others = await get<{ class: string; count: number }[]>(on, '/classes', 'rea');
  assert.equal(others.find((one) => one.class === 'Person')?.count, 1);
  const json = { pids: ['labid:a', 'labid:b', 'labid:none'] };
  const titles = (await service.request('POST', `/-/${c}/titles`, { token: 'ann', json })).json();
  assert.deepEqual(titles, {
    'labid:a': { title: 'Ada', class: 'Person', in: 'curated' },
    'labid:b': { title: 'Bea', class: 'Person', in: 'zone' },
    'labid:none': null,
  });
  const hidden = (await service.request('POST', `/-/${c}/titles`, { token: 'rea', json })).json();
  assert.equal((hidden as Record<string, unknown>)['labid:b'], null);
  const me = (await service.request('GET', `/-/me?collection=${c}`, { token: 'ann' })).json<{
    collections: Record<string, { permissions: string[]; label: string }>;
  }>();
  assert.deepEqual(me.collections[c]?.permissions, ['read_curated', 'read_zone', 'write_zone']);
  const status = await service.request('GET', '/-/status', { token: ADMIN });
  assert.equal(status.status, 200, status.text);
  assert.ok(status.text.includes(`"${c}"`), 'the collection is listed');
  assert.equal((await service.request('GET', '/-/status', CORA)).status, 401);
});

test('the statuses that a filter accepts are those of its description', async (t) => {
  const service = await testApp(t, {
    collections: { lab: {} },
    tokens: { ann: { lab: 'WRITE_COLLECTION' } },
  });
  const values = ['accepted', ',accepted,rejected', '', 'acceptedrejected'];
  await assertDescribed(service, 'ann', [['/-/{collection}/submissions/', 'get', 'status', values]]);
});
