/** What arguments name: classes with their subclasses, zones, and records that others refer to. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { person } from '../support/people.ts';
import { accession, scratch } from './accession.ts';
import { listening } from './service.ts';

async function laboratory(t: TestContext) {
  const service = await listening(t);
  const store = async (area: string, className: string, json: object, token = 'cur') => {
    const { status } = await service.request('POST', `/lab${area}/record/${className}`, { token, json });
    assert.equal(status, 200);
  };
  for (const area of ['/curated', '/incoming/ann']) {
    await store(area, 'Person', { ...person('b'), affiliations: ['labid:a'] });
    await store(area, 'Person', person('d'));
    await store(area, 'Organization', { pid: 'labid:a', name: 'A' });
    await store(area, 'Organization', { pid: 'labid:c', name: 'C' });
    await store(area, 'Project', { pid: 'labid:p', name: 'P' });
  }
  const cwd = scratch(t);
  const run = (line: string) =>
    accession(line.split(' '), { cwd, env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: 'cur' } });
  return { run, cwd };
}

const AREAS = ['', ' --curated', ' --incoming ann'];

test('a list and an export of a class have its subclasses in every area', async (t) => {
  const { run, cwd } = await laboratory(t);
  for (const area of AREAS) {
    const listed = await run(`list lab --class Agent${area}`);
    assert.deepEqual(listed.stdout.match(/^labid:\w/gm), ['labid:a', 'labid:b', 'labid:c', 'labid:d'], area);
    assert.match(listed.stdout, /labid:b +\S*Person/);
    assert.equal((await run(`list lab --class Agent --limit 2 --json${area}`)).stdout.split('\n').length, 3);
    assert.equal((await run(`list lab --class Agent --stats${area}`)).stdout, '4 records\n');
    const exported = await run(`export lab --class Agent${area}`);
    assert.deepEqual(exported.stdout.match(/"labid:[a-d]","?/g)?.length, 4, exported.stdout);
    assert.match((await run(`list lab --class Persn${area}`)).stderr, /no class 'Persn'/);
  }
  const csv = await run('export lab agents.csv --class Agent --curated');
  assert.match(csv.stderr, /^4 records of subclasses of Agent left out: a CSV file has one class\./);
  const persons = await run('export lab persons.csv --class Person --curated');
  assert.equal(persons.stderr, '2 records exported from lab/curated\n');
  assert.equal(readFileSync(join(cwd, 'persons.csv'), 'utf8').split('\n').length, 4);
  assert.match((await run('export lab --class Persn')).stderr, /no class Persn\. Did you mean Person\?/);
});

test('a zone that does not exist is refused with the near name, and made only with --new-zone', async (t) => {
  const { run, cwd } = await laboratory(t);
  writeFileSync(join(cwd, 'Person.csv'), 'pid,name,family_name\nlabid:z,Z,Z\n');
  for (const line of [
    'list lab',
    'export lab',
    'get lab labid:a',
    'delete lab labid:a',
    'import lab Person.csv',
  ]) {
    const { status, stderr } = await run(`${line} -i ana`);
    assert.deepEqual([status, /no zone 'ana'\. Did you mean 'ann'\?/.test(stderr)], [1, true], stderr);
  }
  assert.equal((await run('list lab -i -')).stdout, 'ann\ncur\n');
  assert.equal((await run('import lab Person.csv -i new --new-zone')).status, 0);
  assert.equal((await run('list lab -i -')).stdout, 'ann\ncur\nnew\n');
});

test('filters of the queue that name no zone or class are reported', async (t) => {
  const { run } = await laboratory(t);
  const near = async (line: string, hint: RegExp) => {
    const { status, stderr } = await run(line);
    assert.deepEqual([status, hint.test(stderr)], [1, true], `${line}: ${stderr}`);
  };
  await near('review list lab --label ana', /no zone 'ana'\. Did you mean 'ann'\?/);
  await near('review list lab --class Persn', /no class 'Persn'\. Did you mean 'Person'\?/);
  await near('review list lab --label ana --summary', /no zone 'ana'/);
  await near('review decisions lab --label ana', /no zone 'ana'/);
  const none = await run('review list lab --label cur --class Project');
  assert.deepEqual([none.status, none.stderr], [0, 'Nothing found.\n']);
});

test('an unknown class of an import is named with the near one', async (t) => {
  const { run, cwd } = await laboratory(t);
  writeFileSync(join(cwd, 'p.csv'), 'pid,name,family_name\nlabid:z,Z,Z\n');
  const { status, stderr } = await run('import lab p.csv --class person --curated');
  assert.deepEqual(
    [status, stderr],
    [1, 'accession: The schema has no class person. Did you mean Person?\n'],
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
