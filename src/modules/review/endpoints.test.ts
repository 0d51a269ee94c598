/**
 * The endpoints of review and of submissions, as each kind of client and on each backend; every answer is held against
 * the description.
 */
import assert from 'node:assert/strict';
import { ADMIN } from '../../../test/support/app.ts';
import {
  ADA,
  CONFIGURATION,
  curate,
  decide,
  item,
  onEach,
  person,
  type Row,
  store,
} from './endpoints.support.ts';

const ACTORS = ['guest', 'rea', 'ann', 'bob', 'cora', 'admin'] as const;
type Actor = (typeof ACTORS)[number];

function as(actor: Actor): { token?: string } {
  return actor === 'guest' ? {} : { token: actor === 'admin' ? ADMIN : actor };
}

/** Who may use which endpoint: the statuses of guest, reader, submitter, other submitter, curator, admin. */
const ROWS: readonly [
  name: string,
  method: string,
  url: string,
  statuses: readonly number[],
  body?: object,
][] = [
  ['the queue', 'GET', '/review/', [401, 403, 403, 403, 200, 401]],
  ['the summary', 'GET', '/review/summary', [401, 403, 403, 403, 200, 401]],
  ['an item', 'GET', '/review/item?label=ann&pid=labid:ada', [401, 403, 403, 403, 200, 401]],
  ['an item in no zone', 'GET', '/review/item?label=zed&pid=labid:ada', [401, 403, 403, 403, 404, 401]],
  [
    'an item that is not there',
    'GET',
    '/review/item?label=ann&pid=labid:eve',
    [401, 403, 403, 403, 404, 401],
  ],
  ['decisions', 'GET', '/review/decisions', [401, 403, 403, 403, 200, 401]],
  ['no decision', 'GET', '/review/decisions/none', [401, 403, 403, 403, 404, 401]],
  ['undo of no decision', 'POST', '/review/decisions/none/undo', [401, 403, 403, 403, 404, 401]],
  ['undo of many', 'POST', '/review/decisions/undo', [401, 403, 403, 403, 422, 401], []],
  ['a decision without a body that is one', 'POST', '/review/decisions', [401, 403, 403, 403, 422, 401], {}],
  ['by filter', 'POST', '/review/decisions/by-filter', [401, 403, 403, 403, 422, 401], {}],
  ['a comment', 'POST', '/review/comments', [401, 403, 403, 403, 422, 401], { label: 'ann', text: '' }],
  [
    'a comment in no zone',
    'POST',
    '/review/comments',
    [401, 403, 403, 403, 404, 401],
    { label: 'zed', pid: 'labid:ada', text: 'a' },
  ],
  [
    'a comment on nothing',
    'POST',
    '/submissions/comments',
    [403, 403, 404, 404, 404, 401],
    { pid: 'labid:eve', text: 'a' },
  ],
  ['own submissions', 'GET', '/submissions/', [403, 403, 200, 200, 200, 401]],
  ['an own submission', 'GET', '/submissions/item?pid=labid:ada', [403, 403, 200, 404, 404, 401]],
  ['an unknown parameter', 'GET', '/review/?lable=ann', [401, 403, 403, 403, 422, 401]],
  ['an unknown state', 'GET', '/review/?state=old', [401, 403, 403, 403, 422, 401]],
  ['an unknown standing', 'GET', '/review/summary?standing=gone', [401, 403, 403, 403, 422, 401]],
  ['a value that nothing has', 'GET', '/review/?batch=none', [401, 403, 403, 403, 200, 401]],
  ['an unknown status', 'GET', '/submissions/?status=old', [403, 403, 422, 422, 422, 401]],
];

onEach('Who may use which endpoint of review', async (on) => {
  const { service, c } = on;
  await store(on, 'ann', ADA, '?message=please&batch=b1');
  for (const [name, method, path, statuses, json] of ROWS)
    for (const [at, actor] of ACTORS.entries()) {
      const answer = await service.request(method, `/-/${c}${path}`, { ...as(actor), ...(json && { json }) });
      assert.equal(answer.status, statuses[at], `${name} as ${actor}: ${answer.text}`);
      if (answer.status < 400) continue;
      const { detail } = answer.json<{ detail: { type: string }[] }>();
      assert.ok(Array.isArray(detail) && typeof detail[0]?.type === 'string', answer.text);
      assert.doesNotMatch(answer.text, /Byron|please/, `${name} as ${actor}`);
    }
});

