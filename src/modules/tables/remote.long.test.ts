/** Imports and exports of tables over HTTP. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { curated } from '../../../examples/laboratory/records.ts';
import { accession, scratch } from '../../../test/cli/accession.ts';
import { type Listening, listening } from '../../../test/cli/service.ts';
import { sheetsIn } from './files/workbooks.support.ts';

/** Runs a command as the curator. */
function as({ url }: Listening) {
  return (args: readonly string[]) =>
    accession(args, { env: { ACCESSION_URL: url, ACCESSION_TOKEN: 'cur' } });
}

/** Stores the records of the example. */
async function fill(service: Listening): Promise<void> {
  for (const { className, record } of curated) {
    const path = `/lab/curated/record/${className}`;
    const stored = await service.request('POST', path, { token: 'cur', json: record });
    assert.equal(stored.status, 200, stored.text);
  }
}

test('a table is imported by row: labels are resolved, faulty rows are written to be mended', async (t) => {
  const service = await listening(t);
  const run = as(service);
  await fill(service);
  const folder = scratch(t);
  const source = join(folder, 'Person.csv');
  writeFileSync(
    source,
    'pid,name,family_name,affiliations,email\nlabid:a,A,A,University of Norbury,\nlabid:b,B,B,Nowhere,\nlabid:c,C,,,no mail\n',
  );
  const { status, stderr } = await run(['import', 'lab', source, '--curated']);
  assert.equal(status, 2, stderr);
  assert.match(stderr, /D3 \(affiliations\): No Organization has the pid or label "Nowhere"\./);
  assert.match(stderr, /C4 \(family_name\): Found nothing, expected a value/);
  assert.match(stderr, /E4 \(email\): Found "no mail", expected a string/);
  assert.match(stderr, /1 row stored, 2 refused, in .*Person\.rejected\.csv\n$/);
  const stored = await service.request('GET', '/lab/curated/record?pid=labid:a', { token: 'cur' });
  assert.deepEqual(stored.json<{ affiliations: string[] }>().affiliations, [
    'labid:organization-university-of-norbury',
  ]);
  const rejected = readFileSync(join(folder, 'Person.rejected.csv'), 'utf8');
  assert.match(rejected, /^\ufeffpid,name,family_name,affiliations,email,!problems\r\nlabid:b,B,B,Nowhere,,/);

  writeFileSync(
    join(folder, 'Person.csv'),
    rejected.replace('Nowhere', '').replace('C,,,no mail', 'C,C,,c@example.org'),
  );
  const mended = await run(['import', 'lab', source, '--curated']);
  assert.deepEqual(
    [mended.status, mended.stderr],
    [0, '2 new, 0 changed, 0 unchanged\n2 rows stored, 0 refused\n'],
  );
});

test('a label may name a record of a subclass', async (t) => {
  const service = await listening(t);
  const run = as(service);
  await fill(service);
  const source = join(scratch(t), 'Project.csv');
  writeFileSync(source, 'pid,name,funders\nlabid:p,P,National Science Agency\n');
  const { status, stderr } = await run(['import', 'lab', source, '--curated']);
  assert.equal(status, 0, stderr);
});

test('an export of a class as a table can be edited and imported again', async (t) => {
  const service = await listening(t);
  const run = as(service);
  await fill(service);
  const folder = scratch(t);
  const file = join(folder, 'p.csv');
  await run(['export', 'lab', file, '--curated', '--class', 'Person']);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.replace('Ada Abe,Abe,', 'Ada Abe,Abel,'));
  const { status, stderr } = await run(['import', 'lab', file, '--curated', '--class', 'Person']);
  assert.equal(status, 0, stderr);
  const person = await service.request('GET', '/lab/curated/record?pid=labid:person-ada-abe', {
    token: 'cur',
  });
  assert.equal(person.json<{ family_name: string }>().family_name, 'Abel');
  const book = join(folder, 'all.xlsx');
  await run(['export', 'lab', book, '--curated']);
  const sheets = (await sheetsIn(readFileSync(book))).map(({ name }) => name);
  assert.ok(sheets.includes('Person') && sheets.includes('Project'), sheets.join());
});

test('a table with fewer columns keeps the other values, and what empty cells remove is reported', async (t) => {
  const service = await listening(t);
  const run = as(service);
  const json = {
    pid: 'labid:k1',
    name: 'K',
    family_name: 'K',
    given_name: 'Kim',
    email: 'k@example.org',
    orcid: 'orcid:0000-0002-1000-0000',
  };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
  const read = async () =>
    (await service.request('GET', '/lab/curated/record?pid=labid:k1', { token: 'cur' })).json<typeof json>();
  const before = await read();
  const file = join(scratch(t), 'Person.csv');
  writeFileSync(file, `pid,name,given_name\nhttps://example.org/laboratory/id/k1,Kit,\n`);
  const dry = await run(['import', 'lab', file, '--curated', '--dry-run']);
  assert.equal(dry.status, 0, dry.stderr);
  assert.match(dry.stderr, /Person\.csv: C2 \(given_name\): would remove "Kim"\n/);
  assert.match(
    dry.stderr,
    /empty cells would remove 1 value of stored records\n0 new, 1 changed, 0 unchanged\n1 row valid, 0 refused\n/,
  );
  assert.deepEqual(await read(), before);
  const done = await run(['import', 'lab', file, '--curated']);
  assert.match(done.stderr, /C2 \(given_name\): removed "Kim"\n/);
  const { given_name: _, ...kept } = before;
  assert.deepEqual({ ...(await read()), pid: 'labid:k1' }, { ...kept, name: 'Kit' });
});
