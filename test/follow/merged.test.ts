/** A follower opens no file and no host that the service it follows chooses. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, scratch } from '../cli/accession.ts';

test('a schema with imports is refused before anything of it is read', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const isMe = request.url?.startsWith('/-/me');
    response.setHeader('content-type', isMe ? 'application/json' : 'application/yaml');
    const permissions = ['read_curated'];
    response.end(
      isMe
        ? JSON.stringify({
            user_id: 'a',
            admin: false,
            collections: { lab: { mode: 'READ_CURATED', permissions } },
          })
        : `id: https://example.org/s\nname: s\nimports: [${url}/internal]\n`,
    );
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ACCESSION_TOKEN: 'secret' };
  const { status, stderr } = await accession(['follow', url, join(scratch(t), 'copy'), '--once'], { env });
  assert.equal(status, 1, stderr);
  assert.match(stderr, /lab: expected a merged schema of the service, found one with imports/);
  assert.deepEqual(
    asked.filter((path) => path.includes('internal')),
    [],
  );
});
