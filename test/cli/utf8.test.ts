/** Commands that read records: files that are not UTF-8, without records, or in the place of a class. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, LABORATORY, scratch } from './accession.ts';
import { listening } from './service.ts';

const MULLER = Buffer.from('M\xfcller', 'latin1');
const latin1 = (before: string, after = '') =>
  Buffer.concat([Buffer.from(before), MULLER, Buffer.from(after)]);

/** Files whose last record has a letter in Latin-1. */
const FILES = {
  'a.json': latin1('{"pid": "labid:l", "name": "L",\n "family_name": "', '"}'),
  'a.yaml': latin1('pid: labid:l\nfamily_name: ', '\nname: L\n'),
  'a.ndjson': latin1(
    '{"pid": "labid:m", "name": "M", "family_name": "M"}\n{"pid": "labid:l", "name": "',
    '"}\n',
  ),
};

test('records of files that are not UTF-8 are refused with the line, since other letters would be stored', async (t) => {
  const { url, request } = await listening(t);
  const cwd = scratch(t);
  const env = { ACCESSION_URL: url, ACCESSION_TOKEN: 'ann' };
  for (const [name, content] of Object.entries(FILES)) {
    writeFileSync(join(cwd, name), content);
    const found = new RegExp(`^accession: ${name}: line 2.*: expected UTF-8, found the byte 0xFC\\.`, 'm');
    for (const command of [
      ['put', 'lab', 'Person', name],
      ['import', 'lab', name, '--class', 'Person'],
    ]) {
      const { status, stderr } = await accession(command, { cwd, env });
      assert.equal(status, 1, command.join(' '));
      assert.match(stderr, found);
    }
  }
  writeFileSync(join(cwd, 'b.yaml'), 'pid: labid:b\nname: "\ufffd"\n');
  const { status, stdout } = await accession(
    ['validate', '--schema', LABORATORY, '--class', 'Person', ...Object.keys(FILES), 'b.yaml'],
    { cwd },
  );
  assert.equal(status, 2);
  for (const name of Object.keys(FILES)) assert.match(stdout, new RegExp(`^${name}:1:1: line 2: `, 'm'));
  assert.match(stdout, /^b\.yaml:1:1: family_name: found nothing/m);
  const { text } = await request('GET', '/lab/record?pid=labid:l', { token: 'ann' });
  assert.equal(text, 'null');
});

test('put asks for a class before a file, and fails if there are no records', async (t) => {
  const { url } = await listening(t);
  const cwd = scratch(t);
  const env = { ACCESSION_URL: url, ACCESSION_TOKEN: 'ann' };
  writeFileSync(join(cwd, 'empty.json'), '');
  for (const [args, message] of [
    [['empty.json'], /Expected a class before the file empty\.json/],
    [['Person', 'empty.json'], /empty\.json: expected records, found none\./],
    [['Person'], /standard input: expected records, found none\./],
  ] as const) {
    const { status, stderr } = await accession(['put', 'lab', ...args], { cwd, env });
    assert.equal(status, 1, stderr);
    assert.match(stderr, message);
  }
});
