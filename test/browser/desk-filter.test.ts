/** Filters, exports and saved views of Browse. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { hasValue, settled, skip, testDesk, useBrowser } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

async function exported(page: Page, format: string): Promise<string> {
  await page.getByRole('button', { name: 'Export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(format, { exact: true }).check();
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: /^Export/ }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  await dialog.waitFor({ state: 'detached' });
  return text;
}

test('records are filtered by a text, a range, and whether there is a value', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const [name, more] of Object.entries({
    ada: { given_name: 'Ann-Marie' },
    bo: { given_name: 'Marianne' },
    cy: { given_name: 'Zoë' },
    dee: {},
  }))
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name, more) });
  const page = await open('lab/browse/Person', 'cora');
  await page.getByText('4 records').waitFor();
  const dialog = page.getByRole('dialog');
  const filters = page.getByRole('list', { name: 'Filters' });
  const filter = async (slot: string, condition: string, value?: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Slot').selectOption({ label: slot });
    await dialog.getByLabel('Condition').selectOption(condition);
    if (value !== undefined) await dialog.getByLabel('Value', { exact: true }).fill(value);
    await dialog.getByRole('button', { name: /^Filter/ }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await filter('Given name', 'contains', 'mari');
  await page.getByText('2 records').waitFor();
  await filters.getByText('Given name contains mari').waitFor();
  await filter('Given name', 'is at least', 'b');
  await page.getByText('1 record', { exact: true }).waitFor();
  assert.match(page.url(), /is\.given_name\.contains=mari.*is\.given_name\.from=b/);
  await filters
    .getByRole('link', { name: /Remove/ })
    .first()
    .click();
  await page.getByText('2 records').waitFor();
  await filters.getByRole('link', { name: /Remove/ }).click();
  await page.getByText('4 records').waitFor();
  await filter('Given name', 'is empty');
  await filters.getByText('Given name is empty').waitFor();
  await page.getByText('1 record', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

test('records are filtered by slots with counts, exported as they are shown, and a view is saved', {
  skip: skip || lacks('tables') || lacks('views'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const store = (className: string, json: object) =>
    service.request('POST', `/lab/curated/record/${className}`, { token: 'cora', json });
  for (const name of ['norbury', 'southbury']) await store('Organization', organization(name, { name }));
  for (const [index, name] of ['ada', 'bo', 'cy', 'dee', 'eve'].entries())
    await store('Person', {
      ...person(name, { given_name: index === 0 ? 'A|B' : 'Given' }),
      affiliations: [index < 3 ? 'labid:norbury' : 'labid:southbury'],
    });
  const page = await open('lab/browse/Person', 'cora');
  await page.getByText('5 records').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Slot').selectOption({ label: 'Affiliations' });
  await dialog.getByText('norbury').first().waitFor();
  assert.deepEqual(
    (await dialog.locator('fieldset label').allTextContents()).map((text) => text.trim()),
    ['norbury3', 'southbury2'],
  );
  await dialog.getByRole('checkbox', { name: /norbury/ }).check();
  await dialog.getByRole('button', { name: /^Filter/ }).click();
  await page.getByText('3 records').waitFor();
  assert.match(page.url(), /is\.affiliations=labid%3Anorbury/);
  await page.getByRole('list', { name: 'Filters' }).getByText('Affiliations: norbury').waitFor();

  const csv = await exported(page, 'CSV');
  const [head = '', ...rows] = csv.trimEnd().split('\r\n');
  const column = head.split(',').indexOf('given_name');
  assert.match(head, /^\ufeff.*pid/);
  assert.deepEqual(
    rows.map((row) => row.split(',')[column]),
    ['A\\|B', 'Given', 'Given'],
  );
  const lines = (await exported(page, 'NDJSON')).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { pid: string }).pid),
    ['labid:ada', 'labid:bo', 'labid:cy'],
  );
  assert.match(await exported(page, 'Turtle'), /labid:ada a schema:Person[\s\S]*labid:cy a schema:Person/);

  const again = await service.request('POST', '/-/lab/table/Person?dry_run=true&details=true', {
    token: 'ann',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
  assert.deepEqual(
    again.json<{ items: { outcome: string }[] }>().items.map(({ outcome }) => outcome),
    ['unchanged', 'unchanged', 'unchanged'],
    'an export can be uploaded again',
  );

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of the view').fill('Norbury people');
  await page.getByRole('dialog').getByRole('button', { name: 'Save this view' }).click();
  await page.locator('.toast').getByText('Saved the view Norbury people.').waitFor();
  await page.getByRole('link', { name: 'Remove the filter Affiliations' }).click();
  await page.getByText('5 records').waitFor();
  await page.goto(`${url}lab/browse/Person`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Norbury people', exact: true }).click();
  await page.getByText('3 records').waitFor();
  assert.deepEqual(complaints, []);
});

/** Saves three of four persons as a view, and opens it from the whole list. */
async function reopenAsView(page: Page, url: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of the view').fill(name);
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').getByText(`Saved the view ${name}.`).waitFor();
  await page.goto(`${url}lab/browse/Person`);
  await page.getByText('4 records').waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByText('3 records').waitFor();
}

