import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, LABORATORY, scratch } from '../../../test/cli/accession.ts';
import { listening } from '../../../test/cli/service.ts';
import { connect } from '../../client/client.ts';
import { tables } from './client.ts';
import { writeXlsx } from './files/xlsx-write.ts';

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

test('a number that a spreadsheet program has cut is noted in a slot of text', async (t) => {
  const { url } = await listening(t);
  const lab = connect({ url, token: 'cur' }).collection('lab');
  const rows = [
    ['pid', 'name', 'serial_number'],
    ['labid:long', 'Long', { number: '1234567890123450000' }],
    ['labid:short', 'Short', { number: '123456789012345' }],
    ['labid:text', 'Text', '1234567890123456789'],
  ];
  const workbook = writeXlsx([{ name: 'Instrument', rows }]);
  const { stored, notes } = await lab.curated.use(tables).put('Instrument', new Blob([workbook]));
  assert.equal(stored, 3);
  const cells = notes.map(({ row, column, header, value }) => `${column}${row} ${header} ${value}`);
  assert.deepEqual(cells, ['C2 serial_number 1234567890123450000']);
  assert.equal((await lab.curated.use(tables).put('Instrument', new Blob([workbook]))).notes.length, 0);
  const file = join(scratch(t), 'instruments.xlsx');
  writeFileSync(file, workbook);
  const env = { ACCESSION_URL: url, ACCESSION_TOKEN: 'cur' };
  const note = /^note: .*C2 \(serial_number\): 1234567890123450000: A number has 15 digits/gm;
  for (const command of [
    ['import', 'copy', file, '--curated'],
    ['validate', file, '--schema', LABORATORY],
  ]) {
    const { status, stderr } = await accession(command, { env });
    assert.equal(status, 0, stderr);
    assert.equal(stderr.match(note)?.length, 1, stderr);
  }
  const many = Array.from({ length: 103 }, (_, n) => [
    `labid:n${n}`,
    `N${n}`,
    { number: '1234567890123450000' },
  ]);
  writeFileSync(file, writeXlsx([{ name: 'Instrument', rows: [rows[0]!, ...many] }]));
  for (const command of [
    ['import', 'copy', file, '--curated', '--dry-run'],
    ['validate', file, '--schema', LABORATORY],
  ]) {
    const { stderr } = await accession(command, { env });
    assert.equal(stderr.match(/A number has 15 digits/g)?.length, 100, stderr);
    assert.match(stderr, /^note: .*instruments\.xlsx: … and 3 more$/m);
  }
});
