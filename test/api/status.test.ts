/** What operators see: the id of a request, a line for each in the log, and the state of the service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { errorFacts, textLine } from '../../src/cli/operator/log.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { ADMIN, testApp } from '../support/app.ts';

const CONFIGURATION = {
  collections: { c: {} },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, curator: { c: 'CURATOR' } },
};

test('each response has the id of its request, which a client may choose if it is harmless', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  const idFor = async (given?: string, url = '/server') => {
    const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
    return (await request('GET', url, { headers })).headers['x-request-id'];
  };
  assert.equal(await idFor('trace-1:2.3'), 'trace-1:2.3');
  for (const odd of ['a b', '"', 'x'.repeat(65), 'ä']) assert.notEqual(await idFor(odd), odd);
  assert.notEqual(await idFor(), await idFor());
  assert.match((await idFor(undefined, '/nothing/here')) ?? '', /^[\w-]{8}-\w+$/);
});

test('the log has a line for each request, with user, collection, area and the name of the token, never a secret', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { request } = await testApp(t, CONFIGURATION, { logger });
  await request('GET', '/c/incoming/ann/records/', { token: 'curator', headers: { 'x-request-id': 'one' } });
  await request('GET', '/c/records/', { token: 'stranger-secret' });
  await new Promise(setImmediate);
  const {
    request: id,
    method,
    url,
    status,
    user,
    token,
    collection,
    area,
  } = lines.find(({ request }) => request === 'one') as Record<string, unknown>;
  assert.deepEqual([id, method, url, status], ['one', 'GET', '/c/incoming/ann/records/', 200]);
  assert.deepEqual([user, token, collection, area], ['curator@example.org', 'curator', 'c', 'incoming/ann']);
  assert.ok(lines.some(({ status, user }) => status === 401 && user === undefined));
  assert.doesNotMatch(JSON.stringify(lines), /stranger-secret/);
});

test('log lines for people have time, level, message and facts', () => {
  const json = `${JSON.stringify({ level: 40, time: 0, pid: 1, hostname: 'h', collection: 'c', why: 'no room', n: 3, msg: 'a thing' })}\n`;
  assert.equal(
    textLine(json),
    '1970-01-01T00:00:00.000Z warning a thing  collection=c  why="no room"  n=3\n',
  );
  assert.equal(textLine('not JSON'), 'not JSON');
  const explained = new ServiceError('storage_unavailable', 'The database is away.', [], {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' }),
  });
  const facts = { level: 40, time: 0, msg: 'will retry', err: errorFacts(explained) };
  assert.equal(
    textLine(JSON.stringify(facts)),
    '1970-01-01T00:00:00.000Z warning will retry\n    The database is away. (connect ECONNREFUSED)\n',
  );
  assert.match(JSON.stringify(errorFacts(new TypeError('a defect'))), /stack/);
});

test('administrators see disk, collections, jobs and tokens', async (t) => {
  const { request } = await testApp(t, CONFIGURATION);
  await request('GET', '/c/records/', { token: 'ann' });
  assert.equal((await request('GET', '/-/status', { token: 'ann' })).status, 401);
  const answer = await request('GET', '/-/status', { token: ADMIN });
  assert.equal(answer.status, 200, answer.text);
  const status = answer.json<{
    writable: unknown;
    disk: { free_bytes: number };
    collections: { name: string; records: number }[];
    jobs: { id: number; name: string }[];
    tokens: { name: string; last_used: string | null }[];
  }>();
  assert.equal(status.writable, true);
  assert.ok(status.disk.free_bytes > 0);
  assert.deepEqual(
    status.collections.map(({ name, records }) => [name, records]),
    [['c', 0]],
  );
  const used = Object.fromEntries(status.tokens.map(({ name, last_used }) => [name, last_used]));
  assert.deepEqual(Object.keys(used), ['ann', 'curator']);
  assert.ok(Date.now() - Date.parse(used.ann ?? '') < 120_000, used.ann ?? '');
  assert.equal(used.curator, null);
  assert.ok(status.jobs.length > 0);
});

test('administrators see how much room the store takes, and when it was last backed up', async (t) => {
  const { request, store } = await testApp(t, CONFIGURATION);
  type Status = {
    store_bytes: number;
    database_bytes: number | null;
    last_backup: { time: string; bytes: number } | null;
  };
  const status = async () => (await request('GET', '/-/status', { token: ADMIN })).json<Status>();
  const before = await status();
  assert.ok(before.store_bytes > 1000, String(before.store_bytes));
  assert.ok((before.database_bytes ?? 0) > 1000, String(before.database_bytes));
  assert.equal(before.last_backup, null);
  const file = `${store}.tar.gz`;
  const command = resolve(import.meta.dirname, '../../bin/accession.js');
  const began = new Date().toISOString();
  await promisify(execFile)(process.execPath, [command, 'backup', store, file]);
  const { last_backup: last } = await status();
  assert.equal(last?.bytes, statSync(file).size);
  assert.ok(last.time >= began);
});
