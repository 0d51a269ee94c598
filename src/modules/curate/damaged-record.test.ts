/** A record whose text in the database is not JSON is a fault. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { listening } from '../../../test/cli/service.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';

test('a damaged record is listed with the faults, alone by its pid, and counted by health', async (t) => {
  const service = await listening(t);
  for (const name of ['a', 'b', 'c'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) });
  // What is being checked as it was would be stored as free of faults afterwards.
  await eventually('all records are checked', async () => {
    const response = await service.request('GET', '/-/lab/faults', { token: 'cur' });
    return response.json<{ pending: number }>().pending === 0;
  });
  const database = sqliteAt(join(service.store, 'accession.db'));
  database.exec(`UPDATE accession_record SET json = replace(json, '"name"', '"na###') WHERE pid = 'labid:b'`);
  // As after a schema change: the faults are found again.
  database.exec(`DELETE FROM accession_cursor WHERE name LIKE 'faults%'`);
  database.close();
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  // A write makes the service look again.
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person('d') });
  const faults = await eventually(
    'the fault is found',
    () => accession(['faults', 'lab'], { env }),
    ({ status, stderr }) => {
      if (status !== 2) assert.match(stderr, /not checked yet/, 'nothing is found, but not all is checked');
      return status === 2;
    },
  );
  assert.match(
    faults.stdout,
    /^labid:b +Person +curated +The stored text is not JSON: .* Restore the record/m,
  );
  const ofOne = (pid: string) => accession(['curate', 'faults', 'lab', '--pid', pid], { env });
  assert.deepEqual(await ofOne('labid:b'), { ...faults, stderr: '' });
  assert.deepEqual(await ofOne('labid:a'), { status: 0, stdout: '', stderr: 'Nothing found.\n' });
  const health = (await service.request('GET', '/-/health', { token: 'cur' })).text;
  assert.match(health, /1 stored record does not fit the schema/);
});
