/** `accession curate release`, and its names of earlier releases of the program. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { listening } from '../../../test/cli/service.ts';
import { ADMIN } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';

test('a curator makes a release and waits for it, lists releases, and is refused a name that is taken', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const run = (...args: string[]) => accession(args, { env });
  for (const name of ['a', 'b'])
    assert.equal(
      (await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) }))
        .status,
      200,
    );
  const refused = await run('curate', 'release', 'lab', 'v1');
  assert.deepEqual([refused.status, /has no license/.test(refused.stderr)], [1, true], refused.stderr);
  await run('settings', 'lab', '--license', 'https://example.org/license');
  const released = await run('curate', 'release', 'lab', 'v1', '--notes', 'First');
  assert.match(
    released.stdout,
    /^v1: 2 records of revision 2, [\d,]+ bytes, SHA-256 [0-9a-f]{64}\n$/,
    released.stderr,
  );
  assert.equal((await run('release', 'lab', 'v1')).status, 1);
  assert.match((await run('releases', 'lab')).stdout, /^v1 +done .* First$/m);
  const denied = await run('curate', 'release', 'lab', 'v1', '--withdraw', 'personal data');
  assert.equal(denied.status, 1, denied.stderr);
  const withdrawn = await accession(['curate', 'release', 'lab', 'v1', '--withdraw', 'personal data'], {
    env: { ...env, ACCESSION_TOKEN: ADMIN },
  });
  assert.match(withdrawn.stdout, /^v1: withdrawn, SHA-256 [0-9a-f]{64}\n$/, withdrawn.stderr);
  assert.match((await run('releases', 'lab')).stdout, /^v1 +withdrawn /m);
});
