/** A zone that another process has locked keeps only those waiting who want it. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN, testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

test('health and status answer while a zone cannot be opened yet', async (t) => {
  const { request, store } = await testApp(t, {
    collections: { c: { backend: 'sqlite', incoming: 'c/incoming' } },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, ben: { c: 'WRITE_COLLECTION' } },
  });
  const write = (token: string) => request('POST', '/c/record/Person', { token, json: person(token) });
  assert.equal((await write('ben')).status, 200);
  const zone = join(store, 'c/incoming/ann');
  mkdirSync(zone, { recursive: true });
  const locked = new DatabaseSync(join(zone, '__sqlite-records.db'));
  locked.exec('BEGIN EXCLUSIVE; CREATE TABLE mine (a)');
  let isOpen = false;
  const waiting = write('ann').finally(() => (isOpen = true));
  // The writer looks again and again.
  await delay(100);
  for (const [path, token] of [['/-/health'], ['/-/status', ADMIN]] as const) {
    assert.equal((await request('GET', path, { token })).status, 200, path);
    assert.ok(!isOpen, `${path} waited for the zone`);
  }
  locked.exec('ROLLBACK');
  locked.close();
  assert.equal((await waiting).status, 200);
});
