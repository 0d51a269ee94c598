/** Commands of curators: references, duplicates, renames, merges. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { listening } from '../../../test/cli/service.ts';
import { person } from '../../../test/support/people.ts';

test('a curator finds dangling references and duplicates, renames, merges and undoes', async (t) => {
  const service = await listening(t);
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  const run = (...args: string[]) => accession(args, { env });
  const put = async (className: string, json: object) => {
    const path = `/lab/curated/record/${className}`;
    assert.equal((await service.request('POST', path, { token: 'cur', json })).status, 200);
  };
  await put('Person', { ...person('a'), affiliations: ['labid:gone'], orcid: 'orcid:0000-0002-1000-0000' });
  await put('Person', { ...person('b'), orcid: 'orcid:0000-0002-1000-0000' });
  await put('Organization', { pid: 'labid:o', name: 'O' });

  const dangling = await run('dangling', 'lab');
  assert.deepEqual(
    [dangling.status, /labid:a .*labid:gone/.test(dangling.stdout)],
    [2, true],
    dangling.stdout,
  );
  const set = await run('settings', 'lab', '--identify', 'Person=orcid', '--json');
  const kept = { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } };
  assert.deepEqual(JSON.parse(set.stdout), kept);
  const pairs = await run('duplicates', 'lab');
  assert.match(pairs.stdout, /^1 +orcid +Person +labid:a +labid:b/m, pairs.stderr);
  const apartNow = await run('distinct', 'lab', 'labid:a', 'labid:b');
  assert.deepEqual(
    [apartNow.status, apartNow.stderr],
    [0, 'labid:a and labid:b are not listed as duplicates any more.\n'],
  );
  const none = await run('distinct', 'lab', 'labid:a', 'labid:misspelt');
  assert.deepEqual(
    [none.status, none.stderr],
    [1, "accession: The record 'labid:misspelt' does not exist.\n"],
  );
  assert.equal((await run('duplicates', 'lab')).stdout, '');

  const tried = await run('rename', 'lab', 'labid:a', 'labid:c', '--dry-run');
  assert.match(tried.stdout, /^rename labid:a → labid:c: 1 record would change$/m);
  assert.equal((await run('get', 'lab', 'labid:a', '--curated')).status, 0);
  const renamed = await run('rename', 'lab', 'labid:a', 'labid:c');
  const id = /undo with the id (\S+)/.exec(renamed.stdout)?.[1] as string;
  assert.match((await run('moves', 'lab')).stdout, /rename +labid:a +labid:c/);
  const undone = await run('moves', 'lab', id);
  assert.equal(undone.stdout, 'rename labid:a → labid:c: undone; 1 record changed\n', undone.stderr);

  const conflict = await run('merge', 'lab', 'labid:a', 'labid:b');
  assert.deepEqual(
    [
      conflict.status,
      /choose one with take/.test(conflict.stderr),
      /--take (\S+)=keep/.test(conflict.stderr),
    ],
    [1, false, true],
    conflict.stderr,
  );
  const apart = await run('merge', 'lab', 'labid:a', 'labid:o', '--take', '=keep', '--dry-run');
  assert.match(apart.stderr, /expected a record of the class Person, found one of the class Organization/);
  const elsewhere = await run('merge', 'lab', 'labid:a', 'labid:b', '--take', 'name=keep');
  assert.match(
    elsewhere.stderr,
    /no difference at name; expected a path where the records differ: .*\/name/,
    elsewhere.stderr,
  );
  const merged = await run('merge', 'lab', 'labid:a', 'labid:b', '--take', '=keep');
  assert.equal(merged.status, 0, merged.stderr);
});
