/** Finding and taking away: commands by typing, searches of own submissions and decisions, sorting, duplicates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestService } from '../support/app.ts';
import { assertFits, intercept, PHONE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

async function store(service: TestService, token: string, path: string, json: object): Promise<void> {
  const { status, text } = await service.request('POST', `/lab/${path}record/Person`, { token, json });
  assert.equal(status, 200, text);
}

test('commands are found by typing, and a sorted column says so', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await store(service, 'cora', 'curated/', person('ada'));
  const page = await open('lab/browse/Person?sort=-name', 'cora');
  await page.locator('th[aria-sort=descending]').getByText('Name').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new person');
  await page.getByRole('option', { name: /New person/ }).click();
  await page.getByRole('heading', { name: 'New Person' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sign out');
  await page.getByRole('option', { name: /Sign out/ }).click();
  await page.getByText('You are not signed in.').waitFor();
  assert.deepEqual(complaints, []);
});

test('Enter in the search of everything takes what is typed, also before it is found', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['ada', 'bea']) await store(service, 'cora', 'curated/', person(name));
  const page = await open('lab/browse/Person', 'cora');
  await page.getByRole('link', { name: 'bea' }).first().waitFor();
  await intercept(page, /[?&]q=/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.type('bea');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'bea' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('own submissions are searched, and decisions are those of one curator', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const name of ['bea', 'cyd']) await store(service, 'ann', '', person(name));
  const { items } = (await service.request('GET', '/-/lab/review/', { token: 'cora' })).json<{
    items: { label: string; pid: string; digest: string }[];
  }>();
  for (const [index, { label, pid, digest }] of items.entries())
    await service.request('POST', '/-/lab/review/decisions', {
      token: index === 0 ? 'cora' : 'carl',
      json: { label, pid, digest, decision: 'accept' },
    });
  await store(service, 'ann', '', person('dan'));
  const mine = await open('lab/submissions', 'ann');
  await mine.getByText('3 submissions').waitFor();
  await mine.keyboard.press('/');
  await mine.keyboard.type('dan');
  await mine.getByText('1 submission', { exact: true }).waitFor();
  const row = await mine.locator('[data-own="0"]').boundingBox();
  assert.ok(row && row.height <= 48, 'a waiting submission is one line');
  await mine.getByRole('searchbox').fill('');
  await mine.getByText('3 submissions').waitFor();
  await mine.getByLabel('Class').selectOption('Organization');
  await mine.getByText('No submission matches these filters.').waitFor();
  await mine.getByRole('link', { name: 'Clear the filter' }).click();
  await mine.getByText('3 submissions').waitFor();
  const page = await open('lab/decisions', 'cora');
  await page.getByRole('link', { name: 'carl@example.org' }).click();
  await page.getByRole('link', { name: 'cora@example.org' }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('button', { name: 'Undo this decision' }).count(), 1);
  await page.goto(`${url}lab/decisions`);
  await page.getByRole('link', { name: 'Decided by me' }).click();
  await page.getByRole('link', { name: 'carl@example.org' }).waitFor({ state: 'detached' });
  // A record that was never curated is called as its submission is.
  await store(service, 'ann', '', person('eve', { name: 'Eve Ebert' }));
  const { digest } = (
    await service.request('GET', '/-/lab/review/item?label=ann&pid=labid:eve', { token: 'cora' })
  ).json<{ digest: string }>();
  const json = { label: 'ann', pid: 'labid:eve', digest, decision: 'reject', reason: 'Twice.' };
  await service.request('POST', '/-/lab/review/decisions', { token: 'cora', json });
  await page.goto(`${url}lab/decisions`);
  await page.getByRole('link', { name: 'Eve Ebert' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('ebert twice');
  await page.getByRole('link', { name: 'bea' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Eve Ebert' }).waitFor();
  await page.keyboard.type('!');
  await page.getByText('No decision matches these filters.').waitFor();
  await page.goto(url);
  await page.getByRole('link', { name: 'Eve Ebert' }).waitFor();
  assert.deepEqual(complaints, []);
});

/** Stores a curated person whose ORCID iD identifies it. @returns the ORCID iD */
async function storeIdentified(service: TestService): Promise<string> {
  const settings = { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json: settings });
  const orcid = 'orcid:0000-0002-1825-0097';
  await store(service, 'cora', 'curated/', person('ada', { orcid }));
  return orcid;
}

