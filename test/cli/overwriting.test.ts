/** Files that a person may have edited are not replaced unless that was asked for. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { person } from '../support/people.ts';
import { inFolder } from './overwriting.ts';

test('an export does not replace a file without --overwrite', async (t) => {
  const { isKept, run } = await inFolder(t);
  await isKept('export lab people.ndjson', 'people.ndjson');
  const folder = await run('export lab records');
  assert.equal(folder.status, 0, folder.stderr);
  assert.match((await run('export lab records')).stderr, /records exists already/);
  assert.equal((await run('export lab records --overwrite')).status, 0);
});

test('an export makes the folder of its file, and names what is in its way', async (t) => {
  const { run, at } = await inFolder(t);
  const made = await run('export lab new/deep/people.ndjson');
  assert.deepEqual([made.status, existsSync(at('new/deep/people.ndjson'))], [0, true], made.stderr);
  assert.match(
    (await run('export lab new/deep/people.ndjson/a.ndjson')).stderr,
    /people\.ndjson is not a directory\./,
  );
  const folder = await run('export lab new --format ndjson --overwrite');
  assert.match(folder.stderr, /^accession: new is a directory, and a file is expected\.\n/);
});

test('an import writes refused records beside a file of them that was edited', async (t) => {
  const { run, at, cwd } = await inFolder(t);
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
