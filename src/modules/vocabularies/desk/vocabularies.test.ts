/** The page of vocabularies: what is in force, and what taking a source again would change. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN } from '../../../../test/support/app.ts';
import {
  accessProblems,
  assertFits,
  PEOPLE,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';

useBrowser();

test('a vocabulary is added after a trial, and its source is taken again, by an administrator and a curator', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-vocabulary-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const source = join(folder, 'methods.csv');
  writeFileSync(source, 'id,label,parents\nMETHOD:1,method,\nMETHOD:2,microscopy,METHOD:1\n');
  const { open, complaints } = await testDesk(t, PEOPLE);

  const admin = await open('admin/collections', ADMIN, { bypassCSP: true });
  await admin.getByRole('main').getByRole('link', { name: 'lab', exact: true }).click();
  await admin.getByRole('main').getByRole('link', { name: 'Vocabularies' }).click();
  await admin.getByText('This collection has no vocabularies.').waitFor();
  await admin.getByLabel('Name', { exact: false }).first().fill('methods');
  await admin.getByLabel('Source', { exact: false }).first().fill(source);
  await admin.getByRole('button', { name: 'What would change' }).click();
  await admin.getByRole('heading', { name: 'What it means for 0 records' }).waitFor();
  assert.deepEqual(await accessProblems(admin), []);
  await admin.getByRole('button', { name: 'Put in force…' }).click();
  await admin.keyboard.press('Control+Enter');
  await admin.locator('.toast').getByText('The schema is in force in lab.').waitFor();
  await admin.getByText(source).waitFor();

  const curator = await open('lab/stewardship/vocabularies', 'cora', PHONE);
  await curator.getByText('2 terms').waitFor();
  await curator.getByText(/^taken /).waitFor();
  await assertFits(curator);
  appendFileSync(source, 'METHOD:3,light microscopy,METHOD:2\n');
  await curator.getByRole('button', { name: 'Refresh… methods' }).click();
  await curator
    .getByText(/methods/)
    .last()
    .waitFor();
  await curator.getByRole('heading', { name: 'What it means for 0 records' }).waitFor();
  await curator.getByText('An administrator puts a schema in force').waitFor();
  await assertFits(curator);

  await admin.getByRole('button', { name: 'Remove… methods' }).click();
  await admin.getByRole('button', { name: 'Put in force…' }).click();
  await admin.keyboard.press('Control+Enter');
  await admin.getByText('This collection has no vocabularies.').waitFor();
  assert.deepEqual(complaints, []);
});
