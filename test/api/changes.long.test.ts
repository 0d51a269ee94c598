/** A client of event streams that others wrote follows a service whose connections break, and misses no change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangesPage, RecordChange } from '../../src/core/http/api-types.ts';
import { listening } from '../cli/service.ts';
import { exportsOf, missing } from '../support/installed.ts';
import { person } from '../support/people.ts';
import { openProxy } from '../support/proxy.ts';
import { randomOf } from '../support/randomly.ts';

const CHANGES = 400;
const BREAKS = 4;

type Message = { readonly data: string; readonly lastEventId: string };
type EventSource = { onmessage: (message: Message) => void; onopen: () => void; close(): void };
type Options = { fetch(url: string | URL, init: RequestInit): Promise<Response> };

test('the library eventsource goes on behind the last event when its connection breaks', {
  skip: missing('eventsource'),
}, async (t) => {
  const random = randomOf(t);
  const service = await listening(t);
  const proxy = await openProxy(t, service.url);
  const { EventSource } = exportsOf('eventsource') as {
    EventSource: new (url: string, options: Options) => EventSource;
  };
  const source = new EventSource(`${proxy.url}/-/lab/changes`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'x-service-token': 'cur' } }),
  });
  t.after(() => source.close());
  const received: RecordChange[] = [];
  let opened = 0;
  source.onopen = () => opened++;
  source.onmessage = ({ data }) => received.push(JSON.parse(data));
  const writing = (async () => {
    for (let at = 0; at < CHANGES; at++) {
      const json = person(`p${at % 50}`, { given_name: `${at}` });
      const { status } = await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
      assert.equal(status, 200);
      await delay(random(40));
    }
  })();
  for (let at = 1; at <= BREAKS; at++) {
    while (opened < at) await delay(20);
    await delay(300 + random(500));
    await proxy.goneFor(200);
  }
  await writing;
  while (received.at(-1)?.revision !== CHANGES) await delay(50);
  assert.equal(opened, BREAKS + 1);
  const { json } = await service.request('GET', '/-/lab/changes?limit=1000', { token: 'cur' });
  assert.deepEqual(received, json<ChangesPage>().items);
});