test('review warns of a curated record with the same identifier before a submission is accepted', {
  skip: skip || lacks('review') || lacks('curate'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const orcid = await storeIdentified(service);
  await store(service, 'ann', '', person('adda', { orcid }));
  const item = 'lab/review/item?label=ann&pid=labid%3Aadda';
  // Identifiers follow the commit, and the page asks for duplicates once.
  await eventually('the duplicate is known', async () => {
    const { duplicates } = (await service.request('GET', `/-/${item}`, { token: 'cora' })).json<{
      duplicates: string[];
    }>();
    return duplicates.length > 0;
  });
  const page = await open(item, 'cora');
  const note = page.getByRole('note').filter({ hasText: 'Accepting makes a duplicate of:' });
  await note.getByRole('link', { name: 'ada' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('the form names a curated record with the same identifier before it is submitted', {
  skip: skip || lacks('curate'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const orcid = await storeIdentified(service);
  const page = await open('lab/new/Person', 'ann', PHONE);
  await page.getByLabel(/^Name/).fill('Adda');
  await page.getByLabel(/^Family name/).fill('Adda');
  await page.getByLabel(/^ORCID iD/).fill(orcid);
  const note = page.getByRole('note').filter({ hasText: 'has the same identifier' });
  await note.getByRole('link', { name: 'ada' }).waitFor();
  await assertFits(page);
  await page.getByLabel(/^ORCID iD/).fill('');
  await note.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('numbers are in the language of the desk, whatever that of the browser is', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('', 'cora');
  await intercept(page, '**/review/summary*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), total: 12_345 } });
  });
  const counts = page
    .getByRole('navigation')
    .getByRole('link')
    .filter({ hasText: /12.345/ });
  await counts.getByText('12,345').waitFor();
  await page.evaluate("localStorage.setItem('accession.language', 'de')");
  await page.reload();
  await counts.getByText('12.345').waitFor();
  // The desk asks every few seconds, also while the test ends.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('amounts within records are in the language of the desk in tables, too, and every decision fits a phone', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const project = { pid: 'labid:tunnel', name: 'Tunnel', budget: { amount: '100000.50', currency: 'CHF' } };
  await service.request('POST', '/lab/curated/record/Project', { token: 'cora', json: project });
  await store(service, 'ann', '', person('bea'));
  const inGerman = async (page: Page) => {
    await page.evaluate("localStorage.setItem('accession.language', 'de')");
    await page.reload();
  };
  const page = await open('lab/browse/Project?columns=budget', 'cora');
  await inGerman(page);
  await page.getByRole('cell', { name: '100.000,50 CHF' }).waitFor();
  const phone = await open('lab/review/item?label=ann&pid=labid%3Abea', 'cora', PHONE);
  await inGerman(phone);
  for (const name of ['Nachfragen', 'Zurückstellen', 'Ablehnen', 'Annehmen']) {
    const box = await phone.getByRole('button', { name }).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= PHONE.viewport.width, `${name}: ${box?.x}`);
  }
  await assertFits(phone);
  assert.deepEqual(complaints, []);
});

test('columns are as wide as their values, and names without blanks stay within the sheet', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const email = 'ada.lovelace.of.the.engine@example.org';
  await store(service, 'cora', 'curated/', person('ada', { name: 'Ada', email }));
  await store(service, 'cora', 'curated/', person('long', { name: 'X'.repeat(300) }));
  const page = await open('lab/record?pid=labid%3Along', 'cora');
  const heading = await page.locator('.title h1').boundingBox();
  const sheet = await page.getByRole('main').boundingBox();
  assert.ok(heading && sheet && heading.x + heading.width <= sheet.x + sheet.width);
  for (const width of [1440, 768]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${url}lab/browse/Person?columns=given_name,email&q=ada`);
    await page.getByRole('cell', { name: email, exact: true }).waitFor();
    const fits = `[...document.querySelectorAll('tbody td, tbody .cell')].every((cell) => cell.scrollWidth <= cell.clientWidth)`;
    assert.ok(await page.evaluate(fits), `at ${width} px`);
  }
  assert.deepEqual(complaints, []);
});

test('a column of references is as wide as the names in it, and identifiers give way to names', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, url } = await testDesk(t);
  const long = `labid:${'organization-of-a-long-name-'.repeat(3)}`;
  const author = { ...person('ada', { name: 'Ada' }), pid: long };
  await store(service, 'cora', 'curated/', author);
  const title = 'The physics of superconductors';
  const json = { pid: 'labid:p', title, publication_kind: 'software', authors: [long] };
  await service.request('POST', '/lab/curated/record/Publication', { token: 'cora', json });
  await store(service, 'ann', '', { ...author, name: 'Department of Physics' });
  const page = await open('lab/browse/Publication?columns=authors', 'cora');
  await page.getByRole('cell', { name: 'Ada' }).waitFor();
  const widths = () =>
    page
      .locator('thead th:not(.check)')
      .evaluateAll((all) => all.map((one) => Number.parseFloat(one.style.width)));
  await eventually('the widths', widths, ([name, authors]) => name! > 2 * authors!);
  await page.goto(`${url}lab/review`);
  const link = page.getByRole('link', { name: 'Department of Physics' });
  await link.waitFor();
  // A part of a pixel is enough to cut it.
  const isCut = await link.evaluate((line) => {
    const range = line.ownerDocument.createRange();
    range.selectNodeContents(line);
    return range.getBoundingClientRect().width > line.getBoundingClientRect().width;
  });
  assert.equal(isCut, false);
});

test('a narrow table keeps the years of its dates, and a narrow queue the names of its records', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const n of [1, 2]) {
    const json = {
      ...{
        pid: `labid:p${n}`,
        title: `The physics of superconductors, part ${n}`,
        published: `2026-09-2${n}`,
      },
      ...{ publication_kind: 'software', authors: ['labid:ada'] },
    };
    await service.request('POST', '/lab/curated/record/Publication', { token: 'cora', json });
  }
  await store(service, 'cora', 'curated/', person('ada', { name: 'Ada King of Lovelace' }));
  await store(service, 'ann', '', person('bea', { name: 'Beatrice Shilling' }));
  const page = await open('lab/browse/Publication', 'cora', { viewport: { width: 1024, height: 800 } });
  const fits = (text: string) =>
    page
      .locator('td')
      .filter({ hasText: text })
      .locator('.cell, a')
      .evaluateAll((all) => all.every((one) => one.scrollWidth <= one.clientWidth));
  await page.getByRole('cell', { name: '21 Sept 2026' }).waitFor();
  assert.ok(await fits('21 Sept 2026'));
  await page.evaluate("localStorage.setItem('accession.language', 'de')");
  await page.reload();
  await page.getByRole('cell', { name: '21.9.2026' }).waitFor();
  assert.ok(await fits('21.9.2026'));
  await page.goto(`${url}lab/review`);
  await page.getByRole('link', { name: 'Beatrice Shilling' }).waitFor();
  assert.ok(await fits('Beatrice Shilling'));
  assert.deepEqual(complaints, []);
});

test('the width of a column is dragged or moved by keys, stays, and is part of a view', {
  skip: skip || lacks('views'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  await store(service, 'cora', 'curated/', person('ada', { given_name: 'Ada' }));
  const page = await open('lab/browse/Person', 'cora');
  const edge = page.getByRole('separator', { name: 'Width of Name' });
  const width = async () => Number(await edge.getAttribute('aria-valuenow'));
  await edge.waitFor();
  const first = await width();
  await edge.focus();
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
  await page
    .getByRole('separator', { name: 'Width of Name' })
    .and(page.locator(`[aria-valuenow="${first + 6}"]`))
    .waitFor();
  const box = (await edge.boundingBox())!;
  await page.mouse.move(box.x + 4, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x - 100, box.y + 5, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(`+document.querySelector('[role=separator]').ariaValueNow < ${first + 3}`);
  const dragged = await width();
  await page.reload();
  await edge.waitFor();
  assert.equal(await width(), dragged);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of the view').fill('Narrow');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await edge.press('Enter');
  await page.locator(`[role=separator][aria-valuenow="${first}"]`).first().waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Narrow', exact: true }).click();
  await page.locator(`[role=separator][aria-valuenow="${dragged}"]`).first().waitFor();
  assert.match(page.url(), /widths=/);
  await page.goto(`${url}lab/browse/Person`);
  await page.locator(`[role=separator][aria-valuenow="${first}"]`).first().waitFor();
  assert.deepEqual(complaints, []);
});

test('going back finds the rows that were in sight, and the record that was opened is the current one', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const json = Array.from({ length: 200 }, (_, n) => person(`p${100 + n}`));
  await service.request('POST', '/-/lab/curated/records/Person', { token: 'cora', json });
  const page = await open('lab/browse/Person', 'cora');
  await page.getByRole('link', { name: 'p100' }).waitFor();
  const sight = `document.querySelector('[data-main-scroll]').scrollTop`;
  await page.evaluate(`${sight} = 3000`);
  await page.getByRole('link', { name: 'p190' }).click();
  await page.getByRole('heading', { name: 'p190' }).waitFor();
  await page.goBack();
  await page.locator('tr[aria-current=true]').getByRole('link', { name: 'p190' }).waitFor();
  assert.equal(await page.evaluate(sight), 3000);
  await page.evaluate(`${sight} = 5000`);
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'p250' }).waitFor();
  assert.equal(await page.evaluate(sight), 5000);
  assert.deepEqual(complaints, []);
});

test('references sort a table, and all records that refer to one are counted and listed', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['norbury', 'southbury'])
    await service.request('POST', '/lab/curated/record/Organization', {
      token: 'cora',
      json: organization(name),
    });
  const json = Array.from({ length: 120 }, (_, n) =>
    person(`p${100 + n}`, { affiliations: [n === 0 ? 'labid:southbury' : 'labid:norbury'] }),
  );
  await service.request('POST', '/-/lab/curated/records/Person', { token: 'cora', json });
  const page = await open('lab/browse/Person?columns=affiliations', 'cora');
  await page
    .getByRole('columnheader', { name: /Affiliations/ })
    .getByRole('link')
    .click();
  await page.locator('tbody tr').first().getByRole('link', { name: 'p101' }).waitFor();
  await page
    .getByRole('columnheader', { name: /Affiliations/ })
    .getByRole('link')
    .click();
  await page.locator('tbody tr').first().getByRole('link', { name: 'p100' }).waitFor();
  await page.goto(page.url().replace(/browse.*/, 'record?pid=labid%3Anorbury'));
  const links = page.getByRole('region', { name: 'Links to this record' });
  await links.getByRole('button', { name: '109 more' }).click();
  await links.getByRole('button', { name: '19 more' }).click();
  await links.getByRole('link', { name: 'p219' }).waitFor();
  assert.equal(await links.getByRole('button').count(), 0);
  assert.equal(await links.getByRole('link').count(), 119);
  assert.deepEqual(complaints, []);
});
