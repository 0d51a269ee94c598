/** Faults of files in the health of the service. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';

test('health counts a fault of an area with two names once, and answers while collections are replaced', async (t) => {
  const attributes = { curated: 'shared/ann', incoming: 'shared' };
  const service = await testApp(t, {
    collections: { shared: attributes },
    tokens: { ann: { shared: 'WRITE_COLLECTION' } },
  });
  mkdirSync(join(service.store, 'shared/ann/Person'), { recursive: true });
  writeFileSync(join(service.store, 'shared/ann/Person/broken.yaml'), 'pid: [');
  await service.restart();
  await service.request('GET', '/shared/records/', { token: 'ann' });
  const configuration = await service.request('GET', '/collections/shared', { token: ADMIN });
  const replace = async () => {
    for (let n = 0; n < 5; n++) {
      const json = { name: 'shared', ...configuration.json<object>() };
      assert.equal((await service.request('PUT', '/collections/shared', { token: ADMIN, json })).status, 201);
    }
  };
  const ask = async () => {
    for (let n = 0; n < 100; n++) {
      const health = await service.request('GET', '/-/health');
      assert.equal(health.status, 200, health.text);
      assert.match(health.text, /'shared': 1 fault in/);
    }
  };
  await Promise.all([replace(), ask(), ask()]);
});
