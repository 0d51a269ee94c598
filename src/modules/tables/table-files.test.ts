/** Commands that read and write files, with tables. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { laboratory } from '../../../test/cli/service.ts';
import { sqliteAt } from '../../../test/support/sqlite.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
enums:
  Country: {permissible_values: {DE: , NO: , SE: }}
classes:
  Thing:
    tree_root: true
    attributes:
      pid: {identifier: true, range: uriorcurie, required: true}
      at: {range: datetime}
      country: {range: Country}
`;

function validator(t: TestContext) {
  const folder = scratch(t);
  const [schema, file] = [join(folder, 'schema.yaml'), join(folder, 'a.csv')];
  writeFileSync(schema, SCHEMA);
  return (content: string) => {
    writeFileSync(file, content);
    return accession(['validate', '--schema', schema, '--class', 'Thing', file]);
  };
}

test('digits of a second beyond the sixth are refused in a table, unless they are zeros', async (t) => {
  const validate = validator(t);
  assert.equal((await validate('pid,at\nex:1,2024-03-01T10:00:00.123456000Z\n')).status, 0);
  const refused = await validate('pid,at\nex:1,2024-03-01T10:00:00.1234567Z\n');
  assert.deepEqual([refused.status, /At most six digits/.test(refused.stdout)], [2, true], refused.stdout);
});

test('a value that YAML 1.1 makes a boolean in the schema is explained where a table has it', async (t) => {
  const { stdout } = await validator(t)('pid,country\nex:1,NO\n');
  assert.match(stdout, /write "NO" with quotes there/);
});

test('an export to a table has one class, and says how many records of subclasses are left out', async (t) => {
  const { run, cwd } = await laboratory(t);
  const csv = await run('export lab agents.csv --class Agent --curated');
  assert.match(csv.stderr, /^4 records of subclasses of Agent left out: a CSV file has one class\./);
  const persons = await run('export lab persons.csv --class Person --curated');
  assert.equal(persons.stderr, '2 records exported from lab/curated\n');
  assert.equal(readFileSync(join(cwd, 'persons.csv'), 'utf8').split('\n').length, 4);
});

test('an export to a table ends at a record whose stored text is not JSON, and names it', async (t) => {
  const { run, service } = await laboratory(t);
  const database = sqliteAt(join(service.store, 'accession.db'));
  database.exec(`UPDATE accession_record SET json = replace(json, '"name"', '"na###') WHERE pid = 'labid:b'`);
  database.close();
  const { status, stderr } = await run('export lab --curated --format csv --class Person');
  assert.deepEqual([status, stderr.trim().split('\n').length], [1, 1], stderr);
  assert.match(stderr, /labid(:|%3A)b\b.* is not JSON: /);
});

test('an unknown class of an imported table is named with the near one', async (t) => {
  const { run, cwd } = await laboratory(t);
  writeFileSync(join(cwd, 'p.csv'), 'pid,name,family_name\nlabid:z,Z,Z\n');
  const { status, stderr } = await run('import lab p.csv --class person --curated');
  assert.deepEqual(
    [status, stderr],
    [1, 'accession: The schema has no class person. Did you mean Person?\n'],
  );
});
