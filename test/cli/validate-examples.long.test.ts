/** `accession validate` in place of LinkML's `linkml-validate` and `linkml-run-examples`: examples, streams, fragments. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { documentsOf, type StreamKind } from '../../src/cli/offline/validate.ts';
import { findPeer } from '../parity/peer.ts';
import { accession, scratch } from './accession.ts';

const run = promisify(execFile);

const SCHEMA = `
id: https://example.org/zoo
name: zoo
prefixes: { zoo: https://example.org/zoo/, linkml: https://w3id.org/linkml/ }
default_prefix: zoo
default_range: string
imports: [linkml:types]
enums:
  Diet: { permissible_values: { plants: {}, animals: {} } }
classes:
  Zoo:
    tree_root: true
    attributes:
      animals: { range: Animal, multivalued: true, inlined: true, inlined_as_list: true }
  Animal:
    attributes:
      id: { identifier: true }
      name: { required: true, pattern: '^[A-Z]' }
      age: { range: integer, minimum_value: 0 }
      diet: { range: Diet, multivalued: true }
`;

const EXAMPLES: Readonly<Record<string, string>> = {
  'valid/Animal-1.yaml': 'id: cat 1\nname: Tom\nage: 3\ndiet: [animals]\n',
  'valid/Animal-2.yaml': 'id: nowhere:x\nname: Jerry\n',
  'valid/Zoo-1.yaml': 'animals:\n  - id: a\n    name: A\n',
  'valid/Zoo-2.json': '{"animals": []}',
  'invalid/Animal-text.yaml': 'id: a\nname: A\nage: "3"\n',
  'invalid/Animal-unnamed.yaml': 'id: a\n',
  'invalid/Animal-diet.yaml': 'id: a\nname: A\ndiet: [stones]\n',
  'invalid/Zoo-slot.json': '{"animals": [], "lions": 1}',
};

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const LIKE_LINKML = ['validate', '--schema', 'schema.yaml', '--strict', '--identifiers', 'any'];

test('examples are valid, counterexamples are not, and the summary counts both', async (t) => {
  const folder = scratch(t);
  write(folder, { 'schema.yaml': SCHEMA, ...EXAMPLES });
  const good = await accession([...LIKE_LINKML, 'valid', 'invalid'], { cwd: folder });
  const summary = '8 records checked, 0 problems, 4 of 4 counterexamples refused\n';
  assert.deepEqual(good, { status: 0, stdout: '', stderr: summary });
  assert.deepEqual(await accession([...LIKE_LINKML, '.'], { cwd: folder }), good);

  write(folder, {
    'valid/Animal-3.yaml': 'id: a\nname: tom\n',
    'invalid/Animal-fine.yaml': 'id: a\nname: A\n',
  });
  const bad = await accession([...LIKE_LINKML, '.'], { cwd: folder });
  assert.equal(bad.status, 2);
  assert.match(bad.stdout, /^invalid\/Animal-fine\.yaml:1:1: Expected a problem, because .* found none\.$/m);
  assert.match(bad.stdout, /^valid\/Animal-3\.yaml:2:7: name: found "tom"/m);
  assert.equal(bad.stderr, '10 records checked, 2 problems, 4 of 5 counterexamples refused\n');
});

test('the problems of a counterexample that is named are listed', async (t) => {
  const folder = scratch(t);
  write(folder, { 'schema.yaml': SCHEMA, ...EXAMPLES });
  const { status, stdout } = await accession([...LIKE_LINKML, 'invalid/Animal-unnamed.yaml'], {
    cwd: folder,
  });
  assert.deepEqual([status, /^invalid\/Animal-unnamed\.yaml:1:1: name: /.test(stdout)], [2, true]);
});

test('without a class, an object is one of the tree root; short options are those of linkml-validate', async (t) => {
  const folder = scratch(t);
  write(folder, {
    'schema.yaml': SCHEMA,
    'data.yaml': 'animals: [{id: a}]\n',
    'one.yaml': 'id: a\nname: A\n',
  });
  const options = ['-s', 'schema.yaml', '--identifiers', 'any'];
  const rooted = await accession(['validate', ...options, 'data.yaml'], { cwd: folder });
  assert.match(rooted.stdout, /^data\.yaml:1:11: name: found nothing/);
  const named = await accession(['validate', ...options, '-C', 'Animal', 'one.yaml'], { cwd: folder });
  assert.deepEqual([named.status, named.stdout], [0, '']);
});

test('streams are validated document by document, with the lines of the stream', async (t) => {
  const folder = scratch(t);
  write(folder, { 'schema.yaml': SCHEMA });
  const from = (kind: string, input: string) =>
    accession([...LIKE_LINKML, '-C', 'Animal', '--input', kind, '-'], { cwd: folder, input });
  const lines = await from('ndjson', '{"id":"a","name":"A\u2028"}\n\n{"id":"b"}\n{"id":"c","name":"c"}\n');
  assert.equal(lines.stdout.replaceAll(/(:\d+:\d+: \w+).*/g, '$1'), '-:3:1: name\n-:4:18: name\n');
  assert.match(lines.stderr, /^3 records checked, 2 problems\n/);
  const documents = await from(
    'yaml',
    '# first\n---\nid: a\nname: A\n---\nid: b\nname: b\n...\n---\nid: [\n',
  );
  assert.match(documents.stdout, /^-:7:7: name: found "b"[^\n]*\n-:1\d:\d+: Not valid YAML/);
  assert.match(documents.stderr, /^3 records checked, 2 problems\n/);
});