onEach(
  'A zone is shown to its own tokens only, and the curated record to those that may read it',
  async (on) => {
    const { service, c } = on;
    await curate(on, { ...ADA, description: 'CURATED' });
    await store(on, 'sub', ADA, '?message=please');
    const own = await service.request('GET', `/-/${c}/submissions/item?pid=labid:ada`, { token: 'sub' });
    assert.equal(own.status, 200);
    const { state, curated, changed_by_curator, status } = own.json<Record<string, unknown>>();
    assert.deepEqual([state, curated, changed_by_curator, status], [null, null, null, 'waiting']);
    assert.doesNotMatch(own.text, /CURATED/);
    const other = await service.request('GET', `/-/${c}/submissions/`, { token: 'bob' });
    assert.doesNotMatch(other.text, /ada/);
    const none = await service.request('GET', `/-/${c}/submissions/`, { token: 'one' });
    assert.equal(none.status, 403);
  },
);

onEach(
  'Submitters are shown who decided if the collection says so',
  async (on) => {
    const { service, c } = on;
    await store(on, 'ann', ADA);
    const { digest } = await item(on, 'labid:ada');
    const body = { label: 'ann', pid: 'labid:ada', digest, decision: 'reject', reason: 'no' };
    assert.equal((await decide(on, body)).status, 200);
    for (const _ of ['before', 'after a restart']) {
      const own = await service.request('GET', `/-/${c}/submissions/item?pid=labid:ada`, { token: 'ann' });
      assert.match(own.text, /"reviewer":"cora@example.org"/);
      await service.restart();
    }
    const stored = service.app.state.configuration;
    assert.deepEqual(stored.collections[c]?.review, { show_reviewer: true });
  },
  {
    ...CONFIGURATION,
    collections: Object.fromEntries(
      Object.entries(CONFIGURATION.collections).map(([c, one]) => [
        c,
        { ...one, review: { show_reviewer: true } },
      ]),
    ),
  },
);

onEach('Maintenance lets curators through', async (on) => {
  const { service, c } = on;
  const body = { collection: c, active: true };
  await service.request('POST', '/maintenance', { token: 'cora', json: body });
  assert.equal((await service.request('GET', `/-/${c}/review/`, { token: 'cora' })).status, 200);
  assert.equal((await service.request('GET', `/-/${c}/submissions/`, { token: 'ann' })).status, 503);
});

