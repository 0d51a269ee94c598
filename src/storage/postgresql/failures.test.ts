import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as open } from 'node:net';
import { test } from 'node:test';
import { databaseFailure, isConnectionFailure } from './failures.ts';

test('a query on a connection that was closed a moment before is refused as unavailable, not as a failure', async (t) => {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const socket = open((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'close');
  const error = await new Promise<Error>((found) => {
    socket.on('error', () => {});
    socket.write('query', (problem) => found(problem as Error));
  });
  assert.equal(databaseFailure(error, 'Reading').code, 'storage_unavailable', error.message);
  assert.ok(isConnectionFailure(error));
});

test('what the server reports while it restarts or gives up a session is unavailable', () => {
  for (const code of ['57P01', '57P02', '57P03', '57P05', '25P03', '25006', '58030', '08006', '53300']) {
    const error = Object.assign(new Error('reported'), { code });
    assert.equal(databaseFailure(error, 'Reading').code, 'storage_unavailable', code);
  }
  const other = Object.assign(new Error('reported'), { code: '42P01' });
  assert.equal(databaseFailure(other, 'Reading').code, 'storage_failed');
});
