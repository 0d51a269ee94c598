/** The values beside the table of Browse: what they count, how they are chosen, and what they say when there is nothing to count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  accessProblems,
  assertFits,
  type Desk,
  hasValue,
  intercept,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

const panelOf = (page: Page) => page.getByRole('region', { name: 'Narrow down' });

/** The values of a slot with their numbers of records, in their order. */
const values = async (page: Page, slot: string) =>
  (await page.getByRole('group', { name: slot }).locator('label').allTextContents()).map((text) =>
    text.trim(),
  );

async function hasValues(page: Page, slot: string, expected: readonly string[]): Promise<void> {
  await eventually(
    `the values of ${slot} are ${expected}`,
    () => values(page, slot),
    (found) => found.join() === expected.join(),
  );
}

const focused = (page: Page) =>
  page.evaluate<string>(
    "(document.activeElement.closest('label') ?? document.activeElement).textContent.trim()",
  );

/** Six projects of two funders in three states. */
async function storeProjects({ service }: Desk): Promise<void> {
  const store = (className: string, json: object) =>
    service.request('POST', `/lab/curated/record/${className}`, { token: 'cora', json });
  await store('Organization', organization('agency', { name: 'Agency' }));
  await store('Organization', organization('fund', { name: 'Fund' }));
  const projects = [
    ['running', 'agency'],
    ['running', 'agency'],
    ['running', 'fund'],
    ['planned', 'agency'],
    ['planned', 'fund'],
    ['completed', 'fund'],
  ];
  for (const [at, [status, funder]] of projects.entries())
    await store('Project', {
      pid: `labid:p${at}`,
      name: `Project ${at}`,
      project_status: status,
      funders: [`labid:${funder}`],
    });
}

/** Publications of eight authors, the first of whom wrote two. */
async function storePublications({ service }: Desk): Promise<void> {
  for (let at = 0; at < 8; at++)
    await service.request('POST', '/lab/curated/record/Person', {
      token: 'cora',
      json: person(`a${at}`, { name: `Author ${at}` }),
    });
  for (let at = 0; at < 9; at++)
    await service.request('POST', '/lab/curated/record/Publication', {
      token: 'cora',
      json: { pid: `labid:t${at}`, title: `Title ${at}`, authors: [`labid:a${at % 8}`], open_access: at < 2 },
    });
}

test('values beside the table are filters: those of a slot are alternatives, and each slot counts within the others', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storeProjects(desk);
  const page = await desk.open('lab/browse/Project', 'cora', { bypassCSP: true });
  const filters = page.getByRole('list', { name: 'Filters' });
  await hasValues(page, 'Status', ['running3', 'planned2', 'completed1']);
  await hasValues(page, 'Funders', ['Agency3', 'Fund3']);
  await page.getByRole('checkbox', { name: /^planned/ }).check();
  await page.getByText('2 records').waitFor();
  await filters.getByText('Status: planned').waitFor();
  await hasValues(page, 'Funders', ['Agency1', 'Fund1']);
  await hasValues(page, 'Status', ['running3', 'planned2', 'completed1']);

  await page.getByRole('checkbox', { name: /^completed/ }).focus();
  await page.keyboard.press(' ');
  await page.getByText('3 records').waitFor();
  await filters.getByText('Status: planned or completed').waitFor();
  assert.match(page.url(), /is\.project_status=planned&is\.project_status=completed/);
  await hasValues(page, 'Funders', ['Fund2', 'Agency1']);
  assert.equal(await focused(page), 'completed1', 'the focus stays at the value');

  await page.getByRole('checkbox', { name: /^Agency/ }).check();
  await page.getByText('1 record', { exact: true }).waitFor();
  await hasValues(page, 'Status', ['running2', 'planned1', 'completed0']);
  assert.deepEqual(await accessProblems(page), []);
  await page.goBack();
  await page.getByText('3 records').waitFor();
  assert.equal(await page.getByRole('checkbox', { name: /^Agency/ }).isChecked(), false);

  await page.goto(page.url());
  await page.getByText('3 records').waitFor();
  await page.getByRole('checkbox', { name: /^completed/ }).uncheck();
  await page.getByText('2 records').waitFor();
  assert.equal(await focused(page), 'completed1');
  assert.deepEqual(desk.complaints, []);
});

/** Publications of four years, with 100 to 400 pages. */
async function storeYears({ service }: Desk): Promise<void> {
  for (let at = 1; at <= 4; at++)
    await service.request('POST', '/lab/curated/record/Publication', {
      token: 'cora',
      json: {
        pid: `labid:t${at}`,
        title: `Title ${at}`,
        page_count: 100 * at,
        published: `201${at}-06-0${at}`,
      },
    });
}