onEach('A submission from store to acceptance, as all see it', async (on) => {
  const { service, c } = on;
  const etag = await curate(on, ADA);
  await store(on, 'ann', { ...ADA, email: 'ada@example.org' }, '?batch=b1&message=new%20address');
  const page = await service.request('GET', `/-/${c}/review/?batch=b1`, { token: 'cora' });
  const { items, total } = page.json<{ items: Row[]; total: number }>();
  assert.equal(total, 1);
  const row = items[0]!;
  assert.deepEqual([row.state, row.curated_etag, row.base_etag], ['changed', etag, etag]);
  const known = { 'if-none-match': page.headers.etag! };
  const refused = await on.service.request('GET', `/-/${on.c}/review/?after=x`, { token: 'cora' });
  assert.deepEqual([refused.status, refused.headers.etag], [422, undefined]);
  assert.equal(
    (await service.request('GET', `/-/${c}/review/?batch=b1`, { token: 'cora', headers: known })).status,
    304,
  );
  const done = await decide(on, {
    label: 'ann',
    pid: 'labid:ada',
    digest: row.digest,
    decision: 'accept',
    reason: 'thanks',
  });
  assert.equal(done.status, 200, done.text);
  const decision = done.json<{ id: string; curated_before: string; curated_after: string }>();
  assert.equal(decision.curated_before, etag);
  const changed = await service.request('GET', `/-/${c}/review/?batch=b1`, { token: 'cora', headers: known });
  assert.deepEqual([changed.status, changed.json<{ total: number }>().total], [200, 0]);
  const curated = await service.request('GET', `/${c}/curated/record?pid=labid:ada`, { token: 'cora' });
  assert.match(curated.text, /ada@example.org/);
  assert.equal(curated.headers.etag, decision.curated_after);
  const zone = await service.request('GET', `/${c}/incoming/ann/record?pid=labid:ada`, { token: 'cora' });
  assert.equal(zone.text, 'null');
  const own = await service.request('GET', `/-/${c}/submissions/?status=accepted`, { token: 'ann' });
  const seen = own.json<{ items: { status: string; reason: string }[] }>().items;
  assert.deepEqual(
    seen.map(({ status, reason }) => [status, reason]),
    [['accepted', 'thanks']],
  );
  assert.doesNotMatch(own.text, /cora/);
  const again = await decide(on, {
    label: 'ann',
    pid: 'labid:ada',
    digest: row.digest,
    decision: 'accept',
  });
  assert.equal(again.status, 409);
  assert.equal(again.json<{ decision: { id: string } }>().decision.id, decision.id);
  const history = await service.request('GET', `/-/${c}/review/decisions?pid=labid:ada&reviewer=me`, {
    token: 'cora',
  });
  const listed = history.json<{ total: number; items: { title: string }[] }>();
  assert.deepEqual([listed.total, listed.items[0]?.title], [1, 'Ada Byron']);
  const undone = await service.request('POST', `/-/${c}/review/decisions/${decision.id}/undo`, {
    token: 'cora',
  });
  assert.equal(undone.status, 200, undone.text);
  const twice = await service.request('POST', `/-/${c}/review/decisions/${decision.id}/undo`, {
    token: 'cora',
  });
  assert.deepEqual(
    [twice.status, twice.json<{ detail: { type: string }[] }>().detail[0]?.type],
    [409, 'already_undone'],
  );
  assert.equal((await item(on, 'labid:ada')).state, 'changed');
});

onEach('Each refusal of a decision has its status, its code, and what has happened meanwhile', async (on) => {
  const { service, c } = on;
  const etag = await curate(on, { ...ADA, description: 'a' });
  await store(on, 'ann', { ...ADA, description: 'b' });
  await curate(on, { ...ADA, description: 'c' });
  const { digest, curated_etag } = await item(on, 'labid:ada');
  const body = { label: 'ann', pid: 'labid:ada', digest, decision: 'accept' };
  const refusals: [body: object, status: number, type: string, key?: string][] = [
    [{ ...body, why: 1 }, 422, 'payload_invalid'],
    [{ ...body, decision: 'reject' }, 422, 'payload_invalid'],
    [{ ...body, take: { '': 'submitted' } }, 422, 'payload_invalid'],
    [{ ...body, reason: 'x'.repeat(4001) }, 422, 'payload_invalid'],
    [{ ...body, decision: 'defer', until: '2001-01-01T00:00:00Z' }, 422, 'payload_invalid'],
    [{ ...body, label: 'zed' }, 404, 'label_unknown'],
    [{ ...body, pid: 'labid:eve' }, 404, 'record_missing'],
    [{ ...body, pid: 'nix:eve' }, 400, 'prefix_unknown'],
    [{ ...body, digest: 'sha256:00' }, 409, 'submission_changed', 'digest'],
    [{ ...body, if_curated: etag }, 412, 'precondition_failed', 'curated_etag'],
    [{ ...body, take: { '/nam': 'submitted' }, if_curated: curated_etag }, 422, 'payload_invalid'],
    [body, 409, 'merge_conflict', 'differences'],
    [{ ...body, record: { pid: 'labid:ada' }, if_curated: curated_etag }, 400, 'record_invalid'],
  ];
  for (const [json, status, type, key] of refusals) {
    const answer = await decide(on, json);
    const refusal = answer.json<{ detail: { type: string; msg: string }[] } & Record<string, unknown>>();
    assert.deepEqual([answer.status, refusal.detail[0]?.type], [status, type], answer.text);
    if (key) assert.ok(key in refusal, answer.text);
    assert.match(refusal.detail[0]!.msg, /^\S.*\.$/, 'a sentence');
  }
  const untouched = await service.request('GET', `/${c}/curated/record?pid=labid:ada`, { token: 'cora' });
  assert.equal(untouched.headers.etag, curated_etag);
  const taken = await decide(on, {
    ...body,
    take: { '/description': 'submitted' },
    if_curated: curated_etag,
  });
  assert.equal(taken.status, 200, taken.text);
});

