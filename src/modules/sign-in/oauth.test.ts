/** What a forge may say about repositories; signing in at a real one is in forge.long.test.ts. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { oauthProvider } from './oauth.ts';

test('a repository that has another name by now grants nothing, and a forge that asks for patience has not answered', async (t) => {
  let status = 301;
  const server = createServer(({ url = '' }, response) => {
    const path = url.split('?')[0]!;
    if (path.startsWith('/api/v1/repos/')) response.writeHead(status, { location: '/api/v1/repositories/7' });
    response.end(path.endsWith('/user') ? '{"id":7,"login":"ann"}' : '[]');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { type: 'oauth', name: 'forge', provider: 'forgejo', url, client_id: 'accession' } as const;
  const forge = oauthProvider(config, ['physics/records:write'], async () => undefined);
  const again = () => forge.again({ access: 'token' }, '7', async () => {});
  const found = await again();
  assert.ok(typeof found === 'object');
  assert.deepEqual([found.subject, found.claims.groups], ['7', []]);
  status = 429;
  await assert.rejects(again(), { code: 'sign_in_unavailable' });
});