test('a range beside the table has two ends, each a filter as soon as it is typed, and a step back', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storeYears(desk);
  const page = await desk.open('lab/browse/Publication', 'cora', { bypassCSP: true });
  const pages = page.getByRole('group', { name: 'Pages', exact: true });
  const published = page.getByRole('group', { name: 'Published', exact: true });
  const filters = page.getByRole('list', { name: 'Filters' });
  await pages.getByLabel('From', { exact: true }).fill('2,00');
  await page.keyboard.press('Tab');
  await page.getByText('4 records').waitFor();
  await pages.getByLabel('From', { exact: true }).fill('199,5');
  await page.keyboard.press('Enter');
  await page.getByText('3 records').waitFor();
  await filters.getByText('Pages is at least 199.5').waitFor();
  assert.match(page.url(), /is\.page_count\.from=199\.5$/);
  await published.getByLabel('To', { exact: true }).fill('2013');
  await page.keyboard.press('Enter');
  await page.getByText('2 records').waitFor();
  await published.getByLabel('From', { exact: true }).fill('3/4/2013');
  await page.keyboard.press('Tab');
  await published.getByText('This is not a date.', { exact: false }).waitFor();
  assert.equal(await published.getByLabel('From', { exact: true }).getAttribute('aria-invalid'), 'true');
  assert.deepEqual(await accessProblems(page), []);
  await published.getByLabel('From', { exact: true }).fill('2013-06');
  await page.keyboard.press('Enter');
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('1 record', { exact: true }).waitFor();
  await hasValue(published.getByLabel('From', { exact: true }), '2013-06');
  await hasValue(published.getByLabel('To', { exact: true }), '2013');
  await page.goBack();
  await page.getByText('2 records').waitFor();
  await hasValue(published.getByLabel('From', { exact: true }), '');
  await published.getByLabel('To', { exact: true }).fill('');
  await page.keyboard.press('Enter');
  await page.getByText('3 records').waitFor();
  assert.equal(new URL(page.url()).search, '?is.page_count.from=199.5');
  assert.deepEqual(desk.complaints, []);
});

test('a German phone has ranges with its own dates and marks, also where values are too many to count', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storeYears(desk);
  const page = await desk.open('lab/browse/Publication', 'cora', { ...PHONE, locale: 'de-DE' });
  await page.getByRole('button', { name: 'Eingrenzen' }).click();
  const dialog = page.getByRole('dialog', { name: 'Eingrenzen' });
  const published = dialog.getByRole('group', { name: 'Published', exact: true });
  await published.getByLabel('Von', { exact: true }).fill('2.6.2012');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: '3 Datensätze zeigen' }).waitFor();
  await dialog.getByLabel('Bis', { exact: true }).first().scrollIntoViewIfNeeded();
  await assertFits(page);
  await dialog
    .getByRole('group', { name: 'Pages', exact: true })
    .getByLabel('Bis', { exact: true })
    .fill('300,5');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: '2 Datensätze zeigen' }).waitFor();
  await page.reload();
  await page.getByText('Pages ist höchstens 300,5').waitFor();
  await intercept(page, /\/search\?.*alternatives=/, (route) =>
    route.fulfill({
      status: 413,
      headers: { 'accession-error': 'search_too_broad' },
      json: { detail: 'The search is too broad.' },
    }),
  );
  await page.getByRole('button', { name: 'Eingrenzen' }).click();
  await dialog.getByText('Es sind zu viele Datensätze', { exact: false }).waitFor();
  await hasValue(published.getByLabel('Von', { exact: true }), '2.6.2012');
  await published.getByLabel('Von', { exact: true }).fill('');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Schließen' }).click();
  await page.getByText('3 Datensätze').waitFor();
});

test('values beside the table are folded, entered by a key, and chosen by slots, which is remembered', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storePublications(desk);
  const page = await desk.open('lab/browse/Publication', 'cora');
  const panel = panelOf(page);
  const toggle = page.getByRole('button', { name: 'Narrow down', exact: true });
  await hasValues(page, 'Open access', ['no7', 'yes2']);
  await page.getByRole('button', { name: 'Fold the values' }).click();
  await panel.waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'Narrow down');
  await page.reload();
  await page.getByText('9 records').waitFor();
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('Shift+F');
  await panel.getByRole('heading', { name: 'Narrow down' }).waitFor();
  await eventually(
    'the focus is in the panel',
    () => focused(page),
    (text) => text === 'Narrow down',
  );

  await panel.getByRole('button', { name: 'Choose slots…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Slots to narrow Publication down by' });
  await dialog.getByRole('checkbox', { name: 'Open access' }).uncheck();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('group', { name: 'Open access' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('group', { name: 'Authors' }).waitFor();
  assert.equal(await page.getByRole('group', { name: 'Open access' }).count(), 0);
  await panel.getByRole('button', { name: 'Choose slots…' }).click();
  await dialog.getByRole('button', { name: 'Those that most records have' }).click();
  await page.getByRole('group', { name: 'Open access' }).waitFor();
  assert.deepEqual(desk.complaints, []);
});