test('a filter asks for one of several values, which the address, the export and a view keep', {
  skip: skip || lacks('tables') || lacks('views'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const [name, given] of Object.entries({ ada: 'Ada', bo: 'Bo', cy: 'Cy', dee: 'Cy' }))
    await service.request('POST', '/lab/curated/record/Person', {
      ...{ token: 'cora', json: person(name, { given_name: given }) },
    });
  const page = await open('lab/browse/Person', 'cora');
  const dialog = page.getByRole('dialog');
  const filter = async () => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Slot').selectOption({ label: 'Given name' });
    await dialog.getByRole('checkbox', { name: /Cy/ }).waitFor();
  };
  await filter();
  await dialog.getByRole('checkbox', { name: /Cy/ }).check();
  await dialog.getByLabel('Value', { exact: true }).fill('Ada');
  await page.keyboard.press('Control+Enter');
  await page.getByText('3 records').waitFor();
  const shown = page.getByRole('list', { name: 'Filters' }).getByText('Given name: Cy or Ada');
  await shown.waitFor();
  assert.match(page.url(), /is\.given_name=Cy&is\.given_name=Ada/);
  const lines = (await exported(page, 'NDJSON')).trimEnd().split('\n');
  assert.equal(lines.length, 3);
  await reopenAsView(page, url, 'Two names');
  await page.getByRole('link', { name: 'Name', exact: true }).click();
  await shown.waitFor();
  await filter();
  assert.ok(await dialog.getByRole('checkbox', { name: /Cy/ }).isChecked());
  await dialog.getByRole('checkbox', { name: /Ada/ }).uncheck();
  await page.keyboard.press('Control+Enter');
  await page.getByText('2 records').waitFor();
  await filter();
  await dialog.getByRole('checkbox', { name: /Cy/ }).uncheck();
  await page.keyboard.press('Control+Enter');
  await page.getByText('4 records').waitFor();
  assert.deepEqual(complaints, []);
});

