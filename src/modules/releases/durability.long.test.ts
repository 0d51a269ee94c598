/**
 * A service that is killed while it makes releases: each is served whole or not at all, and is made by the next start.
 * `ACCESSION_CRASH_ROUNDS` is the number of kills.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LABORATORY } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { randomOf } from '../../../test/support/randomly.ts';
import { type RealService, startService } from '../../../test/support/real-service.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';

const ROUNDS = Number(process.env.ACCESSION_CRASH_ROUNDS ?? 2);
/** Enough that many kills come while a release is made. */
const RECORDS = 600;
const headers = { 'x-service-token': 'cur', 'content-type': 'application/json' };

type Release = { state: string; records: number; revision: number; digest: string; size: number };

async function send({ url }: RealService, method: string, path: string, json?: unknown) {
  return fetch(`${url}${path}`, {
    method,
    headers,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

test('a release is whole or not there, however often the service is killed while it is made', async (t) => {
  const random = randomOf(t);
  const folder = mkdtempSync(join(tmpdir(), 'accession-releases-'));
  t.after(async () => {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const [store, config] = [join(folder, 'store'), join(folder, 'config.yaml')];
  mkdirSync(store);
  const lab = {
    schema: LABORATORY,
    default_token: 'cur',
    curated: 'lab/curated',
    backend: { type: 'sqlite' },
  };
  const cur = { user_id: 'cur', representation: 'cur', collections: { lab: { mode: 'CURATOR' } } };
  writeFileSync(
    config,
    JSON.stringify({ type: 'collections', version: 2, collections: { lab }, tokens: { cur } }),
  );
  const start = (first = false) =>
    startService([store, ...(first ? ['--config', config] : [])], {
      environment: { ACCESSION_ADMIN_TOKEN: 'admin' },
    });
  let service = await start(true);
  const publish = { license: 'https://creativecommons.org/publicdomain/zero/1.0/' };
  assert.equal((await send(service, 'PUT', '/-/lab/settings', { publish })).status, 200);
  const people = Array.from({ length: RECORDS }, (_, n) => person(`p${String(n).padStart(4, '0')}`));
  const stored = await send(service, 'POST', '/-/lab/curated/records/Person', people);
  assert.equal(stored.status, 200, await stored.text());

  const outcomes: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/-/lab/releases/v${round}`;
    assert.equal((await send(service, 'POST', '/-/lab/releases', { name: `v${round}` })).status, 202);
    await delay(random(1000));
    const before = (await (await send(service, 'GET', path)).json()) as Release;
    await service.kill();
    outcomes.push(before.state);
    service = await start();
    // What is written after the request belongs to later releases.
    await send(service, 'POST', '/lab/curated/record/Person', person('p0001', { given_name: `Of ${round}` }));
    let release: Release;
    for (;;) {
      const archive = await send(service, 'GET', `${path}/crate.zip`);
      const bytes = Buffer.from(await archive.arrayBuffer());
      release = (await (await send(service, 'GET', path)).json()) as Release;
      if (archive.status === 200) {
        assert.equal(createHash('sha256').update(bytes).digest('hex'), release.digest);
        assert.equal(bytes.length, release.size);
        break;
      }
      assert.equal(archive.status, 404);
      assert.notEqual(release.state, 'failed');
      await delay(100);
    }
    const lines = await (await send(service, 'GET', `${path}/records.jsonl`)).text();
    const at = await send(service, 'GET', `/-/lab/curated/export?at=${release.revision}`);
    assert.equal(lines, await at.text());
    assert.equal(lines.split('\n').length - 1, RECORDS);
  }
  t.diagnostic(`when the service was killed: ${outcomes.join(', ')}`);
  assert.equal(await service.stop(), 0);
  const database = sqliteAt(join(store, 'accession.db'));
  const left =
    'SELECT 1 FROM accession_release_part WHERE attempt NOT IN (SELECT attempt FROM accession_release)';
  assert.equal(database.prepare(left).get(), undefined, 'parts of attempts that were killed are removed');
  database.close();
});
