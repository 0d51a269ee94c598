/** What a form keeps and refuses, so that nothing typed is lost: drafts, unfinished fields, reasons, times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasValue, settled, skip, testDesk, useBrowser } from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

test('a draft outlives its tab, and another record of the class can be begun beside it', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('lab/new/Person', 'ann');
  const name = page.getByLabel(/^Name required/);
  await name.fill('Bea Bell');
  await page.getByText(/Draft kept in this browser/).waitFor();
  const tab = await page.context().newPage();
  await page.close();
  await tab.goto(`${url}sign-in`);
  await tab.getByLabel('Token', { exact: true }).fill('ann');
  await tab.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('link', { name: /A draft in this browser.*Bea Bell/ }).click();
  await tab.getByText(/Draft from .* restored/).waitFor();
  await hasValue(tab.getByLabel(/^Name required/), 'Bea Bell');
  await tab.getByRole('button', { name: 'Begin another one, and keep this draft' }).click();
  await tab.getByText(/Draft from .* restored/).waitFor({ state: 'detached' });
  await tab.getByLabel(/^Name required/).fill('Cy Cole');
  await tab.getByText(/Draft kept in this browser/).waitFor();
  await tab.goto(url);
  const kept = tab.getByRole('link', { name: /A draft in this browser/ });
  await kept.filter({ hasText: 'Cy Cole' }).waitFor();
  await kept.filter({ hasText: 'Bea Bell' }).click();
  await tab.getByText(/Draft from .* restored/).waitFor();
  await hasValue(tab.getByLabel(/^Name required/), 'Bea Bell');
  await tab.getByRole('main').getByRole('button', { name: 'Discard' }).first().click();
  await tab.getByText(/Draft from .* restored/).waitFor({ state: 'detached' });
  await hasValue(tab.getByLabel(/^Name required/), '');
  await tab.goto(url);
  await kept.filter({ hasText: 'Cy Cole' }).waitFor();
  assert.equal(await kept.count(), 1);
  assert.deepEqual(complaints, []);
});

test('a name that was typed into a reference and not chosen is not lost silently', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const norbury = organization('norbury', { name: 'Norbury' });
  await service.request('POST', '/lab/curated/record/Organization', { token: 'cora', json: norbury });
  const page = await open('lab/new/Person', 'ann');
  await page.getByLabel(/^Name required/).fill('Jürgen Groß');
  const proposed = `[...document.querySelectorAll('input')].some(({ value }) => value === 'labid:person-jurgen-gross')`;
  await page.waitForFunction(proposed);
  await page.getByLabel(/^Family name/).fill('Groß');
  const affiliations = page.getByRole('combobox', { name: 'Affiliations' });
  await affiliations.fill('zzz');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  await page.locator('#problems:focus').getByText('“zzz” is not chosen yet.', { exact: false }).waitFor();
  const read = () => service.request('GET', '/lab/record?pid=labid:person-jurgen-gross', { token: 'ann' });
  assert.equal((await read()).text, 'null', 'nothing is stored');
  await affiliations.fill('Norb');
  await page
    .getByRole('option', { name: /Norbury/ })
    .first()
    .click();
  assert.equal(
    await page.getByRole('listbox').count(),
    0,
    'the list does not open again over the next field',
  );
  await page.locator('#problems').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  // Without submissions to review it is stored at once.
  await page
    .locator('.toast')
    .getByText(/^(Submitted|Saved) Jürgen Groß\./)
    .waitFor();
  assert.deepEqual((await read()).json<{ affiliations: string[] }>().affiliations, ['labid:norbury']);
  assert.deepEqual(complaints, []);
});

test('the form of a rejected record shows the reason, and JSON only if it is asked for', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('bea') });
  const { items } = (await service.request('GET', '/-/lab/review/', { token: 'cora' })).json<{
    items: { label: string; pid: string; digest: string }[];
  }>();
  const { label, pid, digest } = items[0]!;
  const json = { label, pid, digest, decision: 'reject', reason: 'The email is missing.' };
  await service.request('POST', '/-/lab/review/decisions', { token: 'cora', json });
  const page = await open('lab/submissions', 'ann');
  await page.getByRole('link', { name: 'Correct and resubmit' }).click();
  await page.getByRole('note').getByText('The email is missing.').waitFor();
  assert.equal(await page.getByLabel('The record as JSON').count(), 0);
  await page.keyboard.press('Control+j');
  await page.getByLabel('The record as JSON').waitFor();
});

test('a date with time is picked, and keeps the zone that it was stored with', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  const json = { pid: 'labid:camera', name: 'Camera', calibrated: '2026-01-02T10:00:00+05:30' };
  await service.request('POST', '/lab/curated/record/Instrument', { token: 'cora', json });
  const page = await open('lab/edit?pid=labid%3Acamera', 'cora');
  const field = page.getByLabel('Last calibration');
  assert.equal(await field.getAttribute('type'), 'datetime-local');
  await hasValue(field, '2026-01-02T10:00');
  await page.getByText('UTC+05:30').waitFor();
  await field.fill('2026-03-04T11:30:00');
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await page.locator('.toast').getByText('Saved Camera.').waitFor();
  const stored = await service.request('GET', '/lab/curated/record?pid=labid:camera', { token: 'cora' });
  assert.equal(stored.json<{ calibrated: string }>().calibrated, '2026-03-04T11:30:00+05:30');
});

test('beside a date, which the browser writes in its own language, its day is said in that of the desk', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  const json = { pid: 'labid:wind', name: 'Wind', started: '2021-06-05' };
  await service.request('POST', '/lab/curated/record/Project', { token: 'cora', json });
  const page = await open('lab/edit?pid=labid%3Awind', 'cora', { locale: 'de' });
  const started = page.locator('.field', { has: page.locator('#f-started') });
  await started.getByText('5. Juni 2021').waitFor();
  await started.locator('input').fill('2021-05-06');
  await started.getByText('6. Mai 2021').waitFor();
});

test('Browse and references to anything begin with a class that has records, not with the root', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const page = await open('lab/browse', 'ann');
  await page.getByRole('main').getByRole('link', { name: 'New person' }).waitFor();
  await page.goto(page.url().replace('browse', 'new/Publication'));
  await page.getByRole('combobox', { name: 'About' }).fill('Somebody');
  await page.getByRole('option', { name: 'Create a record “Somebody”' }).click();
  await page.getByRole('dialog', { name: 'New Person' }).waitFor();
});

test('problems are in the words of the form and in the language of the user', { skip }, async (t) => {
  const { service, open, url } = await testDesk(t);
  const page = await open('lab/new/Project', 'ann');
  await page.evaluate('localStorage.setItem("accession.language", "de")');
  await page.goto(`${url}lab/new/Project`);
  await page.getByRole('button', { name: 'Participations hinzufügen' }).click();
  await page.getByLabel(/^Share/).fill('viel');
  await page.getByRole('button', { name: 'Budget hinzufügen' }).click();
  await page.getByLabel(/^Amount/).fill('-5');
  await page.getByText('Zum Beispiel ABC').waitFor();
  await page.keyboard.press('Control+Enter');
  const problems = page.locator('#problems');
  await problems.getByText('„viel“ ist keine Zahl wie 12,5.').waitFor();
  await problems.getByText('„-5“ ist zu klein.').waitFor();
  await problems.getByText('Ein Wert ist nötig.').first().waitFor();
  await problems.getByRole('link', { name: 'Participations › 1 › Person' }).click();
  await page.locator('[id^=f-participations-0-person]:focus').waitFor();
  const json = { pid: 'labid:p', name: 'P', budget: { amount: '100000.50', currency: 'CHF' } };
  await service.request('POST', '/lab/curated/record/Project', { token: 'cora', json });
  await page.goto(`${url}lab/record?pid=labid%3Ap`);
  await page.getByText('100.000,50 CHF').waitFor();
});

test('the bar of a form is one line, however long the title, with all that a curator has there', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  const title = 'What was measured in several parts '.repeat(5).trim();
  const json = { pid: 'labid:pub', title };
  await service.request('POST', '/lab/curated/record/Publication', { token: 'cora', json });
  const page = await open('lab/edit?pid=labid%3Apub', 'cora', { viewport: { width: 1366, height: 700 } });
  await page.getByLabel(/^Title/).fill(`${title} and more`);
  await page.getByText(/Draft kept in this browser/).waitFor();
  const bar = await page.locator('header.bar').boundingBox();
  const submit = await page.locator('header.bar').getByRole('button', { name: 'Submit' }).boundingBox();
  assert.ok(bar && submit && bar.height <= 50, `the bar is ${bar?.height} px high`);
  assert.ok(submit.x + submit.width > bar.x + bar.width - 24, 'Submit is at the right edge');
});

test('a list of 500 values is edited in portions, and a problem leads to its value', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const one = { person: 'labid:ada', project_role: 'lead', share: 0.5 };
  const json = { pid: 'labid:p', name: 'P', participations: Array.from({ length: 500 }, () => one) };
  const { status } = await service.request('POST', '/lab/curated/record/Project', { token: 'cora', json });
  assert.equal(status, 200);
  const page = await open('lab/edit?pid=labid%3Ap', 'cora');
  await page.getByText('1 to 20 of 500').waitFor();
  assert.ok(Number(await page.evaluate('document.querySelectorAll("*").length')) < 2500);
  await page.getByRole('button', { name: 'Add to Participations' }).click();
  await page.getByText('501 to 501 of 501').waitFor();
  await page.getByRole('button', { name: 'Previous values' }).click();
  await page.getByText('481 to 500 of 501').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('link', { name: 'Participations › 501 › person' }).click();
  await page.locator('#f-participations-500-person:focus').waitFor();
});

test('what is not valid yet is checked without a refused request', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('lab/new/Person', 'ann');
  const refused: string[] = [];
  page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
  await page.getByLabel(/^Name required/).fill('Bea');
  await page.getByLabel(/^Email/).fill('bea');
  await page.keyboard.press('Tab');
  await page.getByText('“bea” does not have the form that is expected.').waitFor();
  assert.deepEqual(refused, []);
});

test('JSON beside the form marks the values that the service does not accept', { skip }, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/new/Person', 'ann');
  await page.getByLabel(/^Name required/).fill('Bea');
  await page.getByLabel(/^Email/).fill('bea');
  await page.keyboard.press('Control+j');
  const json = page.getByRole('complementary', { name: 'JSON' });
  await json.locator('.fault').getByText('"bea"').waitFor();
  const field = json.getByRole('textbox', { name: 'The record as JSON' });
  const [layer, text] = await Promise.all([json.locator('pre').boundingBox(), field.boundingBox()]);
  assert.deepEqual(layer, text, 'marks are where their values are');
  await field.fill((await field.inputValue()).replace('"bea"', '"bea@example.org"'));
  await json.locator('.fault').waitFor({ state: 'detached' });
  await hasValue(page.getByLabel(/^Email/), 'bea@example.org');
  assert.deepEqual(complaints, []);
});

test('the list of candidates closes once a record is chosen', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const norbury = organization('norbury', { name: 'Norbury' });
  await service.request('POST', '/lab/curated/record/Organization', { token: 'cora', json: norbury });
  const page = await open('lab/new/Person', 'ann');
  await page.clock.install();
  await page.reload();
  await page.getByRole('combobox', { name: 'Affiliations' }).fill('nor');
  await page.getByRole('option', { name: /Norbury/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('[data-path=affiliations] .token').getByText('Norbury').waitFor();
  // What is searched after a pause in typing.
  await page.clock.runFor(1000);
  await settled(page);
  assert.equal(await page.getByRole('option').count(), 0);
  assert.deepEqual(complaints, []);
});
