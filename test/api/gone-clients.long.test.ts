/** Clients that go away before their answer is complete: what they held is let go of all the same. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';

test('a request keeps its place until its handler ends, though its client has gone', async (t) => {
  let release = () => {};
  const asked = Promise.withResolvers<void>();
  const forge = createServer((_request, response) => {
    release = () => response.writeHead(401).end();
    asked.resolve();
  }).listen(0, '127.0.0.1');
  t.after(() => forge.close());
  await once(forge, 'listening');
  const url = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
  const source = { type: 'forge', url, organization: 'o', team: 't', label_type: 'user' };
  const { app, request } = await testApp(t, { collections: { c: { auth_sources: [source] } } });
  const inProgress = async () => {
    const { text } = await request('GET', '/-/metrics', { token: ADMIN });
    return Number(/^accession_requests_in_progress (\d+)$/m.exec(text)?.[1]);
  };
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  const closed = new Promise<void>((done) => {
    app.server.server.once('connection', (socket) => socket.once('close', () => done()));
  });
  const client = connect(port, '127.0.0.1');
  client.write('GET /c/records/ HTTP/1.1\r\nHost: x\r\nX-Service-Token: someone\r\n\r\n');
  await asked.promise;
  client.resetAndDestroy();
  await closed;
  assert.equal(await inProgress(), 1);
  release();
  while ((await inProgress()) > 0);
});
