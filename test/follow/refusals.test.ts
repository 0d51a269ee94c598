/** A process that only reads a store refuses every change, and leaves every file of the store as it is. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changes } from '../../src/core/http/endpoint.ts';
import { ADMIN } from '../support/app.ts';
import { ENDPOINTS, pathOf } from '../support/endpoints.ts';
import { person } from '../support/people.ts';
import { change, get, IN_PAIR, pair } from './pair.ts';

/** The content and the time of every file, without what connections share and make empty. */
function filesOf(store: string): Record<string, string> {
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const described = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.endsWith('-shm') && !(file.endsWith('-wal') && statSync(file).size === 0))
    .map((file) => [
      file,
      `${statSync(file).mtimeMs} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`,
    ]);
  return Object.fromEntries(described);
}

for (const backend of ['sqlite', 'record_dir+stl']) {
  test(`${backend}: every endpoint that changes anything is refused, and nothing in the store changes`, async (t) => {
    const { owner, follower } = await pair(t, backend);
    await change(owner, 'POST', '/lab/curated/record/Person', person('ada'));
    await change(owner, 'POST', '/lab/record/Person', person('will'), 'writer');
    // The jobs of the owner write too.
    await owner.app.close();
    const before = filesOf(owner.store);
    const refused = ENDPOINTS.filter(changes);
    assert.ok(refused.length > 20, 'the table has endpoints that change something');
    for (const endpoint of refused) {
      const { method, path } = endpoint;
      const answer = await follower.request(method, pathOf(endpoint, IN_PAIR), {
        token: ADMIN,
        json: person('bea'),
      });
      assert.equal(answer.status, 405, `${method} ${path}: ${answer.text}`);
      assert.match(answer.text, /only reads the store.*Send changes to the service that owns/);
      assert.equal(typeof answer.headers.allow, 'string');
      assert.ok(!(answer.headers.allow ?? '').split(', ').includes(method), `${method} ${path}`);
    }
    for (const endpoint of ENDPOINTS.filter((one) => !changes(one) && !one.undescribed)) {
      const { method, path } = endpoint;
      for (const token of ['curator', ADMIN]) {
        const json = method === 'GET' ? undefined : path.endsWith('titles') ? ['labid:ada'] : person('bea');
        const answer = await follower.request(method, `${pathOf(endpoint, IN_PAIR)}?pid=${IN_PAIR.pid}`, {
          token,
          ...(json !== undefined && { json }),
        });
        assert.ok(answer.status < 500 && answer.status !== 405, `${method} ${path}: ${answer.text}`);
      }
    }
    assert.deepEqual(filesOf(owner.store), before);
  });
}

test('validating is possible', async (t) => {
  const { owner, follower } = await pair(t, 'sqlite');
  await change(owner, 'POST', '/lab/curated/record/Person', person('ada'));
  await change(follower, 'POST', '/lab/validate/record/Person', person('bea'), 'late');
  const invalid = await follower.request('POST', '/lab/validate/record/Person', {
    token: 'late',
    json: { pid: 'labid:bea' },
  });
  assert.equal(invalid.status, 400, invalid.text);
});

test('health, readiness and status say that the process only reads', async (t) => {
  const { owner, follower } = await pair(t, 'sqlite');
  for (const path of ['/-/health', '/-/ready']) {
    const answer = await get(follower, path);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json<{ read_only?: boolean }>().read_only, true, path);
    assert.equal((await get(owner, path)).json<{ read_only?: boolean }>().read_only, undefined);
  }
  const status = (await get(follower, '/-/status', ADMIN)).json<{ writable: string }>();
  assert.match(status.writable, /only reads/);
});
