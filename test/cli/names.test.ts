/** What arguments name: classes with their subclasses, zones, and records that others refer to. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { person } from '../support/people.ts';
import { laboratory } from './service.ts';

const AREAS = ['', ' --curated', ' --incoming ann'];

test('a list and an export of a class have its subclasses in every area', async (t) => {
  const { run } = await laboratory(t);
  for (const area of AREAS) {
    const listed = await run(`list lab --class Agent${area}`);
    assert.deepEqual(listed.stdout.match(/^labid:\w/gm), ['labid:a', 'labid:b', 'labid:c', 'labid:d'], area);
    assert.match(listed.stdout, /labid:b +\S*Person/);
    const two = await run(`list lab --class Agent --limit 2 --json${area}`);
    assert.deepEqual([two.stdout.split('\n').length, two.stderr], [3, '']);
    assert.equal((await run(`list lab --class Agent --stats${area}`)).stdout, '4 records\n');
    const exported = await run(`export lab --class Agent${area}`);
    assert.deepEqual(exported.stdout.match(/"labid:[a-d]","?/g)?.length, 4, exported.stdout);
    assert.match((await run(`list lab --class Persn${area}`)).stderr, /no class 'Persn'/);
  }
  assert.match((await run('export lab --class Persn')).stderr, /no class Persn\. Did you mean Person\?/);
});

test('a zone that does not exist is refused with the near name, and made only with --new-zone', async (t) => {
  const { run, cwd } = await laboratory(t);
  writeFileSync(join(cwd, 'people.ndjson'), JSON.stringify(person('z')));
  for (const line of [
    'list lab',
    'export lab',
    'get lab labid:a',
    'delete lab labid:a',
    'import lab people.ndjson --class Person',
  ]) {
    const { status, stderr } = await run(`${line} -i ana`);
    assert.deepEqual([status, /no zone 'ana'\. Did you mean 'ann'\?/.test(stderr)], [1, true], stderr);
  }
  assert.equal((await run('list lab -i -')).stdout, 'ann\ncur\n');
  assert.equal((await run('import lab people.ndjson --class Person -i new --new-zone')).status, 0);
  assert.equal((await run('list lab -i -')).stdout, 'ann\ncur\nnew\n');
});

test('an unknown class of an import is named with the near one', async (t) => {
  const { run, cwd } = await laboratory(t);
  writeFileSync(join(cwd, 'p.ndjson'), JSON.stringify(person('z')));
  const { status, stderr } = await run('import lab p.ndjson --class person --curated');
  assert.deepEqual(
    [status, stderr],
    [1, "accession: The collection 'lab' has no class 'person'. Did you mean Person?\n"],
  );
});

test('a delete reports how many records still refer to the deleted one', async (t) => {
  const { run } = await laboratory(t);
  const kept = await run('delete lab labid:a labid:c --curated --if-unreferenced');
  assert.match(kept.stderr, /^accession: labid:a: .*\n1 record deleted, 1 not\n$/);
  assert.equal(kept.status, 2);
  const deleted = await run('delete lab labid:a --curated');
  assert.equal(deleted.stderr, 'labid:a: deleted, and 1 record still refers to it\n1 record deleted\n');
});
