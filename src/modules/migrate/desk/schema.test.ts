/** The schema page: text, classes, another version with what it would change, corrections, in force, taken back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN, type TestService } from '../../../../test/support/app.ts';
import {
  accessProblems,
  assertFits,
  hasValue,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

/** The schema with `mail` for `email`, and persons that need an ORCID iD. */
async function otherSchema(service: TestService): Promise<string> {
  const { text } = await service.request('GET', '/-/lab/schema', { token: 'cora' });
  return text
    .replace('slots: [email, homepage]', 'slots: [mail, homepage]')
    .replace(/^ {2}email:$/m, '  mail:\n    aliases: [email]')
    .replace(/( {6}family_name:\n {8}required: true)/, '$1\n      orcid:\n        required: true');
}

/** Replaces the text in the editor, of which only the lines in sight are in the document. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Text of the schema').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

async function fill(service: TestService): Promise<void> {
  for (const json of [
    person('ada', { email: 'ada@example.org', orcid: 'orcid:0000-0002-1825-0097' }),
    person('bo', { email: 'bo@example.org' }),
  ])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
}

test('curators see the schema and try another version, by record and outcome', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await fill(service);
  await service.request('POST', '/lab/record/Person', {
    token: 'ann',
    json: person('z', { name: 'Zoe Zone' }),
  });
  const page = await open('lab/stewardship', 'cora');
  await page.getByRole('link', { name: 'Schema', exact: true }).click();
  await page.getByRole('region', { name: 'Classes' }).getByRole('link', { name: 'Person' }).waitFor();
  const text = page.getByLabel('Text of the schema');
  await text.getByText('prefixes').first().waitFor();
  await write(page, 'classes: [');
  await page.getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('button', { name: 'Line 1' }).waitFor();
  const buffer = Buffer.from(await otherSchema(service));
  await page
    .getByLabel('A file from this computer')
    .setInputFiles({ name: 'new.yaml', mimeType: 'application/yaml', buffer });
  await page.getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('heading', { name: 'What it means for 3 records' }).waitFor();
  await page
    .getByText(/slot email .*mail/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Will not fit 2' }).click();
  await page.getByRole('row', { name: /bo .*ORCID iD: A value is required/ }).waitFor();
  await page.getByRole('row', { name: /Zoe Zone ann .*orcid/i }).waitFor();
  await page.getByRole('button', { name: 'Can be changed to fit 1' }).click();
  await page.getByRole('row', { name: /ada .*mail/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Put in force…' }).count(), 0);
  await page.getByText('An administrator puts a schema in force').waitFor();
  assert.deepEqual(complaints, []);
});

test('administrators correct records in the same step, and take a change back', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await fill(service);
  const page = await open('admin/collections', ADMIN);
  await page.getByRole('main').getByRole('link', { name: 'Schema', exact: true }).click();
  await write(page, await otherSchema(service));
  await page.getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('button', { name: 'Will not fit 1' }).waitFor();
  await page.getByRole('button', { name: 'Put in force…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 record will not fit').waitFor();
  await page.keyboard.press('Control+Enter');
  await dialog.getByText('Mark that records may stop fitting').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'ORCID iD of labid:bo' }).fill('orcid:0000-0001-5109-3700');
  await page.getByRole('button', { name: 'Put in force…' }).click();
  await dialog.getByText('0 records will not fit').waitFor();
  await dialog.getByRole('button', { name: /^Put in force/ }).click();
  await page.locator('.toast').getByText('The schema is in force in lab.').waitFor();
  const read = async (name: string) =>
    (await service.request('GET', `/lab/curated/record?pid=labid:${name}`, { token: 'cora' })).json<
      Record<string, string>
    >();
  assert.equal((await read('bo')).orcid, 'orcid:0000-0001-5109-3700');
  assert.equal((await read('ada')).mail, 'ada@example.org');
  await page.getByText('with 2 records').waitFor();
  await page.getByRole('button', { name: 'Take back' }).click();
  await dialog.getByRole('button', { name: /^Take back/ }).click();
  await page.locator('.toast').getByText('The former schema is in force again.').waitFor();
  assert.equal((await read('ada')).email, 'ada@example.org');
  assert.equal((await read('bo')).orcid, undefined);
  assert.deepEqual(complaints, []);
});

test('faults of a schema are named once, at their lines; names are completed, and keys stay in the editor', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const { text } = await service.request('GET', '/-/lab/schema', { token: 'cora' });
  const page = await open('lab/schema', 'cora', { bypassCSP: false });
  const editor = page.getByLabel('Text of the schema');
  await editor.getByText('prefixes').first().waitFor();
  await write(page, text.replace('slots: [email, homepage]', 'slots: [email, homepag]'));
  await page.getByRole('button', { name: 'What would change' }).click();
  const line = text.split('\n').findIndex((one) => one.includes('slots: [email, homepage]')) + 1;
  await page.getByRole('alert').getByText('3 others like it').waitFor();
  await page.getByRole('button', { name: `Line ${line}` }).click();
  await editor.getByText('homepag]').waitFor();
  // The letters of keys are letters here.
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('heading', { name: 'What it means for 0 records' }).waitFor();
  await page.getByText('The schema says the same as the one in force.').waitFor();
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'What changes in the schema');

  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('\n  robot:\n    range: ');
  await page.keyboard.type('Pers');
  await page.getByRole('option', { name: 'Person' }).waitFor();
  await page.keyboard.press('Enter');
  await editor.getByText('range: Person').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('the schema page has no problems for screen readers, and fits a phone', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('lab/schema', 'cora', PHONE);
  await page.getByLabel('Text of the schema').getByText('prefixes').first().waitFor();
  await assertFits(page);
});

test('one value is used for all records that need it, filled down, and only for those that the filter shows', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const names = Array.from({ length: 12 }, (_, i) => `p${10 + i}`);
  await service.request('POST', '/-/lab/curated/records/Person', {
    token: 'cora',
    json: names.map((name) => person(name)),
  });
  const page = await open('lab/schema', ADMIN, { bypassCSP: true });
  await page.getByLabel('Text of the schema').getByText('prefixes').first().waitFor();
  await write(page, await otherSchema(service));
  await page.getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('button', { name: 'Will not fit 12' }).waitFor();
  const correctionOf = (name: string) =>
    page.getByRole('textbox', { name: `ORCID iD of labid:${name}`, exact: true });
  const orcid = 'orcid:0000-0001-5109-3700';
  await page.getByLabel('Filter these records').fill('p10');
  await page.getByText('1 of 12 lines').waitFor();
  await page.getByLabel('Value of ORCID iD for all').fill('orcid:0000-0002-1825-0097');
  await page.getByRole('button', { name: 'Use for 1 record' }).click();
  await page.getByLabel('Filter these records').fill('');
  await hasValue(correctionOf('p10'), 'orcid:0000-0002-1825-0097');
  await hasValue(correctionOf('p11'), '');
  await correctionOf('p11').fill(orcid);
  await page.keyboard.press('Control+d');
  for (const name of names.slice(1)) await hasValue(correctionOf(name), orcid);
  await hasValue(correctionOf('p10'), 'orcid:0000-0002-1825-0097');
  assert.deepEqual(await accessProblems(page), []);
  await page.getByRole('button', { name: 'Put in force…' }).click();
  await page.getByRole('dialog').getByText('0 records will not fit').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').getByText('The schema is in force in lab.').waitFor();
  const url = '/-/lab/search?class=Person&orcid=orcid:0000-0001-5109-3700';
  assert.equal((await service.request('GET', url, { token: 'cora' })).json<{ total: number }>().total, 11);
  assert.deepEqual(complaints, []);
});

test('a record is corrected in its form, with the checks of the other schema, by keyboard on a phone', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('bo', { homepage: 'https://example.org/bo' }),
  });
  const page = await open('lab/schema', ADMIN, { ...PHONE, bypassCSP: true });
  await page.getByLabel('Text of the schema').getByText('prefixes').first().waitFor();
  await write(page, await otherSchema(service));
  await page.getByRole('button', { name: 'What would change' }).click();
  const value = page.getByRole('textbox', { name: 'ORCID iD of labid:bo' });
  await value.fill('orcid:1');
  await page.keyboard.press('Tab');
  await page.getByRole('alert').filter({ hasText: 'orcid:' }).waitFor();
  await page.getByRole('button', { name: 'All fields of labid:bo' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await hasValue(dialog.getByLabel('ORCID iD'), 'orcid:1');
  await dialog.getByLabel('Homepage').fill('');
  // What is not used yet corrects nothing, and is kept.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('button', { name: /^Leave Homepage/ }).count(), 0);
  await page.keyboard.press('Enter');
  await hasValue(dialog.getByLabel('Homepage'), '');
  await page.keyboard.press('Control+Enter');
  await dialog.getByRole('alert').getByRole('link', { name: 'ORCID iD' }).click();
  await dialog.getByLabel('ORCID iD').fill('orcid:0000-0001-5109-3700');
  await assertFits(page);
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  await hasValue(value, 'orcid:0000-0001-5109-3700');
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.getByRole('button', { name: 'Leave Homepage of labid:bo as it is' }).waitFor();
  await assertFits(page);
  await page.getByRole('button', { name: 'Put in force…' }).click();
  await dialog.getByText('0 records will not fit').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').getByText('The schema is in force in lab.').waitFor();
  const answer = await service.request('GET', '/lab/curated/record?pid=labid:bo', { token: 'cora' });
  const { orcid, homepage } = answer.json<Record<string, string>>();
  assert.deepEqual([orcid, homepage], ['orcid:0000-0001-5109-3700', undefined]);
  assert.deepEqual(complaints, []);
});

test('more records than a rehearsal lists are corrected in one step', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  const json = Array.from({ length: 230 }, (_, i) => person(`p${i}`));
  await service.request('POST', '/-/lab/curated/records/Person', { token: 'cora', json });
  const page = await open('lab/schema', ADMIN);
  await page.getByLabel('Text of the schema').getByText('prefixes').first().waitFor();
  await write(page, await otherSchema(service));
  await page.getByRole('button', { name: 'What would change' }).click();
  await page.getByRole('button', { name: 'Will not fit 230' }).waitFor();
  const use = page.getByRole('button', { name: 'Use for 230 records' });
  await use.waitFor();
  await page.getByLabel('Value of ORCID iD for all').fill('orcid:0000-0002-1825-0097');
  await use.click();
  await hasValue(
    page.getByRole('textbox', { name: 'ORCID iD of labid:p0', exact: true }),
    'orcid:0000-0002-1825-0097',
  );
  await page.getByRole('button', { name: 'Put in force…' }).click();
  await page.getByRole('dialog').getByText('0 records will not fit').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').getByText('The schema is in force in lab.').waitFor();
  const url = '/-/lab/search?class=Person&orcid=orcid:0000-0002-1825-0097';
  assert.equal((await service.request('GET', url, { token: 'cora' })).json<{ total: number }>().total, 230);
});