test('rarer values are found by typing, and stay beside the table once they are chosen', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storePublications(desk);
  const page = await desk.open('lab/browse/Publication', 'cora');
  const six = ['Author 02', 'Author 11', 'Author 21', 'Author 31', 'Author 41', 'Author 51'];
  await hasValues(page, 'Authors', six);
  const more = page.getByRole('button', { name: 'More values of Authors' });
  await more.click();
  const dialog = page.getByRole('dialog');
  await page.keyboard.type('Author 7');
  await dialog.getByRole('checkbox', { name: /Author 7/ }).check();
  await page.keyboard.press('Control+Enter');
  await page.getByText('1 record', { exact: true }).waitFor();
  await hasValues(page, 'Authors', [...six, 'Author 71']);
  await eventually(
    'the focus is at the button again',
    () => focused(page),
    (text) => text === 'More…',
  );
  await page.getByRole('checkbox', { name: /^Author 0/ }).check();
  await page.getByText('3 records').waitFor();
  await page.getByRole('checkbox', { name: /^Author 7/ }).uncheck();
  await page.getByText('2 records').waitFor();
  assert.equal(
    await focused(page),
    'Author 71',
    'a value that is not chosen any more stays where the focus is',
  );
  assert.deepEqual(desk.complaints, []);
});

test('on a phone, values to choose are in a dialog, which comes back behind that for rarer ones', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storePublications(desk);
  const page = await desk.open('lab/browse/Publication', 'cora', PHONE);
  await page.getByRole('button', { name: 'Narrow down' }).click();
  const dialog = page.getByRole('dialog', { name: 'Narrow down' });
  await dialog.getByRole('checkbox', { name: /^yes/ }).check();
  await dialog.getByRole('button', { name: 'Show 2 records' }).waitFor();
  await assertFits(page);
  await dialog.getByRole('checkbox', { name: /^yes/ }).uncheck();
  await dialog.getByRole('button', { name: 'Show 9 records' }).waitFor();
  await dialog.getByRole('button', { name: 'More values of Authors' }).click();
  const further = page.getByRole('dialog', { name: 'Filter Publication' });
  await further.getByRole('checkbox', { name: /^Author 7/ }).check();
  await further.getByRole('button', { name: 'Filter' }).click();
  await dialog.getByRole('button', { name: 'Show 1 record', exact: false }).click();
  await page.getByText('1 record', { exact: true }).waitFor();
  await eventually(
    'the focus is at the button again',
    () => focused(page),
    (text) => text === 'Narrow down',
  );
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await further.getByLabel('Slot').selectOption({ label: 'Authors' });
  await further.getByText('2', { exact: true }).waitFor();
  assert.deepEqual(desk.complaints, []);
});

test('values say while they are counted, what narrows too broad a search, and offer another try', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await storeProjects(desk);
  const page = await desk.open('', 'cora', { bypassCSP: true });
  const answers = [Promise.withResolvers<object>(), Promise.withResolvers<object>()];
  const counting = /\/search\?.*facet=/;
  let asked = 0;
  await intercept(page, counting, async (route) => {
    const answer = answers[asked++];
    if (!answer) return route.continue();
    return route.fulfill(await answer.promise);
  });
  await page.getByRole('link', { name: 'Browse' }).click();
  await page.getByRole('link', { name: /^Project/ }).click();
  const panel = panelOf(page);
  await panel.locator('.bones').waitFor();
  await page.getByText('6 records').waitFor();
  answers[0]!.resolve({
    status: 413,
    headers: { 'accession-error': 'search_too_broad' },
    json: { detail: 'The search is too broad.' },
  });
  await panel.getByText('Search for words or add a filter').waitFor();
  await panel.getByRole('button', { name: 'Choose slots…' }).waitFor();
  assert.deepEqual(await accessProblems(page), []);
  answers[1]!.resolve({ status: 422, json: { detail: 'Something is wrong.' } });
  await page.goto(`${desk.url}lab/browse/Project?q=project`);
  await panel.getByText('Something is wrong.').waitFor();
  await panel.getByRole('button', { name: 'Retry' }).click();
  await hasValues(page, 'Status', ['running3', 'planned2', 'completed1']);
  await intercept(page, '**/search?*facet=*', async (route) => {
    const response = await route.fetch();
    const json = { ...((await response.json()) as object), facets: {}, cut_facets: ['funders'] };
    return route.fulfill({ response, json });
  });
  await page.goto(`${desk.url}lab/browse/Project`);
  await panel.getByRole('group', { name: 'Funders' }).waitFor();
  await panel.getByText('There are too many different values').waitFor();
  await panel.getByRole('button', { name: 'More values of Funders' }).click();
  await page.getByRole('dialog').getByText('There are too many different values').waitFor();
});

test('slots are offered whose values repeat, the most complete first; a class without records has none', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const people = ['ada', 'bo', 'cy', 'dee'].map((name, at) =>
    person(name, {
      email: `${name}@example.org`,
      given_name: 'Ann',
      ...(at < 3 && { affiliations: [`labid:o${at}`] }),
    }),
  );
  for (const json of people)
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  const page = await open('lab/browse/Person', 'cora');
  const offered = () => panelOf(page).locator('legend').allTextContents();
  await eventually('the slots', offered, (found) => found.join() === 'Given name,Affiliations');
  await page.goto(`${url}lab/browse/Project`);
  await panelOf(page).getByText('No record has a value to narrow the list down by.').waitFor();
  assert.deepEqual(complaints, []);
});
