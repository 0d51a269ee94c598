/** Tokens with what the peer does not know: it opens the exported store all the same, and so do we what it has written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportStore } from '../support/export-store.ts';
import { findPeer, type Peer } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { ADMIN_TOKEN, collection, makePlace, secretOf, token } from './world.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: { sql: collection('sql', { backend: { type: 'sqlite' } }) },
  tokens: {
    anyone: token('anyone', 'NOTHING', ['sql'], ''),
    curator: token('curator', 'CURATOR', ['sql'], secretOf('CURATOR')),
  },
  admin_tokens: {},
};

type Token = { readonly name: string; readonly representation: string; readonly [key: string]: unknown };

test('the peer opens a store whose tokens expire, were used and have two secrets', { skip }, async (t) => {
  const place = await makePlace(CONFIGURATION);
  t.after(() => place.remove());
  const running: Service[] = [];
  t.after(() => Promise.all(running.map((service) => service.stop())));
  let { store } = place;
  const start = async (which: 'ours' | 'peer', config?: string) => {
    const options = { adminToken: ADMIN_TOKEN, ...(config !== undefined && { config }) };
    const service =
      which === 'ours'
        ? await startAccession(store, options)
        : await startPeer((found as { peer: Peer }).peer, store, options);
    running.push(service);
    return service;
  };
  const ask = (service: Service, method: string, path: string, secret: string, body?: object) =>
    fetch(service.address + path, {
      method,
      headers: { 'X-DumpThings-Token': secret, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const reads = async (service: Service, secret: string) =>
    (await ask(service, 'GET', '/sql/records/', secret)).status;

  let service = await start('ours', place.config);
  const payload = {
    name: 'ann',
    user_id: 'ann@example.org',
    collections: { sql: { mode: 'READ_CURATED', incoming_label: '' } },
    hashed: true,
    expires: '2100-01-01',
  };
  const made = await ask(service, 'POST', '/tokens', ADMIN_TOKEN, payload);
  const { representation: former } = (await made.json()) as Token;
  const rotated = await ask(service, 'POST', '/tokens/ann/rotate?keep_days=30', ADMIN_TOKEN);
  const { representation: secret } = (await rotated.json()) as Token;
  for (const each of [former, secret]) assert.equal(await reads(service, each), 200);
  await service.stop();

  store = exportStore(store);
  service = await start('peer');
  assert.equal(await reads(service, secret), 200, service.output());
  assert.equal(await reads(service, former), 401, 'the peer knows the new secret only');
  const listed = (await (await ask(service, 'GET', '/tokens', ADMIN_TOKEN)).json()) as Token[];
  assert.deepEqual(listed.map(({ name }) => name).sort(), ['ann', 'anyone', 'curator']);
  const other = { ...payload, name: 'bob', user_id: 'bob@example.org', expires: undefined };
  const added = await ask(service, 'POST', '/tokens', ADMIN_TOKEN, {
    ...other,
    hashed: false,
    representation: 'secret of bob',
  });
  assert.ok(added.ok, await added.text());
  await service.stop();

  service = await start('ours');
  for (const each of [secret, 'secret of bob']) assert.equal(await reads(service, each), 200);
  assert.equal(await reads(service, former), 401, 'the peer has no second secret of a token');
});