test('filters are alternatives in a group, with counts, which the address, the export and a view keep', {
  skip: skip || lacks('tables') || lacks('views'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const people = {
    ada: { given_name: 'Ada', family_name: 'Lee', email: 'ada@example.org' },
    bo: { given_name: 'Bo', family_name: 'Lee' },
    cy: { given_name: 'Cy', family_name: 'Lee', email: 'cy@example.org' },
    dee: { given_name: 'Ada', family_name: 'Moe' },
  };
  for (const [name, more] of Object.entries(people))
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name, more) });
  const page = await open('lab/browse/Person?is.family_name=Lee&is.given_name=Ada', 'cora');
  const dialog = page.getByRole('dialog');
  const filters = page.getByRole('list', { name: 'Filters' });
  await page.getByText('1 record', { exact: true }).waitFor();
  const begin = async (slot: string, together: RegExp) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Slot').selectOption({ label: slot });
    const option = await dialog.getByRole('option', { name: together }).getAttribute('value');
    await dialog.getByLabel('Together with the other filters').selectOption(option);
  };
  await begin('Email', /^or: this one, or Given name: Ada$/);
  await dialog.getByLabel('Condition').selectOption('is empty');
  await page.keyboard.press('Control+Enter');
  await page.getByText('2 records').waitFor();
  const shown = filters.getByRole('listitem').filter({ hasText: /Given name: Ada\s*or\s*Email is empty/ });
  await shown.waitFor();
  assert.match(page.url(), /is\.family_name=Lee&is\.or1\.given_name=Ada&is\.or1\.email\.filled=false/);

  await begin('Given name', /^or: this one, or Given name: Ada or Email is empty$/);
  await dialog.getByRole('checkbox', { name: /Cy/ }).waitFor();
  assert.deepEqual(
    (await dialog.locator('fieldset label').allTextContents()).map((text) => text.trim()),
    ['Ada1', 'Bo1', 'Cy1'],
    'the counts are within the other filters, without the group',
  );
  assert.ok(await dialog.getByRole('checkbox', { name: /Ada/ }).isChecked());
  await dialog.getByRole('checkbox', { name: /Cy/ }).check();
  await page.keyboard.press('Control+Enter');
  await page.getByText('3 records').waitFor();
  assert.equal((await exported(page, 'NDJSON')).trimEnd().split('\n').length, 3);
  await reopenAsView(page, url, 'Any of two');

  await filters.getByRole('link', { name: 'Remove the filter Given name' }).click();
  await page.getByText('1 record', { exact: true }).waitFor();
  await filters.getByText('Email is empty').waitFor();
  await begin('Given name', /^or: this one, or Family name: Lee$/);
  await dialog.getByLabel('Value', { exact: true }).fill('Ada');
  await page.keyboard.press('Control+Enter');
  await page.getByText('2 records').waitFor();
  assert.match(page.url(), /is\.or1\.email\.filled=false&.*is\.or2\.family_name=Lee&is\.or2\.given_name=Ada/);
  assert.deepEqual(complaints, []);
});

test('filters stay in sight, and another one begins at the first row', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const people = Array.from({ length: 300 }, (_, n) =>
    person(`p${n}`, { given_name: n % 2 === 0 ? 'Even' : 'Odd' }),
  );
  const stored = await service.request('POST', '/-/lab/curated/records/Person', {
    token: 'cora',
    json: people,
  });
  assert.equal(stored.status, 200, stored.text);
  const page = await open('lab/browse/Person?is.given_name=Even', 'cora');
  const list = page.getByRole('region', { name: 'Records of Person' });
  const atTop = () => list.evaluate((region) => region.scrollTop);
  await page.getByText('150 records').waitFor();
  await settled(page);
  await page.keyboard.press('End');
  await page.getByRole('row', { name: /p98/ }).waitFor();
  assert.ok((await atTop()) > 1000);
  const filters = page.getByRole('list', { name: 'Filters' });
  assert.ok(await filters.getByText('Given name: Even').isVisible());
  const box = await filters.boundingBox();
  assert.ok(box && box.y > 0 && box.y < 200, 'the filters do not scroll away');
  await page.getByRole('button', { name: 'Filter', exact: true }).getByText('1').waitFor();
  await filters.getByRole('link', { name: /Remove/ }).click();
  await page.getByText('300 records').waitFor();
  await page.getByRole('row', { name: /p0\b/ }).waitFor();
  await eventually('the first row', atTop, (top) => top === 0);
  await page.keyboard.press('End');
  await page.getByRole('row', { name: /p99/ }).waitFor();
  await page.getByRole('link', { name: 'Given name' }).click();
  await eventually('the first row of another order', atTop, (top) => top === 0);
  await page.goBack();
  await eventually('the rows that were in sight', atTop, (top) => top > 1000);
  await page.keyboard.press('f');
  await page.getByRole('dialog').getByLabel('Slot').waitFor();
  assert.deepEqual(complaints, []);
});