test('documents are found however a stream is cut into pieces', async () => {
  const found = async (text: string, size: number, kind: StreamKind) => {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    const all: unknown[] = [];
    for await (const { text: one, linesBefore } of documentsOf(Readable.from(pieces), kind))
      all.push([one, linesBefore]);
    return all;
  };
  const yaml = '%YAML 1.1\n---\na: |\n  ---\n--- {b: 1}\n---\n---\nc: 3\n...\n# more\n---\nd: 4';
  for (const size of [1, 2, 3, 7, 1000]) {
    assert.deepEqual(await found(yaml, size, 'yaml'), [
      ['%YAML 1.1\n---\na: |\n  ---', 0],
      ['--- {b: 1}', 4],
      ['---\nc: 3\n', 6],
      ['# more\n---\nd: 4', 9],
    ]);
    assert.deepEqual(await found('1\n\n 2 \n3', size, 'ndjson'), [
      ['1', 0],
      [' 2 ', 2],
      ['3', 3],
    ]);
  }
  assert.deepEqual(await found('\n', 1, 'yaml'), [['', 0]]);
  assert.deepEqual(await found('', 1, 'ndjson'), []);
});

test('a fragment is the value of one slot', async (t) => {
  const folder = scratch(t);
  write(folder, { 'schema.yaml': SCHEMA });
  const slot = (name: string, input: string) =>
    accession(['validate', '-s', 'schema.yaml', '-C', 'Animal', '--slot', name, '-'], { cwd: folder, input });
  assert.deepEqual([(await slot('age', '3')).status, (await slot('diet', '["plants"]')).status], [0, 0]);
  const wrong = await slot('diet', '["plants", "stones"]');
  assert.deepEqual([wrong.status, /^-:1:12: diet: found "stones"/.test(wrong.stdout)], [2, true]);
  const alone = await accession(['validate', '-s', 'schema.yaml', '--slot', 'age', '-'], { cwd: folder });
  assert.deepEqual([alone.status, /--slot needs --class/.test(alone.stderr)], [1, true]);
});

const peer = await findPeer();
const skip = 'missing' in peer ? `LinkML's Python tools are not installed: ${peer.missing}` : false;

test('the verdicts are those of linkml-validate and linkml-run-examples', { skip }, async (t) => {
  const folder = scratch(t);
  write(folder, { 'schema.yaml': SCHEMA, ...EXAMPLES });
  const bin = join('peer' in peer ? peer.peer.python : '', '..');
  const succeeds = (command: string, args: readonly string[]) =>
    run(join(bin, command), args, { cwd: folder }).then(
      () => true,
      () => false,
    );
  const asked = ['Animal-1.yaml', 'Zoo-2.json', 'Animal-text.yaml', 'Zoo-slot.json'];
  for (const file of Object.keys(EXAMPLES).filter((name) => asked.includes(basename(name)))) {
    const className = /(\w+)-/.exec(file)![1]!;
    const theirs = await succeeds('linkml-validate', ['-s', 'schema.yaml', '-C', className, file]);
    const { status } = await accession([...LIKE_LINKML, '-C', className, file], { cwd: folder });
    assert.equal(status === 0, theirs, file);
  }
  const examples = [
    '-s',
    'schema.yaml',
    '-e',
    'valid',
    '-N',
    'invalid',
    '-d',
    'out',
    '-f',
    'yaml',
    '-f',
    'json',
    '-t',
    'json',
  ];
  assert.equal(await succeeds('linkml-run-examples', examples), true);
  write(folder, { 'invalid/Animal-fine.yaml': 'id: a\nname: A\n' });
  assert.equal(await succeeds('linkml-run-examples', examples), false);
  assert.equal((await accession([...LIKE_LINKML, 'valid', 'invalid'], { cwd: folder })).status, 2);
});
