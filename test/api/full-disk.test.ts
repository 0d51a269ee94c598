/** A disk without room: writes are refused with a sentence, reads go on, and the health of the service says so. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

const CONFIGURATION = (backend: string) => ({
  collections: { c: { backend: { type: backend } } },
  tokens: { ann: { c: 'WRITE_COLLECTION' }, bob: { c: 'WRITE_COLLECTION' }, curator: { c: 'CURATOR' } },
});

for (const backend of ['record_dir+stl', 'sqlite']) {
  test(`${backend}: on a full disk, writes are 507, the health is 503, and reads go on`, async (t) => {
    const disk = smallDisk(t, 4);
    if (disk === undefined) return t.skip('this machine cannot mount a small file system');
    const { request, restart } = await testApp(t, CONFIGURATION(backend), { store: disk, healthInterval: 0 });
    await request('POST', '/-/c/curated/records/Person', {
      token: 'curator',
      json: [person('a'), person('b')],
    });
    await request('POST', '/c/record/Person', { token: 'ann', json: person('own') });
    await restart();
    const filler = join(disk, 'filler');
    fillDisk(filler);
    const write = await request('POST', '/c/record/Person', {
      token: 'ann',
      json: person('x', { given_name: 'x'.repeat(60_000) }),
    });
    assert.equal(write.status, 507, write.text);
    assert.match(write.text, /the disk of the store is full/);
    const health = await request('GET', '/-/health');
    assert.equal(health.status, 503);
    assert.match(health.text, /"status":"degraded".*no room left/);
    for (const [token, own] of [
      ['bob', 0],
      ['ann', 1],
    ] as const) {
      const list = await request('GET', '/c/records/', { token });
      assert.equal(list.status, 200, `${token}: ${list.text}`);
      assert.equal(list.json<unknown[]>().length, 2 + own);
    }
    assert.deepEqual((await request('GET', '/c/incoming/bob/records/', { token: 'curator' })).json(), []);
    rmSync(filler);
    const again = await request('POST', '/c/record/Person', { token: 'bob', json: person('x') });
    assert.equal(again.status, 200, again.text);
    assert.equal((await request('GET', '/-/health')).status, 200);
  });
}
