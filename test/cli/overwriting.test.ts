/** Files that a person may have edited are not replaced unless that was asked for. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ADMIN, LABORATORY } from '../support/app.ts';
import { person } from '../support/people.ts';
import { accession, scratch } from './accession.ts';
import { listening } from './service.ts';

async function inFolder(t: TestContext) {
  const service = await listening(t);
  for (const id of ['a', 'b']) {
    const path = '/lab/curated/record/Person';
    assert.equal((await service.request('POST', path, { token: 'cur', json: person(id) })).status, 200);
  }
  const cwd = scratch(t);
  const run = (line: string, token = 'cur') =>
    accession(line.split(' '), { cwd, env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token } });
  const at = (name: string) => join(cwd, name);
  /** Runs a command that makes a file, edits the file, and runs it again. */
  const isKept = async (line: string, name: string, token?: string) => {
    await run(line, token);
    assert.ok(existsSync(at(name)), line);
    appendFileSync(at(name), 'edited\n');
    const edited = readFileSync(at(name), 'utf8');
    const again = await run(line, token);
    assert.deepEqual([again.status, readFileSync(at(name), 'utf8')], [1, edited], line);
    assert.match(again.stderr, new RegExp(`${name} exists already\\. .*--overwrite`));
    await run(`${line} --overwrite`, token);
    assert.doesNotMatch(readFileSync(at(name), 'utf8'), /edited/);
  };
  return { service, run, at, cwd, isKept };
}

test('a template, an export and a report do not replace a file without --overwrite', async (t) => {
  const { isKept, at, run } = await inFolder(t);
  await isKept('template lab Person -o form.csv', 'form.csv');
  await isKept('export lab people.csv --class Person --curated', 'people.csv');
  await isKept('export lab people.ndjson', 'people.ndjson');
  writeFileSync(
    at('next.yaml'),
    readFileSync(LABORATORY, 'utf8').replace(/^ {2}email:\n/m, '  email:\n    required: true\n'),
  );
  await isKept('schema switch lab next.yaml --dry-run --report unfit.csv', 'unfit.csv', ADMIN);
  const folder = await run('export lab records');
  assert.equal(folder.status, 0, folder.stderr);
  assert.match((await run('export lab records')).stderr, /records exists already/);
  assert.equal((await run('export lab records --overwrite')).status, 0);
});

test('an import writes refused rows beside a file of them that was edited', async (t) => {
  const { run, at, cwd } = await inFolder(t);
  writeFileSync(at('cl.csv'), 'pid,name,family_name,email\nlabid:c,C,C,no mail\n');
  const load = () => run('import lab cl.csv --class Person --curated');
  assert.match((await load()).stderr, /1 refused, in cl\.rejected\.csv\n/);
  const dry = await run('import lab cl.csv --class Person --curated --dry-run');
  assert.match(dry.stderr, /1 refused, in cl\.rejected\.csv\n/, 'the same content');
  const mended = readFileSync(at('cl.rejected.csv'), 'utf8').replace('no mail', 'c@example.org');
  writeFileSync(at('cl.rejected.csv'), mended);
  assert.match((await load()).stderr, /1 refused, in cl\.rejected-2\.csv\n/);
  assert.match((await load()).stderr, /1 refused, in cl\.rejected-2\.csv\n/);
  assert.equal(readFileSync(at('cl.rejected.csv'), 'utf8'), mended);
  writeFileSync(at('p.ndjson'), `${JSON.stringify(person('d'))}\n{"pid":"labid:e"}\n`);
  for (const [edit, name] of [
    ['', ''],
    ['', ''],
    ['edited\n', ''],
    ['', '-2'],
  ]) {
    const { stderr } = await run('import lab p.ndjson --class Person --curated');
    if (edit) {
      assert.match(stderr, /1 refused, in p\.ndjson\.rejected\.ndjson\n/);
      appendFileSync(at('p.ndjson.rejected.ndjson'), edit);
    } else assert.match(stderr, new RegExp(`1 refused, in p\\.ndjson\\.rejected${name}\\.ndjson\n`));
  }
  assert.match(readFileSync(at('p.ndjson.rejected.ndjson'), 'utf8'), /edited\n$/);
  assert.deepEqual(
    readdirSync(cwd).filter((one) => one.endsWith('.part')),
    [],
  );
});

test('an import that continues adds to the refused records of the interrupted run', async (t) => {
  const { run, at, service } = await inFolder(t);
  const records = Array.from({ length: 600 }, (_, i) => JSON.stringify(person(`n${i}`)));
  records[1] = '{"pid":"labid:first"}';
  records[550] = '{"pid":"labid:last"}';
  writeFileSync(at('p.ndjson'), `${records.join('\n')}\n`);
  let batches = 0;
  let isBroken = true;
  service.app.server.server.prependListener('request', ({ url, socket }) => {
    if (!url?.includes('/records/Person')) return;
    batches += 1;
    if (isBroken && batches > 1) socket.destroy();
  });
  const line = 'import lab p.ndjson --class Person --curated';
  assert.equal((await run(line)).status, 1);
  isBroken = false;
  assert.equal((await run(`${line} --dry-run`)).status, 2, 'which changes nothing of the interrupted one');
  assert.match(
    (await run(line)).stderr,
    /^continuing after 500 records\n(.*\n)*.* 2 refused, in p\.ndjson\.rejected\.ndjson\n$/,
  );
  const complete = '{"pid":"labid:first"}\n{"pid":"labid:last"}\n';
  assert.equal(readFileSync(at('p.ndjson.rejected.ndjson'), 'utf8'), complete);
});

test('an export to - is printed', async (t) => {
  const { run, cwd } = await inFolder(t);
  const { stdout, stderr } = await run('export lab -');
  assert.equal(stdout.split('\n').length, 3, stderr);
  assert.deepEqual(readdirSync(cwd), []);
});

test('an export to a file whose suffix is of no format is refused, and makes no folder', async (t) => {
  const { run, at } = await inFolder(t);
  const refused = await run('export lab all.txt');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /all\.txt: no format has this suffix\. Name the format with --format/);
  assert.equal(existsSync(at('all.txt')), false);
  assert.equal((await run('export lab all.txt --format ndjson')).status, 0);
});
