/** What a caller could notice of hidden records with faults. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { curator, hidden, POLICIES, TOKENS } from '../../../test/policies/world.ts';
import { ADMIN, LABORATORY, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';

test('the state of the service does not count hidden records', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-traces-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const schema = join(folder, 'schema.yaml');
  const text = readFileSync(LABORATORY, 'utf8');
  writeFileSync(schema, text);
  const service = await testApp(t, {
    collections: { c: { schema, default_token: 'guest', ...POLICIES } },
    tokens: TOKENS,
  });
  await curator(service, '/c/curated/record/Person', hidden('a', { email: 'a@example.org' }));
  await curator(service, '/c/curated/record/Person', person('b', { email: 'b@example.org' }));
  writeFileSync(schema, text.replace('[email, homepage]', '[homepage]'));
  const json = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  assert.equal((await service.request('PUT', '/collections/c', { token: ADMIN, json })).status, 201);
  const faults = await eventually(
    'all changes are checked',
    async () =>
      (await service.request('GET', '/-/c/faults', { token: 'cleo' })).json<{
        total: number;
        pending: number;
      }>(),
    ({ pending }) => pending === 0,
  );
  assert.equal(faults.total, 2);
  const health = (await service.request('GET', '/-/health')).json<{
    problems?: string[];
    projections?: [];
  }>();
  assert.deepEqual(health.problems, [
    "collection 'c': 1 stored record does not fit the schema, see /-/c/faults",
  ]);
  assert.equal(health.projections, undefined);
});
