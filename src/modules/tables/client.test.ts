import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listening } from '../../../test/cli/service.ts';
import { connect } from '../../client/client.ts';
import { tables } from './client.ts';

test('the client stores the rows of a table in the area of a token, the curated area or a zone', async (t) => {
  const { url } = await listening(t);
  const lab = connect({ url, token: 'cur' }).collection('lab');
  const template = await (await lab.use(tables).template('Person', 'csv')).text();
  assert.match(template, /^pid\*,/);
  const file = 'pid,name,family_name\nlabid:ada,Ada,Byron\n';
  const checked = await lab.curated.use(tables).put('Person', file, { dryRun: true });
  assert.deepEqual([checked.rows, checked.stored], [1, 1]);
  assert.equal(await lab.curated.get('labid:ada'), undefined);
  const { stored } = await lab.curated.use(tables).put('Person', new Blob([file]));
  assert.equal(stored, 1);
  assert.equal((await lab.curated.get('labid:ada'))?.record.name, 'Ada');
  const map = { 'Familie = Name': 'family_name', Vorname: 'given_name' };
  const german = 'pid,name,Familie = Name,Vorname*\nlabid:eva,Eva,Stein,Eva\n';
  const unknown = await lab.curated.use(tables).put('Person', german);
  assert.equal(unknown.stored, 0);
  assert.equal((await lab.curated.use(tables).put('Person', german, { map })).stored, 1);
  const { family_name, given_name } = (await lab.curated.get('labid:eva'))!.record;
  assert.deepEqual([family_name, given_name], ['Stein', 'Eva']);
});
