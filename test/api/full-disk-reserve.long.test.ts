/** A full disk refuses deletions, too; when a file that was kept for it is removed, writes succeed without a restart. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

const MIB = 2 ** 20;

test('a full disk refuses deletions until a reserve is removed', async (t) => {
  const disk = smallDisk(t, 100);
  if (disk === undefined) return t.skip('this machine cannot mount a small file system');
  const { request } = await testApp(
    t,
    { collections: { c: { backend: { type: 'sqlite' } } }, tokens: { cora: { c: 'CURATOR' } } },
    { store: disk },
  );
  const store = async (name: string) => {
    const json = person(name, { description: randomBytes(MIB).toString('base64') });
    return (await request('POST', '/c/curated/record/Person', { token: 'cora', json })).status;
  };
  const remove = async (name: string) =>
    (await request('DELETE', `/c/curated/record?pid=labid:${name}`, { token: 'cora' })).status;
  const reserve = join(disk, 'reserve');
  writeFileSync(reserve, Buffer.alloc(20 * MIB));
  for (const name of ['p1', 'p2', 'p3']) assert.equal(await store(name), 200);
  fillDisk(join(disk, 'filler'));
  // What is left of the log of the database may take some.
  let status = 200;
  for (let n = 4; status === 200; n++) status = await store(`p${n}`);
  assert.deepEqual([status, await remove('p1')], [507, 507]);
  rmSync(reserve);
  assert.deepEqual([await remove('p1'), await store('p9')], [200, 200]);
});