test('values are counted in all records, and those that few records have are found by typing', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const names = Array.from({ length: 130 }, (_, n) => `Name ${String(n).padStart(3, '0')}`);
  const people = names.flatMap((given_name, n) => [
    person(`a${n}`, { given_name }),
    ...(n < 120 ? [person(`b${n}`, { given_name })] : []),
  ]);
  const stored = await service.request('POST', '/-/lab/curated/records/Person', {
    token: 'cora',
    json: people,
  });
  assert.equal(stored.status, 200, stored.text);
  for (const name of ['norbury', 'westbury'])
    await service.request('POST', '/lab/curated/record/Organization', {
      ...{ token: 'cora', json: organization(name, { name: `University of ${name}` }) },
    });
  await service.request('POST', '/lab/curated/record/Person', {
    ...{ token: 'cora', json: person('zoe', { affiliations: ['labid:westbury'] }) },
  });
  const page = await open('lab/browse/Person', 'cora');
  const dialog = page.getByRole('dialog');
  const values = async () =>
    (await dialog.locator('fieldset label').allTextContents()).map((text) => text.trim());
  await page.getByText('251 records').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await dialog.getByLabel('Slot').selectOption({ label: 'Given name' });
  await dialog.getByText('Name 000').waitFor();
  assert.equal((await values()).length, 12);
  await dialog.getByLabel('Value', { exact: true }).fill('name 129');
  await eventually('the rare value', values, (found) => found.join() === 'Name 1291');
  await dialog.getByLabel('Value', { exact: true }).fill('name 119');
  await eventually('another value', values, (found) => found.join() === 'Name 1192');
  await dialog.getByLabel('Slot').selectOption({ label: 'Affiliations' });
  await dialog.getByLabel('Value', { exact: true }).fill('westb');
  await eventually(
    'the reference by its name',
    values,
    (found) => found.join() === 'University of westbury1',
  );
  await page.keyboard.press('Control+Enter');
  await page.getByText('1 record', { exact: true }).waitFor();
  assert.match(page.url(), /is\.affiliations=labid%3Awestbury/);
  assert.deepEqual(complaints, []);
});

test('the best of what a search finds comes first, with the words marked, and near words are proposed', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const json of [
    person('ada', { name: 'Ada Abe', given_name: 'A student of turbulence' }),
    person('zoe', { name: 'Turbulence Zoe', description: 'A hidden talent.' }),
  ])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  const page = await open('lab/browse/Person?q=turbulence', 'cora');
  const row = page.locator('tr[data-row="0"]');
  await row.locator('a mark').getByText('Turbulence').waitFor();
  const second = page.locator('tr[data-row="1"]');
  await second.locator('td.opt mark').getByText('turbulence').waitFor();
  assert.equal(await second.locator('.snippet').count(), 0);
  await page.goto(`${url}lab/browse/Person?q=hidden`);
  await page.locator('tr[data-row="0"] .snippet mark').getByText('hidden').waitFor();
  await page.goto(`${url}lab/browse/Person?q=turbulence`);
  await row.locator('a mark').getByText('Turbulence').waitFor();
  const reference = 'Doe, J. (2019). A student of turbulence. Waves, 7, 12-34.';
  await page.goto(`${url}lab/browse/Person?q=${encodeURIComponent(reference)}`);
  await page.getByText('Listed are those with “A student of turbulence”.').waitFor();
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.goto(`${url}lab/browse/Person?q=turbulence`);
  await row.locator('a mark').getByText('Turbulence').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('turbulence');
  const hits = page.getByRole('option');
  await hits.first().locator('mark').getByText('Turbulence').waitFor();
  await hits.nth(1).locator('.id mark').getByText('turbulence').waitFor();
  await page.getByRole('combobox').fill('turbulense');
  await page.getByRole('button', { name: 'Did you mean “turbulence”?' }).click();
  await hits.first().locator('mark').getByText('Turbulence').waitFor();
  assert.deepEqual(complaints, []);
});

