/** Clients that go away before their answer is complete: what they held is let go of all the same. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = {
  collections: { c: { backend: 'sqlite' } },
  tokens: { curator: { c: 'CURATOR' } },
};

test('a collection is closed when it is removed, though clients have left in the middle of their answers', async (t) => {
  const { app, request, store } = await testApp(t, CONFIGURATION);
  await request('POST', '/-/c/curated/records/Person', {
    token: 'curator',
    json: Array.from({ length: 500 }, (_, n) => person(`p${n}`, { given_name: 'x'.repeat(5000) })),
  });
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  for (const path of ['/-/c/curated/export', '/c/curated/records/p/?size=100', '/c/records/?format=ttl']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Service-Token: curator\r\n\r\n`);
    if (path.startsWith('/-/')) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  assert.equal((await request('DELETE', '/collections/c', { token: ADMIN })).status, 200);
  // SQLite removes this file when the last connection closes.
  const open = () => existsSync(join(store, 'c/curated/__sqlite-records.db-wal'));
  for (let n = 0; open() && n < 100; n++) await wait(50);
  assert.equal(open(), false);
});
