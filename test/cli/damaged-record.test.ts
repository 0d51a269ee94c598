/** A record whose text in the database is not JSON: reads send it as it is, and what reads it says which one it is. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { connect } from '../../src/client/client.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { accession } from './accession.ts';
import { listening } from './service.ts';

test('a response with a damaged record is one line of a command, and an error of the client', async (t) => {
  const service = await listening(t);
  for (const name of ['a', 'b', 'c'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) });
  // What is being checked as it was would be stored as free of faults afterwards.
  await eventually('all records are checked', async () => {
    const response = await service.request('GET', '/-/lab/faults', { token: 'cur' });
    return response.json<{ pending: number }>().pending === 0;
  });
  const database = new DatabaseSync(join(service.store, 'accession.db'));
  database.exec(`UPDATE accession_record SET json = replace(json, '"name"', '"na###') WHERE pid = 'labid:b'`);
  // As after a schema change: the faults are found again.
  database.exec(`DELETE FROM accession_cursor WHERE name LIKE 'faults%'`);
  database.close();

  const { curated } = connect({ url: service.url, token: 'cur' }).collection('lab');
  const isNotJson = {
    name: 'ClientError',
    message: /^The response to http\S+pid=labid%3Ab\S* is not JSON: /,
  };
  await assert.rejects(curated.get('labid:b'), isNotJson);
  await assert.rejects(curated.page(), /The response to http\S+ is not JSON: .*accession check STORE/);

  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  for (const args of [
    ['get', 'lab', 'labid:b', '--curated'],
    ['get', 'lab', 'labid:b', '--curated', '--format', 'yaml'],
    ['list', 'lab', '--curated'],
    ['export', 'lab', '--curated', '--format', 'csv', '--class', 'Person'],
  ]) {
    const { status, stderr } = await accession(args, { env });
    assert.deepEqual([status, stderr.trim().split('\n').length], [1, 1], stderr);
    assert.match(
      stderr,
      args[0] === 'list' ? /\/lab\/curated\/\S* is not JSON/ : /labid(:|%3A)b\b.* is not JSON: /,
    );
  }
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
  const health = (await service.request('GET', '/-/health', { token: 'cur' })).text;
  assert.match(health, /1 stored record does not fit the schema/);
});
