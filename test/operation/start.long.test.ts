/** What the service says when it starts. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LABORATORY } from '../support/app.ts';
import { startService } from '../support/real-service.ts';

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: { c: { schema: LABORATORY, default_token: 'none', curated: 'c/curated' } },
};

test('a service without any admin token warns at the start that no client can change its configuration', async (t) => {
  const store = mkdtempSync(join(tmpdir(), 'accession-start-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  const printed = async (environment: NodeJS.ProcessEnv) => {
    const service = await startService([store], { environment });
    t.after(() => service.kill());
    assert.equal(await service.stop(), 0);
    return service.output();
  };
  const warning = /there is no admin token, so the configuration cannot be changed: see --admin-token-hash/;
  assert.match(await printed({}), warning);
  assert.doesNotMatch(await printed({ ACCESSION_ADMIN_TOKEN: 'secret' }), warning);
});

test('a database URL without a scheme is refused instead of waited for', async () => {
  await assert.rejects(
    startService(['--database-url', 'accession']),
    /The database URL has no scheme, expected postgresql:\/\/USER@HOST\/DATABASE\./,
  );
});
