/** Tables that a person may have edited are not replaced unless that was asked for. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { inFolder } from '../../../test/cli/overwriting.ts';

test('a template and an export do not replace a file without --overwrite', async (t) => {
  const { isKept } = await inFolder(t);
  await isKept('template lab Person -o form.csv', 'form.csv');
  await isKept('export lab people.csv --class Person --curated', 'people.csv');
});

test('an import writes refused rows beside a file of them that was edited', async (t) => {
  const { run, at, cwd } = await inFolder(t);
  writeFileSync(at('cl.csv'), 'pid,name,family_name,email\nlabid:c,C,C,no mail\n');
  const load = () => run('import lab cl.csv --class Person --curated');
  assert.match((await load()).stderr, /1 refused, in cl\.rejected\.csv\n/);
  const dry = await run('import lab cl.csv --class Person --curated --dry-run');
  assert.match(dry.stderr, /1 refused\n/, 'what is tried leaves no file');
  const mended = readFileSync(at('cl.rejected.csv'), 'utf8').replace('no mail', 'c@example.org');
  writeFileSync(at('cl.rejected.csv'), mended);
  assert.match((await load()).stderr, /1 refused, in cl\.rejected-2\.csv\n/);
  assert.match((await load()).stderr, /1 refused, in cl\.rejected-2\.csv\n/);
  assert.equal(readFileSync(at('cl.rejected.csv'), 'utf8'), mended);
  assert.deepEqual(
    readdirSync(cwd).filter((one) => one.endsWith('.part')),
    [],
  );
});