test('dates and numbers of filters are typed in the language of the desk', { skip }, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const [day, pages] of [
    ['22', 900],
    ['24', 1200],
  ] as const)
    await service.request('POST', '/lab/curated/record/Publication', {
      token: 'cora',
      json: { pid: `labid:p${day}`, title: `P${day}`, published: `2026-11-${day}`, page_count: pages },
    });
  const page = await open('lab/browse/Publication', 'reader');
  await page.evaluate('localStorage.setItem("accession.language", "de")');
  await page.goto(`${url}lab/browse/Publication`);
  const dialog = page.getByRole('dialog');
  const filter = async (slot: string, value: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await dialog.getByLabel('Angabe').selectOption({ label: slot });
    await dialog.getByLabel('Bedingung').selectOption('ist mindestens');
    await dialog.getByLabel('Wert', { exact: true }).fill(value);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
  };
  await filter('Published', '23.11.2026');
  await page.getByText('1 Datensatz', { exact: true }).waitFor();
  await filter('Pages', '1.000,5');
  await page.waitForURL(/is\.published\.from=2026-11-23.*is\.page_count\.from=1000\.5/);
  await page.getByRole('link', { name: 'P24' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('each filter is a step back, is changed where it is shown, and all are cleared at once', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const [name, given_name] of Object.entries({ ada: 'Ann', bo: 'Anna', cy: 'Zoë', dee: 'Annette' }))
    await service.request('POST', '/lab/curated/record/Person', {
      ...{ token: 'cora', json: person(name, { given_name }) },
    });
  const page = await open('lab/browse/Person', 'reader');
  const dialog = page.getByRole('dialog');
  const value = dialog.getByLabel('Value', { exact: true });
  const filters = page.getByRole('list', { name: 'Filters' });
  await page.getByText('4 records').waitFor();
  await page.keyboard.press('f');
  await dialog.getByLabel('Slot').selectOption({ label: 'Given name' });
  await dialog.getByLabel('Condition').selectOption('contains');
  await value.fill('ann');
  await page.keyboard.press('Enter');
  await page.getByText('3 records').waitFor();
  await page.keyboard.press('f');
  await dialog.getByLabel('Slot').selectOption({ label: 'Given name' });
  // The text that finds a value is not one of the values.
  await value.fill('anne');
  await dialog.getByRole('checkbox', { name: /Annette/ }).check();
  await page.keyboard.press('Enter');
  await page.getByText('1 record', { exact: true }).waitFor();
  await filters.getByText('Given name: Annette', { exact: true }).waitFor();
  await page.goBack();
  await page.getByText('3 records').waitFor();
  await page.goForward();
  await page.getByText('1 record', { exact: true }).waitFor();

  await filters.getByRole('button', { name: 'Given name contains ann' }).click();
  await hasValue(value, 'ann');
  await value.fill('zo');
  await page.keyboard.press('Enter');
  await page.getByText('No records match the filters.').waitFor();
  assert.match(page.url(), /\?is\.given_name\.contains=zo&is\.given_name=Annette$/);
  await filters.getByRole('link', { name: 'Clear all filters' }).click();
  await page.getByText('4 records').waitFor();
  assert.doesNotMatch(page.url(), /is\./);
  assert.deepEqual(complaints, []);
});

test('a name that several references have, or none, is not filtered by until one is chosen', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['norbury', 'southbury'])
    await service.request('POST', '/lab/curated/record/Organization', {
      ...{ token: 'cora', json: organization(name, { name }) },
    });
  for (const [name, at] of Object.entries({ ada: 'norbury', bo: 'southbury' }))
    await service.request('POST', '/lab/curated/record/Person', {
      ...{ token: 'cora', json: person(name, { affiliations: [`labid:${at}`] }) },
    });
  const page = await open('lab/browse/Person', 'reader');
  const dialog = page.getByRole('dialog');
  await page.getByText('2 records').waitFor();
  await page.keyboard.press('f');
  await dialog.getByLabel('Slot').selectOption({ label: 'Affiliations' });
  const value = dialog.getByLabel('Value', { exact: true });
  for (const [typed, found] of [
    ['bury', ['norbury', 'southbury']],
    ['west', []],
  ] as const) {
    await value.fill(typed);
    await page.keyboard.press('Enter');
    await dialog.getByText(/no value has this text, or several have it/).waitFor();
    for (const name of found) await dialog.getByRole('checkbox', { name }).waitFor();
  }
  await value.fill('south');
  await page.keyboard.press('Enter');
  await page.getByText('1 record', { exact: true }).waitFor();
  assert.match(page.url(), /is\.affiliations=labid%3Asouthbury$/);
  assert.deepEqual(complaints, []);
});
