/** Changes of a collection `c`, and those who follow them. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { connect } from '../../src/client/client.ts';
import type { ChangesPage } from '../../src/core/http/api-types.ts';
import { choicesFrom } from '../parity/random.ts';
import { type TestService, testApp } from './app.ts';
import { person } from './people.ts';
import { ownDatabase } from './postgresql.ts';

const TOKENS = {
  ann: { c: 'WRITE_COLLECTION' },
  bob: { c: 'READ_CURATED' },
  eve: { c: 'NOTHING' },
  cur: { c: 'CURATOR' },
};
/** A collection of a backend: `cur` curates it, `ann` has a zone, `bob` reads, and `eve` may do nothing. */
export const at = (type: string, more: object = {}) => ({
  collections: { c: { backend: { type }, ...more } },
  tokens: TOKENS,
});

/** A page of changes, for a curator by default. */
export async function changes({ request }: TestService, query = '', token = 'cur', path = '/-/c/changes') {
  const { status, text, json } = await request('GET', `${path}${query}`, { token });
  assert.equal(status, 200, text);
  return json<ChangesPage>();
}

export async function store(
  { request }: TestService,
  json: object,
  path = '/c/curated/record/Person',
  token = 'cur',
) {
  const { status, text } = await request('POST', path, { token, json });
  assert.equal(status, 200, text);
}

export const kinds = ({ items }: ChangesPage) => items.map(({ kind, pid }) => `${kind} ${pid.slice(6)}`);

/** The URL of a service on a port. */
export async function listen({ app }: TestService): Promise<string> {
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`;
}

type Send = (method: string, path: string, json?: object) => Promise<unknown>;

/**
 * Follows random changes, and compares what the client has at the end with what the service has.
 *
 * @param other makes a change of another kind than stores, deletes and prunes, of a record or of two
 */
export async function assertFollows(
  t: TestContext,
  type: string,
  other: (send: Send, pid: string, another: string) => Promise<unknown>,
): Promise<void> {
  const databaseUrl = type === 'postgresql+stl' ? await ownDatabase() : undefined;
  const options = databaseUrl === undefined ? {} : { databaseUrl };
  const service = await testApp(t, at(type), options);
  const read = databaseUrl === undefined ? service : await testApp(t, at(type), options);
  const random = choicesFrom(7);
  const client = connect({ url: await listen(read), token: 'bob' }).collection('c');
  const followed = new Map<string, string | null>();
  const revisions: number[] = [];
  const following = (async () => {
    for await (const { pid, kind, etag, revision } of client.changes()) {
      revisions.push(revision);
      if (kind === 'deleted' || kind === 'moved') followed.delete(pid);
      else followed.set(pid, etag);
      if (pid === 'labid:end') return;
    }
  })();
  const pids = Array.from({ length: 8 }, (_, n) => `labid:p${n}`);
  const { curated } = service.app.registry.collection('c');
  for (let step = 0; step < 60; step++) {
    const pid = random.pick(pids);
    const send = (method: string, path: string, json?: object) =>
      service.request(method, path, { token: 'cur', ...(json && { json }) });
    const kind = random.below(6);
    if (kind < 3)
      await send('POST', '/c/curated/record/Person', { ...person('p', { given_name: `${step}` }), pid });
    else if (kind === 3) await send('DELETE', `/c/curated/record?pid=${pid}`);
    else if (kind === 4) await other(send, pid, random.pick(pids));
    else await curated.prune(new Date().toISOString().replace('Z', '000+00:00'), revisions.at(-1) ?? 0);
  }
  await store(service, person('end'));
  await following;
  assert.deepEqual(
    revisions,
    [...new Set(revisions)].sort((a, b) => a - b),
  );
  const present = new Map<string, string | null>();
  for await (const { pid } of client.records())
    present.set(String(pid), (await client.get(String(pid)))?.etag ?? null);
  assert.deepEqual(new Map([...followed].sort()), new Map([...present].sort()));
}
