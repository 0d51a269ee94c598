/** Files of release 6.6.4 of the peer, which writes the submitter of a record as a tuple: commands read them as the adoption does. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accession, LABORATORY, scratch } from './accession.ts';
import { listening } from './service.ts';

const SUBMITTER = 'http://purl.obolibrary.org/obo/NCIT_C54269';
const TIME = 'http://semanticscience.org/resource/SIO_001083';
const record = (name: string, tuple: string, tag = SUBMITTER) =>
  `annotations:\n  ${tag}: ${tuple}\n  ${TIME}: '2026-11-28T09:36:53'\n` +
  `family_name: ${name}\nname: ${name}\npid: labid:${name}\n`;

const BLOCK = '!!python/tuple\n  - config\n  - ann';
const FLOW = '!!python/tuple [config, ann]';

test('validate, import and put read the tuple of a submitter as the user id, in all of their sources', async (t) => {
  const folder = scratch(t);
  const service = await listening(t);
  const stored = async (pid: string) =>
    (await service.request('GET', `/lab/curated/record?pid=${pid}`, { token: 'cur' })).json<{
      annotations: Record<string, string>;
    }>();
  const env = { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' };
  for (const [name, text] of [
    ['block', record('block', BLOCK)],
    ['flow', record('flow', FLOW)],
    ['tagged', record('tagged', '!<tag:yaml.org,2002:python/tuple> [config, ann]')],
    ['short', record('short', FLOW, 'obo:NCIT_C54269')],
  ] as const) {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, text);
    const validated = await accession(['validate', '-s', LABORATORY, '-C', 'Person', file]);
    assert.equal(validated.status, 0, validated.stdout + validated.stderr);
    const imported = await accession(['import', 'lab', file, '--class', 'Person', '--curated'], { env });
    assert.equal(imported.status, 0, imported.stderr);
    assert.ok(Object.values((await stored(`labid:${name}`)).annotations).includes('ann'), name);
  }

  const people = join(folder, 'Person');
  mkdirSync(people);
  writeFileSync(join(people, 'one.yaml'), record('one', BLOCK));
  const list = [record('two', FLOW), record('three', BLOCK)].map(
    (one) => `- ${one.trim().replaceAll('\n', '\n  ')}\n`,
  );
  const file = join(folder, 'list.yaml');
  writeFileSync(file, list.join(''));
  assert.equal(
    (await accession(['import', 'lab', folder, '--curated'], { env })).status,
    2,
    'no class elsewhere',
  );
  const put = await accession(['put', 'lab', 'Person', file, '--curated'], { env });
  assert.equal(put.status, 0, put.stderr);
  for (const name of ['one', 'two', 'three'])
    assert.equal((await stored(`labid:${name}`)).annotations[SUBMITTER], 'ann');
});

test('other tuples are lists, and what only Python writes is refused with the way out', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'person.yaml');
  const validate = async (text: string, ...more: string[]) => {
    writeFileSync(file, text);
    const { status, stdout, stderr } = await accession([
      'validate',
      '-s',
      LABORATORY,
      '-C',
      'Person',
      ...more,
      file,
    ]);
    return { status, text: stdout + stderr };
  };
  const listed = 'family_name: a\nname: a\npid: labid:a\naffiliations: !!python/tuple [labid:x, labid:y]\n';
  assert.equal((await validate(listed)).status, 0);
  // Three items, or others than strings, are nothing that the peer writes.
  for (const tuple of ['!!python/tuple [config, ann, x]', '!!python/tuple [config, 1]', '[config, ann]'])
    assert.equal((await validate(record('a', tuple))).status, 2, tuple);
  const strict = await validate(record('a', FLOW), '--strict', '--identifiers', 'any');
  assert.equal(strict.status, 2);
  assert.match(strict.text, /Found Python's tag for tuples.* remove !!python\/tuple to write a list/);
});
