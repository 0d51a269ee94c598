/** The archive of a release, before a program of others that judges RO-Crates. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { fileOf, publishedService, runJudge, skip } from '../publish/judges.expected.ts';

test('a release is an RO-Crate', { skip }, async (t) => {
  const { url, store, request } = await publishedService(t);
  const path = '/-/c/releases';
  const json = { name: 'v1', notes: 'The first.' };
  assert.equal((await request('POST', path, { token: 'cur', json })).status, 202);
  await eventually('a release', async () => (await request('GET', `${path}/v1`)).status === 200);
  const archive = join(store, 'v1.zip');
  writeFileSync(archive, await (await fetch(`${url}${path}/v1/crate.zip`)).bytes());
  const issues = await runJudge<[string, string, string][]>(join(import.meta.dirname, 'crate.py'), 'crate', {
    archive,
    context: fileOf('rocrate/data/ro-crate.jsonld'),
  });
  // A collection knows neither of its publisher.
  const expected = [
    'The organization SHOULD have a URL.',
    'An Organization entity SHOULD have a ROR identifier as its @id (e.g., https://ror.org/03f0f6041)',
  ];
  assert.deepEqual(
    issues.map(([severity, , message]) => `${severity} ${message}`).sort(),
    expected.map((message) => `RECOMMENDED ${message}`).sort(),
  );
});
