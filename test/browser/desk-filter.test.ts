/** Filters, exports and saved views of Browse. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip, testDesk, useBrowser } from '../support/desk.ts';
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

test('records are filtered by slots with counts, exported as they are shown, and a view is saved', {
  skip,
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
  page.setDefaultTimeout(90_000);
  await page.getByText('5 records').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Slot').selectOption({ label: 'Affiliations' });
  await dialog.getByText('norbury').first().waitFor();
  assert.deepEqual(
    (await dialog.locator('fieldset label').allTextContents()).map((text) => text.trim()),
    ['norbury3', 'southbury2'],
  );
  await dialog.getByRole('radio', { name: /norbury/ }).check();
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
    ['same', 'same', 'same'],
    'an export can be uploaded again',
  );

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of the view').fill('Norbury people');
  await page.getByRole('dialog').getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('button', { name: 'Norbury people', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Remove the filter Affiliations' }).click();
  await page.getByText('5 records').waitFor();
  await page.goto(`${url}lab/browse/Person`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Norbury people', exact: true }).click();
  await page.getByText('3 records').waitFor();
  assert.deepEqual(complaints, []);
});