onEach(
  'An array of decisions answers with the outcome of each, and is refused as a whole if it is malformed',
  async (on) => {
    const { service, c } = on;
    await store(on, 'ann', person('a'));
    await store(on, 'bob', person('b'));
    const a = await item(on, 'labid:a');
    const b = await item(on, 'labid:b', 'bob');
    const decisions = [
      { label: 'ann', pid: a.pid, digest: a.digest, decision: 'reject', reason: 'no' },
      { label: 'ann', pid: b.pid, digest: b.digest, decision: 'accept' },
      { label: 'bob', pid: b.pid, digest: b.digest, decision: 'accept' },
    ];
    const malformed = await decide(on, [...decisions, { label: 'ann' }]);
    assert.equal(malformed.status, 422);
    const answer = await decide(on, decisions);
    const { results } = answer.json<{ results: { status: number; detail?: { type: string }[] }[] }>();
    assert.deepEqual(
      results.map(({ status, detail }) => [status, detail?.[0]?.type]),
      [
        [200, undefined],
        [404, 'record_missing'],
        [200, undefined],
      ],
    );
    const summary = await service.request('GET', `/-/${c}/review/summary?standing=rejected`, {
      token: 'cora',
    });
    assert.deepEqual(summary.json<{ by_label: object }>().by_label, { ann: 1 });
  },
);

onEach('By filter, the same decision is made on what the filter selects', async (on) => {
  const { service, c } = on;
  const people = Array.from({ length: 7 }, (_, at) => person(`p${at}`));
  const batch = `/-/${c}/records/Person?batch=import-7&message=hello`;
  const stored = await service.request('POST', batch, { token: 'ann', json: people });
  assert.equal(stored.status, 200, stored.text);
  const body = { filter: { batch: 'import-7', state: ['new'] }, decision: 'accept', expected: 6 };
  const url = `/-/${c}/review/decisions/by-filter`;
  const refused = await service.request('POST', url, { token: 'cora', json: body });
  assert.deepEqual([refused.status, refused.json<{ selected: number }>().selected], [409, 7]);
  const misspelled = { ...body, filter: { bach: 'import-7' } };
  assert.equal((await service.request('POST', url, { token: 'cora', json: misspelled })).status, 422);
  const done = await service.request('POST', url, { token: 'cora', json: { ...body, expected: 7 } });
  assert.equal(done.status, 200, done.text);
  assert.equal(done.json<{ results: object[] }>().results.length, 7);
  const curated = await service.request('GET', `/${c}/curated/records/p/Person`, { token: 'cora' });
  assert.equal(curated.json<{ total: number }>().total, 7);
});

onEach('based_on names the curated record that a submission was made from', async (on) => {
  const etag = await curate(on, { ...ADA, description: 'a' });
  await curate(on, { ...ADA, description: 'b' });
  const based = `?based_on=${encodeURIComponent(etag)}`;
  await store(on, 'ann', { ...ADA, description: 'a', email: 'ada@example.org' }, based);
  const row = await item(on, 'labid:ada');
  assert.deepEqual([row.base_etag, row.state], [etag, 'diverged']);
  const { merged } = row as unknown as { merged: Record<string, string> };
  assert.deepEqual([merged.description, merged.email], ['b', 'ada@example.org']);
  await store(on, 'ann', { ...ADA, description: 'x' }, '?based_on=%22nonsense%22');
  assert.equal((await item(on, 'labid:ada')).base_etag, 'unknown');
});

