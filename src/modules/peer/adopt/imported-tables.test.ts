/** Tables of the peer that change after their import are reported. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession } from '../../../../test/cli/accession.ts';
import { ADMIN, LABORATORY, testApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import { PeerTable } from '../export/table.ts';

function writeTable(area: string, name: string): void {
  mkdirSync(area, { recursive: true });
  const table = new PeerTable(area, true);
  const iri = `https://example.org/laboratory/id/${name}`;
  const json = JSON.stringify({ pid: `labid:${name}`, schema_type: 'lab:Person' });
  table.write({ pid: `labid:${name}`, iri, className: 'Person', json });
  table.close();
}

test('what the peer writes to a table after its import is reported at the start, and nothing else is', async (t) => {
  const service = await testApp(t, {});
  const curated = join(service.store, 'own/curated');
  const file = join(curated, '__sqlite-records.db');
  writeTable(curated, 'a');
  const json = {
    name: 'c',
    schema: LABORATORY,
    default_token: 'x',
    backend: 'sqlite',
    curated: 'own/curated',
  };
  const made = await service.request('POST', '/collections', {
    token: ADMIN,
    json: { ...json, incoming: 'own/incoming' },
  });
  assert.equal(made.status, 201, made.text);
  const problems = async () =>
    (await service.request('GET', '/-/health')).json<{ problems?: string[] }>().problems?.join() ?? '';
  const check = async () => (await accession(['check', service.store])).stdout;

  utimesSync(file, new Date(0), new Date(0));
  await service.restart();
  assert.doesNotMatch(await check(), /has changed since/, 'another time, and the same content');

  const table = sqliteAt(file);
  table.exec("UPDATE thing SET object = replace(object, 'labid:a', 'labid:b')");
  table.close();
  writeTable(join(service.store, 'own/incoming/late'), 'z');
  await service.restart();
  await eventually('both tables in health', async () => /'c': 2 faults/.test(await problems()));
  const found = await check();
  assert.match(found, /own\/curated\/__sqlite-records\.db: It has changed since it was imported/);

  mkdirSync(join(service.store, 'own/incoming/early'));
  writeFileSync(join(service.store, 'own/incoming/early/__sqlite-records.db'), 'not a database');
  await service.restart();
  await eventually('the broken table and those behind it', async () =>
    /'c': 3 faults/.test(await problems()),
  );

  rmSync(file);
  rmSync(join(service.store, 'own/incoming/early'), { recursive: true });
  rmSync(join(service.store, 'own/incoming/late'), { recursive: true });
  await eventually('no fault any more', async () => !/faults? in/.test(await problems()));
});
