/** A record whose text in the database is not JSON: reads send it as it is, and what reads it says which one it is. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../src/client/client.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';
import { accession } from './accession.ts';
import { listening } from './service.ts';

test('a response with a damaged record is one line of a command, and an error of the client', async (t) => {
  const service = await listening(t);
  for (const name of ['a', 'b', 'c'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: person(name) });
  const database = sqliteAt(join(service.store, 'accession.db'));
  database.exec(`UPDATE accession_record SET json = replace(json, '"name"', '"na###') WHERE pid = 'labid:b'`);
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
  ]) {
    const { status, stderr } = await accession(args, { env });
    assert.deepEqual([status, stderr.trim().split('\n').length], [1, 1], stderr);
    assert.match(
      stderr,
      args[0] === 'list' ? /\/lab\/curated\/\S* is not JSON/ : /labid(:|%3A)b\b.* is not JSON: /,
    );
  }
});
