/** A disk without room for a release: other writes go on, nothing of it is left, and it is made when there is room. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { smallDisk } from '../../../test/support/small-disk.ts';

const MIB = 2 ** 20;
const PEOPLE = 8;
const PUBLISH = { title: 'The lab', license: 'https://creativecommons.org/licenses/by/4.0/' };

test('a release without room on the disk leaves some to others, and is made when there is more', async (t) => {
  const disk = smallDisk(t, 160);
  if (disk === undefined) return t.skip('this machine cannot mount a small file system');
  const service = await testApp(
    t,
    { collections: { c: { backend: { type: 'sqlite' } } }, tokens: { cora: { c: 'CURATOR' } } },
    { store: disk, healthInterval: 0 },
  );
  const send = (method: string, path: string, json?: object) =>
    service.request(method, path, { token: 'cora', json });
  const store = (name: string, more: object) =>
    send('POST', '/c/curated/record/Person', person(name, more)).then(({ status }) => status);
  assert.equal((await send('PUT', '/-/c/settings', { publish: PUBLISH })).status, 200);
  for (let n = 0; n < PEOPLE; n++)
    assert.equal(await store(`p${n}`, { description: randomBytes(MIB).toString('base64') }), 200);
  await service.restart();

  const filler = join(disk, 'filler');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 36 * MIB));
  assert.equal((await send('POST', '/-/c/releases', { name: 'one' })).status, 202);
  const failure = async () => {
    const { jobs } = (await service.request('GET', '/-/status', { token: ADMIN })).json<{
      jobs: { name: string; error?: string }[];
    }>();
    return jobs.find(({ name }) => name === 'releases')?.error;
  };
  while ((await failure()) === undefined) await delay(20);
  assert.equal(await failure(), 'The disk of the store has too little room for a release.');
  assert.equal((await send('GET', '/-/c/releases/one/crate.zip')).status, 404);
  // There is room for as much as a release leaves to others, also while it is tried again.
  for (let n = 0; n < 5; n++) {
    assert.equal(await store('other', { description: randomBytes(MIB).toString('base64') }), 200);
    await delay(300);
  }
  rmSync(filler);
  let state = 'making';
  for (; state === 'making'; await delay(100))
    ({ state } = (await send('GET', '/-/c/releases/one')).json<{ state: string }>());
  assert.equal(state, 'done');
  const lines = (await send('GET', '/-/c/releases/one/records.jsonl')).text.trim().split('\n');
  assert.equal(lines.length, PEOPLE);
});