onEach(
  'of several curated records in If-Match, a submission was made from the one that there is',
  async (on) => {
    const tags = [
      await curate(on, { ...ADA, description: 'a' }),
      await curate(on, { ...ADA, description: 'b' }),
    ];
    const { status } = await on.service.request('POST', `/${on.c}/record/Person`, {
      token: 'ann',
      headers: { 'if-match': tags.join(', ') },
      json: { ...ADA, description: 'c' },
    });
    assert.equal(status, 200);
    assert.equal((await item(on, 'labid:ada')).base_etag, tags[1]);
  },
);

onEach('Texts of submissions have limits, and curated stores ignore them as the peer does', async (on) => {
  const { service, c } = on;
  const long = 'x'.repeat(2001);
  for (const query of [`message=${long}`, `batch=${'x'.repeat(101)}`]) {
    const answer = await service.request('POST', `/${c}/record/Person?${query}`, { token: 'ann', json: ADA });
    assert.equal(answer.status, 422);
    const curated = `/${c}/curated/record/Person?${query}`;
    assert.equal((await service.request('POST', curated, { token: 'cora', json: ADA })).status, 200);
  }
});

onEach('A curator who edits a submission in its zone is not its submitter', async (on) => {
  const { service, c } = on;
  await store(on, 'ann', ADA, '?message=hello');
  const edited = { ...ADA, description: 'by cora' };
  const url = `/${c}/incoming/ann/record/Person`;
  assert.equal((await service.request('POST', url, { token: 'cora', json: edited })).status, 200);
  const row = (await item(on, 'labid:ada')) as Row & {
    submitter: string;
    edited_by: string;
    message: string;
  };
  assert.deepEqual(
    [row.submitter, row.edited_by, row.message],
    ['ann@example.org', 'cora@example.org', 'hello'],
  );
  await service.request('DELETE', `/${c}/incoming/ann/record?pid=labid:ada`, { token: 'cora' });
  await store(on, 'bob', ADA);
  await service.request('DELETE', `/${c}/record?pid=labid:ada`, { token: 'bob' });
  const status = async (token: string) => {
    const answer = await service.request('GET', `/-/${c}/submissions/item?pid=labid:ada`, { token });
    return answer.json<{ status: string }>().status;
  };
  assert.deepEqual([await status('ann'), await status('bob')], ['removed', 'withdrawn']);
});

onEach('matching is refused by a backend that ignores it, and selects with another', async (on) => {
  const { service, c } = on;
  for (const name of ['a', 'b', 'z']) await store(on, 'ann', person(name, { description: 'searched' }));
  await store(on, 'ann', person('d', { description: 'other' }));
  const { digest } = await item(on, 'labid:a');
  await decide(on, { label: 'ann', pid: 'labid:a', digest, decision: 'accept' });
  const status = c.startsWith('record_dir') ? 422 : 200;
  const answer = await service.request('GET', `/-/${c}/review/?matching=SEARCH%25`, { token: 'cora' });
  assert.equal(answer.status, status, answer.text);
  const own = await service.request('GET', `/-/${c}/submissions/?matching=SEARCH%25`, { token: 'ann' });
  assert.equal(own.status, status, own.text);
  if (status === 422) return;
  assert.equal(answer.json<{ total: number }>().total, 2);
  const found = own.json<{ items: { pid: string; status: string }[] }>().items;
  assert.deepEqual(
    found.map(({ pid, status: what }) => `${pid} ${what}`).sort(),
    ['labid:a accepted', 'labid:b waiting', 'labid:z waiting'],
    'also what has left the zone',
  );
});

onEach('A restart changes nothing', async (on) => {
  const { service, c } = on;
  await store(on, 'ann', person('a'), '?batch=b');
  await store(on, 'ann', person('b'));
  const { digest } = await item(on, 'labid:b');
  const body = { label: 'ann', pid: 'labid:b', digest, decision: 'defer', reason: 'later' };
  assert.equal((await decide(on, body)).status, 200);
  const all = async () => {
    const url = `/-/${c}/review/?standing=waiting,deferred,rejected`;
    const { items } = (await service.request('GET', url, { token: 'cora' })).json<{ items: object[] }>();
    return items;
  };
  const before = await all();
  await service.restart();
  assert.deepEqual(await all(), before);
});
