/** The changes of areas: what those who follow them are answered, while others write, rename, prune and restore. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { changesBehind } from '../../src/core/collections/feed.ts';
import { DATABASE_FILE } from '../../src/core/config/store-directory.ts';
import type { RecordChange } from '../../src/core/http/api-types.ts';
import { renewGeneration } from '../../src/core/storage/sqlite/sqlite.ts';
import { of, TAG } from '../policies/world.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { BACKENDS } from '../support/backends.ts';
import { assertFollows, at, changes, kinds, listen, store } from '../support/followed.ts';
import { organization, person } from '../support/people.ts';
import { repeated, test } from '../support/tier.ts';

for (const type of BACKENDS) {
  repeated(`${type}: changes have the kind, the author and the entity tag of what was stored`, async (t) => {
    const service = await testApp(t, at(type));
    const { request } = service;
    await store(service, person('a'));
    await store(service, organization('o'), '/c/curated/record/Organization?author_id=dora');
    await store(service, person('a', { given_name: 'A' }));
    const { headers } = await request('GET', '/c/curated/record?pid=labid:a', { token: 'cur' });
    await request('DELETE', '/c/curated/record?pid=labid:o', { token: 'cur' });
    const page = await changes(service, '', 'cur', '/-/c/curated/changes');
    assert.deepEqual(kinds(page), ['created a', 'created o', 'replaced a', 'deleted o']);
    assert.equal(page.items[2]?.etag, headers.etag);
    assert.deepEqual(
      page.items.map(({ author }) => author),
      ['cur@example.org', 'dora', 'cur@example.org', 'cur@example.org'],
    );
    assert.equal(page.items[3]?.etag, null);
    assert.deepEqual(await changes(service, `?since=${page.next}`), { ...page, items: [] });
    assert.deepEqual(
      (await changes(service, '', 'bob')).items.map(({ author }) => author),
      [null, null, null, null],
    );
    assert.deepEqual(kinds(await changes(service, '?class=Agent&limit=2')), ['created a', 'created o']);
    assert.deepEqual(kinds(await changes(service, '?class=Organization')), ['created o', 'deleted o']);
    assert.deepEqual(kinds(await changes(service, '?record=labid:a')), ['created a', 'replaced a']);
    const walked: RecordChange[] = [];
    for (let since: string | undefined; ; ) {
      const { items, next } = await changes(
        service,
        `?limit=1${since === undefined ? '' : `&since=${since}`}`,
      );
      walked.push(...items);
      if (items.length === 0) break;
      since = next;
    }
    const untagged = (items: readonly RecordChange[]) => items.map(({ etag, ...item }) => item);
    assert.deepEqual(untagged(walked), untagged(page.items));
    const read = await request('GET', '/c/record?pid=labid:a', { token: 'cur' });
    assert.equal(walked[2]?.etag, read.headers.etag, 'users get the tags of their reads');
    assert.equal((await changes(service, '?since=now')).items.length, 0);
    assert.deepEqual(kinds(await changes(service, '?since=2')), ['replaced a', 'deleted o']);
  });

  repeated(
    `${type}: a request that waits is answered with the next change, by what its token may do then`,
    async (t) => {
      const service = await testApp(t, at(type), { limits: { requests: 2 } });
      await store(service, person('a'));
      const { next } = await changes(service);
      // More wait than are answered at a time.
      const waiting = Array.from({ length: 5 }, () => changes(service, `?since=${next}&wait=60`));
      const other = service.request('GET', `/-/c/changes?since=${next}&wait=60`, { token: 'bob' });
      const one = changes(service, `?since=${next}&wait=60&record=labid:b`, 'ann');
      assert.equal((await changes(service, `?since=${next}&wait=1`)).items.length, 0);
      const json = { name: 'bob', user_id: 'bob', representation: 'bob', collections: {} };
      assert.ok((await service.request('PUT', '/tokens/bob', { token: ADMIN, json })).status < 300);
      await store(service, person('c'));
      for (const page of await Promise.all(waiting)) assert.deepEqual(kinds(page), ['created c']);
      assert.equal((await other).status, 401);
      await store(service, person('b'));
      assert.deepEqual(kinds(await one), ['created b']);
      const stopped = changes(service, '?since=now&wait=60');
      await changes(service);
      await service.app.server.close();
      assert.deepEqual((await stopped).items, []);
    },
  );

  repeated(`${type}: zones are for their owners and curators, the curated area for readers`, async (t) => {
    const service = await testApp(t, at(type));
    const statusOf = async (path: string, token?: string) =>
      (await service.request('GET', `/-/c/${path}`, token === undefined ? {} : { token })).status;
    const waiting = changes(service, '?wait=60', 'ann', '/-/c/zone/changes');
    assert.deepEqual((await changes(service, '', 'cur', '/-/c/incoming/ann/changes')).items, []);
    await store(service, person('z'), '/c/record/Person', 'ann');
    assert.deepEqual(kinds(await waiting), ['created z']);
    await store(service, person('z', { given_name: 'Z' }), '/c/incoming/ann/record/Person');
    const own = await changes(service, '', 'ann', '/-/c/zone/changes');
    assert.deepEqual(kinds(own), ['created z', 'replaced z']);
    assert.deepEqual(
      own.items.map(({ author }) => author),
      ['ann@example.org', null],
    );
    const { items } = await changes(service, '', 'cur', '/-/c/incoming/ann/changes');
    assert.deepEqual(
      items.map(({ author }) => author),
      ['ann@example.org', 'cur@example.org'],
    );
    for (const [path, token, status] of [
      ['changes', 'eve', 403],
      ['changes', undefined, 401],
      ['changes', 'nonsense', 401],
      ['zone/changes', 'bob', 403],
      ['curated/changes', 'ann', 403],
      ['curated/changes', undefined, 401],
      ['incoming/ann/changes', 'ann', 403],
      ['changes?since=x', 'bob', 422],
      ['changes?wait=61', 'bob', 422],
      ['changes?class=Nothing', 'bob', 404],
      ['changes?since=other:1', 'bob', 410],
      ['changes?since=99', 'bob', 410],
    ] as const)
      assert.equal(await statusOf(path, token), status, `${path} ${token}`);
  });
}

test('an event stream goes on behind the last event', async (t) => {
  const service = await testApp(t, at('sqlite'));
  await store(service, person('a'));
  const url = `${await listen(service)}/-/c/changes`;
  const open = async (last?: string) => {
    const stop = new AbortController();
    const headers = { 'x-service-token': 'bob', accept: 'text/event-stream', 'accept-encoding': 'gzip' };
    const response = await fetch(url, {
      headers: { ...headers, ...(last !== undefined && { 'last-event-id': last }) },
      signal: stop.signal,
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const events = eventsIn(response.body!);
    return { next: async () => (await events.next()).value!, stop: () => stop.abort() };
  };
  const first = await open();
  const created = await first.next();
  assert.equal(created.data.pid, 'labid:a');
  await store(service, person('b'));
  assert.equal((await first.next()).data.pid, 'labid:b');
  first.stop();
  await store(service, person('c'));
  const second = await open(created.id);
  assert.deepEqual([(await second.next()).data.pid, (await second.next()).data.pid], ['labid:b', 'labid:c']);
  second.stop();
});

type Event = { readonly id: string; readonly data: RecordChange };

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const [, id, data] = /^id: (\S+)\ndata: (.*)$/.exec(block) ?? [];
      if (data !== undefined) yield { id: id!, data: JSON.parse(data) };
    }
  }
}

test('who follows a restored store, or sees other records than before, begins again', async (t) => {
  const restricted = (...names: string[]) => ({
    policy_annotation_tag: TAG,
    policy_mapping: [of('bob', ...names)],
  });
  const service = await testApp(t, at('sqlite', restricted('x')));
  await store(service, person('a', { annotations: { [TAG]: 'x' } }));
  await store(service, person('b', { annotations: { [TAG]: 'y' } }));
  await store(service, person('a', { annotations: { [TAG]: 'y' } }));
  await store(service, person('b', { annotations: { [TAG]: 'x' } }));
  const seen = await changes(service, '', 'bob');
  assert.deepEqual(kinds(seen), ['created a', 'deleted a', 'created b']);
  const config = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  const json = { name: 'c', ...config, ...restricted('y') };
  assert.equal((await service.request('PUT', '/collections/c', { token: ADMIN, json })).status, 201);
  const statusOf = async (since: string) =>
    (await service.request('GET', `/-/c/changes?since=${since}`, { token: 'bob' })).status;
  assert.equal(await statusOf(seen.next), 410);
  const again = await changes(service, '', 'bob');
  assert.deepEqual(kinds(again), ['created b', 'created a', 'deleted b']);
  await service.app.close();
  renewGeneration(join(service.store, DATABASE_FILE));
  await service.restart();
  assert.equal(await statusOf(again.next), 410);
});

for (const type of BACKENDS) {
  repeated(`${type}: a client that follows random changes has what the service has`, (t) =>
    assertFollows(t, type, (send, pid, another) => send('DELETE', '/-/c/curated/records/', [pid, another])),
  );
}

test('who follows without an end reads hidden changes once, and none of them moves the cursor', async (t) => {
  const policies = { policy_annotation_tag: TAG, policy_mapping: [of('bob', 'x')] };
  const service = await testApp(t, at('sqlite', policies));
  const { registry } = service.app;
  await store(service, person('seen', { annotations: { [TAG]: 'x' } }));
  for (let n = 0; n < 5; n++)
    await store(service, person('hidden', { name: `${n}`, annotations: { [TAG]: 'y' } }));
  const collection = registry.collection('c');
  const visibility = collection.visibilityOf(await collection.authorize('bob'));
  const seen = await collection.seen(collection.curated, visibility);
  const readFeed = seen.feed.bind(seen);
  const starts: number[] = [];
  const counted = Object.assign(seen, {
    feed: (query: Parameters<typeof readFeed>[0]) => {
      starts.push(query.after);
      return readFeed(query);
    },
  });
  const feed = { collection, store: counted, path: seen.area.path, label: '', forUsers: true };
  const following = { record: undefined, classes: undefined, limit: 100 };
  const first = await changesBehind(feed, { revision: 0 }, following);
  assert.deepEqual(
    first.items.map(({ pid }) => pid),
    ['labid:seen'],
  );
  const last = await collection.curated.revision();
  starts.length = 0;
  const second = await changesBehind(feed, first, following);
  assert.deepEqual([second.items, second.revision, starts], [[], first.revision, [last]]);
  await store(service, person('later', { annotations: { [TAG]: 'x' } }));
  const third = await changesBehind(feed, second, following);
  assert.deepEqual(
    third.items.map(({ pid }) => pid),
    ['labid:later'],
  );
});
