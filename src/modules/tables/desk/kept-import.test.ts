/** An import of a table outlives a reload, Back and the rail, at each of its steps, and is for its user alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Desk, hasValue, intercept, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';

useBrowser();

const toUpload = (page: Page) => page.getByRole('main').getByRole('link', { name: 'Upload a table' }).first();

const WAYS: Readonly<Record<string, (page: Page, desk: Desk) => Promise<unknown>>> = {
  'a reload': (page) => page.reload(),
  Back: async (page) => {
    await page.goBack();
    await toUpload(page).waitFor();
    await page.goForward();
  },
  'the rail': async (page) => {
    const rail = page.getByRole('navigation').first();
    await rail.getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await rail.getByRole('link', { name: 'Browse' }).click();
    await toUpload(page).click();
  },
  'another page': async (page, { url }) => {
    await page.goto(url.replace('/desk/', '/me'));
    await page.goBack();
  },
};

const CSV = `Identifier,Name,Family name,ORCID iD,Vorname
labid:bo,Bo Bell,Bell,,Bo
labid:cy,Cy Cole,,,Cy
labid:di,Di Dart,Dart,orcid:1,Di
`;

async function upload(page: Page): Promise<void> {
  await page.getByLabel('Class', { exact: true }).selectOption('Person');
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
  await page.getByRole('heading', { name: 'Columns' }).waitFor();
}

async function importPage(desk: Desk, token = 'ann'): Promise<Page> {
  const page = await desk.open('lab/browse', token);
  await toUpload(page).click();
  await page.getByLabel('File', { exact: true }).waitFor();
  return page;
}

const family = (page: Page) => page.getByLabel('Column Family name in row 3');
const orcid = (page: Page) => page.getByLabel('Column ORCID iD in row 4');
const step = (page: Page, name: string) => page.locator('[aria-current=step]').getByText(name).waitFor();

test('table, columns, mended cells, words and the result outlive each way out', { skip }, async (t) => {
  const desk = await testDesk(t);
  const page = await importPage(desk);
  const leaveEach = async (check: (name: string) => Promise<void>) => {
    for (const [name, leave] of Object.entries(WAYS)) {
      await leave(page, desk);
      await check(name);
    }
  };
  await upload(page);
  const column = page.getByLabel('Goes to: Vorname');
  await column.selectOption('given_name');
  await page.getByLabel('Identifiers begin with').fill('labid:field-');
  await leaveEach(async (name) => {
    await column.waitFor();
    await hasValue(column, 'given_name', `the column after ${name}`);
    await hasValue(page.getByLabel('Identifiers begin with'), 'labid:field-');
  });

  await page.getByRole('button', { name: 'Check the rows' }).click();
  await family(page).fill('Cole');
  await family(page).press('Enter');
  await page.getByRole('button', { name: 'With problems 1' }).waitFor();
  await page.getByLabel('Name of this batch').fill('autumn');
  await page.getByLabel('Message to the curators').fill('From the field trip.');
  await page.getByRole('button', { name: 'With problems 1' }).click();
  await leaveEach(async (name) => {
    await orcid(page).waitFor();
    assert.equal(await family(page).count(), 0, `the mended cell after ${name}`);
    await hasValue(page.getByLabel('Name of this batch'), 'autumn');
    await hasValue(page.getByLabel('Message to the curators'), 'From the field trip.');
    assert.equal(
      await page.getByRole('button', { name: 'With problems 1' }).getAttribute('aria-pressed'),
      'true',
      `the filter after ${name}`,
    );
  });
  await page.getByRole('button', { name: 'Back to the columns' }).click();
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('button', { name: 'With problems 1' }).waitFor();

  await page.getByRole('button', { name: 'Submit 2 rows' }).click();
  await page.getByRole('main').getByText('Submitted 2 records.').waitFor();
  await leaveEach(async () => {
    await page.getByText('1 row has problems and was not submitted.').waitFor();
    await page.getByRole('main').getByText('Submitted 2 records.').waitFor();
  });
  await page.getByRole('button', { name: 'Correct them here' }).click();
  await orcid(page).fill('');
  await orcid(page).press('Enter');
  await page.getByRole('button', { name: 'Submit 1 row' }).click();
  await page.getByRole('main').getByText('Submitted 1 record.').waitFor();
  await page.reload();
  await page.getByLabel('File', { exact: true }).waitFor();
  await step(page, 'File');
  const { database, zones } = desk.service.app.registry.collection('lab');
  const [zone] = await zones.areas();
  const entries = await (await database.area(zone!.path)).entries({ newestFirst: true, limit: 3 });
  assert.deepEqual(entries.map(({ pid, batch, message }) => [pid, batch, message]).toSorted(), [
    ['labid:bo', 'autumn', 'From the field trip.'],
    ['labid:cy', 'autumn', 'From the field trip.'],
    ['labid:di', 'autumn', 'From the field trip.'],
  ]);
  assert.deepEqual(desk.complaints, []);
});

test('a cell is kept while it is typed, and while its check has no answer', { skip }, async (t) => {
  const desk = await testDesk(t);
  const page = await importPage(desk);
  await upload(page);
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await family(page).fill('Cole');
  await page.reload();
  await page.getByRole('button', { name: 'With problems 1' }).waitFor();
  assert.equal(await family(page).count(), 0, 'it was checked');

  await intercept(page, '**/table/**', () => {});
  await orcid(page).fill('orcid:0000-0002-1825-0097');
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).first().click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.unroute('**/table/**');
  await page.goBack();
  await page.getByRole('button', { name: 'With problems 0' }).waitFor();
  await page.getByRole('button', { name: 'Submit 3 rows' }).click();
  await page.getByRole('main').getByText('Submitted 3 records.').waitFor();
  const { text } = await desk.service.request('GET', '/lab/record?pid=labid:di', { token: 'ann' });
  assert.match(text, /0000-0002-1825-0097/);
});

test('another file, another user, another tab and signing out show nothing of an import', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  const page = await importPage(desk);
  const file = page.getByLabel('File', { exact: true });
  await upload(page);
  await page.getByRole('button', { name: 'Another file' }).click();
  await file.waitFor();
  await page.reload();
  await file.waitFor();

  await upload(page);
  const use = async (token: string) => {
    await page.evaluate(`sessionStorage.setItem('accession.token', '${token}')`);
    await page.reload();
  };
  await use('cora');
  await file.waitFor();
  await use('ann');
  await page.getByLabel('Goes to: Vorname').waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByLabel('File', { exact: true }).waitFor();
  await other.close();

  await page
    .getByRole('button', { name: /ann@example.org/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const left = `new Promise((resolve) => {
    const request = indexedDB.open('accession.kept');
    request.onsuccess = () => {
      const keys = request.result.transaction('values').objectStore('values').getAllKeys();
      keys.onsuccess = () => resolve(keys.result.length);
    };
  })`;
  assert.equal(await page.evaluate(left), 0);
  await page.evaluate("sessionStorage.removeItem('accession.signed-out')");
  await use('ann');
  await page.goto(`${desk.url}lab/upload`);
  await file.waitFor();
});

test('a browser that cannot keep the table says so, and asks before it is left', { skip }, async (t) => {
  const desk = await testDesk(t);
  const page = await importPage(desk);
  await page.evaluate(`IDBObjectStore.prototype.put = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };`);
  await upload(page);
  await page.getByText('This browser has no room to keep this table').waitFor();
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    return dialog.dismiss();
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).first().click();
  await page.evaluate('history.back()');
  await page.waitForFunction('location.pathname.endsWith("lab/upload")');
  await page.getByLabel('Goes to: Vorname').waitFor();
  assert.equal(questions.length, 2);
});
