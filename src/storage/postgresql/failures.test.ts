import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as open } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { SILENT_LOG } from '../log.ts';
import { openPostgresql } from './database.ts';
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

test('what the server reports while it restarts, has too much to do or gives up a session is unavailable', () => {
  const passing = [
    ...['57P01', '57P02', '57P03', '57P05', '25P03', '25P04', '25006', '08006'],
    ...['40001', '40P01', '55P03', '57014', '53200', '53300', '58030', '26000'],
  ];
  for (const code of passing) {
    const error = Object.assign(new Error('reported'), { code });
    assert.equal(databaseFailure(error, 'Reading').code, 'storage_unavailable', code);
  }
  for (const [code, name] of [
    ['42P01', 'storage_failed'],
    ['53100', 'storage_full'],
  ] as const) {
    const error = Object.assign(new Error('reported'), { code });
    assert.equal(databaseFailure(error, 'Reading').code, name);
  }
});

test('a query on a database that was closed is refused as unavailable', async () => {
  const pool = new pg.Pool({ connectionString: 'postgresql://accession@127.0.0.1:1/none' });
  await pool.end();
  const error = await pool.query('SELECT 1').catch((problem) => problem);
  assert.equal(databaseFailure(error, 'Reading').code, 'storage_unavailable', error.message);
});

test('a connection begins with parameters that poolers accept', async (t) => {
  let startup = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (packet) => {
      startup = packet.toString('latin1', 8);
      socket.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `postgresql://accession@127.0.0.1:${port}/none`;
  await assert.rejects(openPostgresql(url, { log: SILENT_LOG }), { code: 'storage_unavailable' });
  const names = startup.split('\0').filter((_, at) => at % 2 === 0);
  const accepted = new Set(['user', 'database', 'application_name', 'client_encoding', '']);
  assert.deepEqual(
    names.filter((name) => !accepted.has(name)),
    [],
  );
  assert.ok(names.includes('user'));
});
