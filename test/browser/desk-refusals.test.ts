/** What the service refuses is said in the dialog that asked for it, in its words; what was typed stays there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN } from '../support/app.ts';
import { hasValue, intercept, lookAway, skip, testDesk, useBrowser } from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

/** Confirms the dialog, waits for its one alert, and expects that it can be confirmed again. */
async function refused(page: Page, sentence: string | RegExp): Promise<void> {
  const dialog = page.getByRole('dialog');
  for (const attempt of ['first', 'second']) {
    await dialog.locator('.btn.primary:enabled').waitFor();
    await page.keyboard.press('Control+Enter');
    await dialog.getByRole('alert').getByText(sentence).waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 1, `the ${attempt} time`);
  }
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('dialogs about records say what is refused', {
  skip: skip || lacks('review') || lacks('curate'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const curate = (name: string, more: object = {}) =>
    service.request('POST', '/lab/curated/record/Person', { token: 'carl', json: person(name, more) });
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('ada') });
  const page = await open('lab/review/item?label=ann&pid=labid%3Aada', 'cora');
  // Else the view shows, as soon as it has asked again, that the submission is gone.
  await lookAway(page);
  await page.getByRole('button', { name: /^Ask/ }).click();
  await page.getByLabel('Text').fill('Which Ada is this?');
  await service.request('DELETE', '/lab/record?pid=labid:ada', { token: 'ann' });
  await refused(page, /No submission with the pid 'labid:ada' waits/);
  await hasValue(page.getByLabel('Text'), 'Which Ada is this?');

  await curate('bea', { email: 'old@example.org' });
  await curate('bea', { email: 'new@example.org' });
  await page.goto(`${url}lab/record?pid=labid%3Abea&view=history`);
  await page.getByRole('button', { name: 'Restore' }).first().click();
  await curate('bea', { email: 'later@example.org' });
  await refused(page, /not in the expected state/);
  await close(page);

  const settings = { on_delete: 'refuse' };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json: settings });
  const json = organization('acme');
  await service.request('POST', '/lab/curated/record/Organization', { token: 'carl', json });
  await curate('cyd', { affiliations: ['labid:acme'] });
  await page.goto(`${url}lab/record?pid=labid%3Aacme`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await refused(page, /refer/);
  assert.deepEqual(complaints, []);
});

test('dialogs of administrators say what is refused, and keep what was typed', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/tokens', ADMIN);
  const row = (name: string) => page.getByRole('row').filter({ hasText: `${name}@example.org` });
  await row('reader')
    .getByRole('button', { name: /^New secret for/ })
    .click();
  await service.request('DELETE', '/tokens/reader', { token: ADMIN });
  await refused(page, /reader/);
  await close(page);
  await row('reader')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await refused(page, /reader/);
  await close(page);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ann');
  await refused(page, "The token 'ann' already exists.");
  await hasValue(page.getByLabel('Name', { exact: true }), 'ann');
  assert.deepEqual(complaints, []);
});

test('a view that a token may not use says so instead of an empty frame, and guests are asked to sign in', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('lab/review', 'reader');
  const main = page.getByRole('main');
  await main.getByRole('heading', { name: 'This token may not see that.' }).last().waitFor();
  assert.equal(await main.getByText('Search submissions').count(), 0);
  const curator = await open('lab/stewardship/none', 'cora');
  await curator.getByRole('main').getByRole('heading', { name: 'This does not exist.' }).last().waitFor();
  const guest = await open('lab/record?pid=labid%3Aada');
  await guest.getByRole('main').getByRole('heading', { name: 'Sign in to see this.' }).last().waitFor();
  await guest.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await guest.getByLabel('Token', { exact: true }).fill('reader');
  await guest.keyboard.press('Enter');
  await guest.waitForURL(`${url}lab/record?pid=labid%3Aada`);
  assert.deepEqual(complaints, []);
});

test('a link that is opened with a token that has ended asks to sign in, and is shown then', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  for (const path of ['', 'lab/browse/Person']) {
    const page = await open(path, 'ended');
    const main = page.getByRole('main');
    await page.getByText('The token or link is no longer valid.').waitFor();
    await main.getByRole('heading', { name: 'Sign in to see this.' }).last().waitFor();
    assert.equal(await page.getByText(/may not see that|No collection is open/).count(), 0);
    await page.getByRole('navigation').getByRole('link', { name: 'Sign in' }).waitFor();
    await main.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Token', { exact: true }).fill('reader');
    await page.keyboard.press('Enter');
    await page.waitForURL(url + path);
    await main.getByRole('heading', { name: path === '' ? 'Home' : /^Person/ }).waitFor();
  }
  assert.deepEqual(complaints, []);
});

test('a view that the service fails to fill says so once, and is filled by another try', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('', ADMIN);
  const reads = ({ pathname }: URL) => !pathname.startsWith('/-/desk/') && pathname !== '/-/me';
  await intercept(page, reads, (route) => route.fulfill({ status: 500, json: { detail: 'A fault.' } }));
  await page.goto(`${url}admin/configuration`);
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText('The service cannot respond to this now.').waitFor();
  assert.equal(await alert.count(), 1);
  await page.unroute(reads);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await page.locator('.events > li').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('Home says once that it cannot read what waits, and reads it by another try', {
  skip: skip || lacks('review') || lacks('curate'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('ada') });
  const page = await open('sign-in', 'cora');
  const reads = /\/-\/lab\/(review|decisions|duplicates)/;
  await intercept(page, reads, (route) => route.fulfill({ status: 500, json: { detail: 'A fault.' } }));
  await page.goto(`${url}?collection=lab`);
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText('The service cannot respond to this now.').waitFor();
  assert.equal(await alert.count(), 1);
  await page.unroute(reads);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await page
    .getByRole('main')
    .getByRole('heading', { name: /^Submission waits for review/ })
    .waitFor();
  await alert.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});
