/** `accession vocabulary` and `accession validate --vocabulary`. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { vocabularyFile } from '#linkml-test/vocabularies.ts';
import { accession, scratch } from './accession.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {ex: https://example.org/, CL: http://purl.obolibrary.org/obo/CL_}
default_prefix: ex
imports: [linkml:types]
classes: {Thing: {attributes: {pid: {identifier: true}, cell: {range: Cell}}}}
enums: {Cell: {reachable_from: {source_ontology: obo:cl, source_nodes: [CL:0000540]}}}
`;

test('a snapshot is made, described, and enforced', async (t) => {
  const folder = scratch(t);
  const [file, schema, records] = ['cl.terms', 'schema.yaml', 'records.ndjson'].map((name) =>
    join(folder, name),
  );
  const added = await accession(['vocabulary', 'add', vocabularyFile('cl'), '-o', file!, '--json']);
  assert.equal(added.status, 0, added.stderr);
  const { terms, title, digest } = JSON.parse(added.stdout);
  assert.deepEqual({ terms, title }, { terms: 25, title: 'Cells, an excerpt' });
  const described = await accession(['vocabulary', 'check', file!, '--json']);
  assert.equal(JSON.parse(described.stdout).digest, digest);

  writeFileSync(schema!, SCHEMA);
  const cells = ['CL:0000100', 'CL:0000127', 'CL:0000338', 'CL:1'];
  writeFileSync(records!, cells.map((cell, i) => `${JSON.stringify({ pid: `ex:${i}`, cell })}\n`).join(''));
  const validate = ['validate', '-s', schema!, '-C', 'Thing', '--format', 'json'];
  const types = async (...more: string[]) => {
    const { stdout } = await accession([...validate, ...more, records!]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line).type);
  };
  const expected = ['term_outside', 'term_obsolete', 'term_unknown'];
  assert.deepEqual(await types('--vocabulary', file!), expected, 'the name is that of the file');
  assert.deepEqual(await types('--vocabulary', `cl=${vocabularyFile('cl')}`), expected, 'a source');
  assert.deepEqual(await types(), []);
  assert.deepEqual(
    await types('--strict'),
    cells.map(() => 'vocabulary_missing'),
  );

  const checked = await accession(['vocabulary', 'check', file!, '--schema', schema!]);
  assert.deepEqual([checked.status, checked.stdout], [0, '']);
  assert.equal(checked.stderr, 'the schema asks for nothing that the vocabularies lack\n');
  writeFileSync(schema!, SCHEMA.replace('[CL:0000540]', '[CL:0000338]'));
  const obsolete = await accession(['vocabulary', 'check', file!, '--schema', schema!]);
  assert.equal(obsolete.status, 2);
  assert.match(obsolete.stdout, /CL:0000338 is obsolete. It is replaced by CL:0000540/);
});

test('a refresh lists what is gone, obsolete and relabeled, and changes nothing in a dry run', async (t) => {
  const folder = scratch(t);
  const [source, file] = [join(folder, 'methods.csv.gz'), join(folder, 'methods.terms')];
  const text = readFileSync(vocabularyFile('methods'), 'utf8');
  writeFileSync(source, gzipSync(text));
  assert.equal((await accession(['vocabulary', 'add', source, '-o', file])).status, 0);
  const newer = text
    .replace('METHOD:1,method,', 'METHOD:1,approach,')
    .replace(/^METHOD:9.*\n/m, 'METHOD:10,new,,,,,,\n')
    .replace('METHOD:5,scanning electron microscopy,SEM,,METHOD:4,,', 'METHOD:5,old SEM,,,,true,METHOD:4');
  writeFileSync(source, gzipSync(newer));
  const before = readFileSync(file);
  const refresh = ['vocabulary', 'refresh', file, '--json'];
  const dry = await accession([...refresh, '--dry-run']);
  assert.deepEqual(
    JSON.parse(dry.stdout).map(({ change, id, now }: Record<string, string>) => [change, id, now]),
    [
      ['relabeled', 'METHOD:1', 'approach'],
      ['obsolete', 'METHOD:5', 'METHOD:4'],
      ['gone', 'METHOD:9', ''],
    ],
  );
  assert.match(dry.stderr, /1 new term, 3 changes of terms; not written/);
  assert.deepEqual(readFileSync(file), before);
  assert.equal((await accession(refresh)).status, 0);
  assert.deepEqual(JSON.parse((await accession([...refresh, '--dry-run'])).stdout), []);
});

test('a source that cannot be read is reported', async (t) => {
  const file = join(scratch(t), 'x.terms');
  for (const [source, reason] of [
    ['nowhere.json', /Cannot read nowhere\.json: ENOENT/],
    ['schema.xml', /The format of schema\.xml is not known/],
    [vocabularyFile('cl').replace('cells.json', 'methods.csv.gz'), /Cannot read .*methods\.csv\.gz/],
  ] as const) {
    const { status, stderr } = await accession(['vocabulary', 'add', source, '-o', file]);
    assert.equal(status, 1, source);
    assert.match(stderr, reason);
  }
  const { status, stderr } = await accession(['validate', '--vocabulary', 'cl=', '-s', 'x', 'y']);
  assert.equal(status, 1);
  assert.match(stderr, /A vocabulary is NAME=FILE, found 'cl='/);
});
