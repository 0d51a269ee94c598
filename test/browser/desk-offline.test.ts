/** Drafts while the service is away: they are opened, continued and kept without it, and sent when it is back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  assertFits,
  type Desk,
  hasValue,
  intercept,
  PHONE,
  signIn,
  skip,
  testDesk,
  useBrowser,
} from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

const ALLOWED = { serviceWorkers: 'allow' } as const;

/** Waits until an expression is true. The policy of the desk keeps pages from evaluating it themselves. */
async function until(page: Page, expression: string): Promise<void> {
  await eventually(expression, () => page.evaluate(expression));
}

/** Waits until the browser has the files of the desk. */
async function filesKept(page: Page): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => {})');
  await page.reload();
  await until(page, 'navigator.serviceWorker.controller !== null');
}

const draftKept = (page: Page) => page.getByText(/^Draft kept in this browser/).waitFor();

async function emailOf({ service }: Desk, token: string): Promise<unknown> {
  const path = token === 'cora' ? '/lab/curated/record' : '/lab/record';
  return (await service.request('GET', `${path}?pid=labid:ada`, { token })).json<{ email?: string }>().email;
}

test('a draft is continued after a reload without the service, and sent when it is back', {
  skip: skip || lacks('review'),
}, async (t) => {
  const desk = await testDesk(t);
  await desk.service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const page = await desk.open('lab/edit?pid=labid%3Aada', 'ann', ALLOWED);
  const email = page.getByLabel(/^Email/);
  await email.waitFor();
  await filesKept(page);
  await email.fill('first@example.org');
  await page.getByLabel('Message').fill('From the train.');
  await draftKept(page);
  await page.context().setOffline(true);
  await page.reload();
  await page.getByText('The service does not respond.', { exact: false }).first().waitFor();
  await hasValue(email, 'first@example.org');
  await hasValue(page.getByLabel('Message'), 'From the train.');
  await email.fill('second@example.org');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Send it now' }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Send it now' }).isDisabled());
  await page.reload();
  await page.getByText(/^Draft from .* restored/).waitFor();
  await hasValue(email, 'second@example.org');
  await email.focus();
  // What is typed while the record is read again is not lost, and the field neither.
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await intercept(page, /record\?pid=/, async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  await page.context().setOffline(false);
  await page.getByText('The service does not respond.', { exact: false }).waitFor({ state: 'detached' });
  await asked.promise;
  await hasValue(email, 'second@example.org');
  assert.equal(await emailOf(desk, 'ann'), undefined, 'nothing is sent that the user did not send');
  await email.fill('third@example.org');
  released.resolve();
  await page.getByText(/^Draft from .* restored/).waitFor();
  await page.keyboard.type('x');
  await page.keyboard.press('Backspace');
  await hasValue(email, 'third@example.org');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Submitted ada.').first().waitFor();
  assert.equal(await emailOf(desk, 'ann'), 'third@example.org');
  const { items } = (await desk.service.request('GET', '/-/lab/review/', { token: 'cora' })).json<{
    items: { message: string }[];
  }>();
  assert.deepEqual(
    items.map(({ message }) => message),
    ['From the train.'],
  );
  assert.deepEqual(desk.complaints, []);
});

test('a browser that is opened without the service continues drafts, and its user signs in to send them', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  await desk.service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const first = await desk.open('lab/edit?pid=labid%3Aada', 'cora', { ...ALLOWED, ...PHONE });
  const context = first.context();
  await first.getByLabel(/^Email/).waitFor();
  await filesKept(first);
  await first.getByLabel(/^Email/).fill('cora@example.org');
  await until(first, "Object.keys(localStorage).some((key) => key.startsWith('accession.draft:'))");
  await context.setOffline(true);
  await first.close();

  const page = await context.newPage();
  await page.goto(desk.url);
  await page.getByRole('link', { name: /A draft in this browser/ }).click();
  const email = page.getByLabel(/^Email/);
  await email.waitFor();
  await hasValue(email, 'cora@example.org');
  await email.fill('new@example.org');
  await until(page, "JSON.stringify(localStorage).includes('new@example.org')");
  await assertFits(page);
  const json = person('ada', { given_name: 'Augusta' });
  await desk.service.request('POST', '/lab/curated/record/Person', { token: 'carl', json });
  await context.setOffline(false);
  await page.getByText('Sign in to send what you have written.', { exact: false }).waitFor();
  await hasValue(email, 'new@example.org');
  await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Token', { exact: true }).fill('cora');
  await page.keyboard.press('Enter');
  // What a colleague has stored meanwhile is compared first.
  await page.getByRole('button', { name: 'Go on with these values' }).click();
  await page
    .getByRole('button', { name: /^Save as curated/ })
    .first()
    .click();
  await page.getByText('Saved ada.').first().waitFor();
  const stored = await desk.service.request('GET', '/lab/curated/record?pid=labid:ada', { token: 'cora' });
  assert.deepEqual(stored.json<{ email: string; given_name: string }>(), {
    ...json,
    email: 'new@example.org',
    schema_type: 'schema:Person',
  });
});

test('without drafts, or after its user has signed out, a browser knows nothing without the service', {
  skip,
}, async (t) => {
  const { service, open, url } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const page = await open('lab/edit?pid=labid%3Aada', 'ann', ALLOWED);
  const name = page.getByLabel(/^Name required/);
  await name.fill('Grace');
  await draftKept(page);
  await filesKept(page);
  await page.context().setOffline(true);
  await page.goto(`${url}lab/new/Person`);
  await name.fill('Hedy');
  await draftKept(page);
  await page.context().setOffline(false);
  await page.getByText('The service responds again.', { exact: false }).waitFor();
  await until(
    page,
    "[...document.querySelectorAll('input')].some(({ value }) => value === 'labid:person-hedy')",
  );
  await page.getByRole('button', { name: /ann@example.org/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are not signed in.').first().waitFor();
  await page.context().setOffline(true);
  await page.goto(url);
  await page.getByText('The service does not respond.', { exact: false }).first().waitFor();
  assert.equal(await page.getByText('A draft in this browser').count(), 0);
  assert.equal(await page.evaluate("localStorage.getItem('accession.answers')"), null);
  await page.context().setOffline(false);
  await page.getByText('You are not signed in.').first().waitFor();

  await page.goto(`${url}sign-in`);
  await signIn(page, 'ann', `${url}lab/new/Person`);
  await page.getByText(/^Draft from .* restored/).waitFor();
  await page.getByRole('button', { name: 'Discard' }).first().click();
  assert.notEqual(await page.evaluate("localStorage.getItem('accession.answers')"), null);
  await page.goto(`${url}lab/edit?pid=labid%3Aada`);
  await page.getByRole('button', { name: 'Discard' }).first().click();
  await until(page, "localStorage.getItem('accession.answers') === null");
});
