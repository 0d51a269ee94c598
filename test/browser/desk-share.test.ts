/** Showing records to others: a collection is made public, a link is copied, and what its reader learns without a token. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN } from '../support/app.ts';
import {
  assertFits,
  intercept,
  loseAnswer,
  PHONE,
  skip,
  testDesk,
  toast,
  useBrowser,
} from '../support/desk.ts';
import { person } from '../support/people.ts';

useBrowser();

const SAMPLE = {
  policy_annotation_tag: 'lab:policy',
  default_policy: 'members',
  policy_mapping: [
    { auth_source: '*', user_id: '*', authorized_by: ['members', 'sample'] },
    { auth_source: 'config', user_id: 'nobody@example.org', authorized_by: ['sample'] },
  ],
};
const TOKENS = { nobody: { lab: 'NOTHING' }, cora: { lab: 'CURATOR' } };
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

async function twoPersons(t: Parameters<typeof testDesk>[0], tokens: typeof TOKENS = TOKENS) {
  const desk = await testDesk(t, { collections: { lab: SAMPLE }, tokens });
  const store = (json: object) =>
    desk.service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  await store(person('ada', { annotations: { 'lab:policy': 'sample' } }));
  await store(person('bea'));
  return desk;
}

test('an administrator sees what everybody will read, makes the collection public, and takes it back, by keyboard', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await twoPersons(t);
  const page = await open('admin/collections/lab', ADMIN, PHONE);
  const read = async () => (await service.request('GET', '/lab/record?pid=labid:ada')).status;
  await page.getByRole('button', { name: 'Make public…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Make lab public?' });
  await dialog.getByText('1 of 2 curated records. Policies keep 1 back.').waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'Person 1' }).waitFor();
  await assertFits(page);
  assert.equal(await read(), 403);
  await page.keyboard.press('Control+Enter');
  await toast(page, 'lab is public: everybody can read it.');
  await page.getByRole('button', { name: 'End public access…' }).waitFor();
  assert.equal(await read(), 200);
  await page.keyboard.press('u');
  await toast(page, 'lab is closed: only tokens read it.');
  await page.getByRole('button', { name: 'Make public…' }).waitFor();
  assert.equal(await read(), 403);
  assert.deepEqual(complaints, []);
});

test('an undo that fails opens the dialog again, with the reason and another try', { skip }, async (t) => {
  const { service, open, url, complaints } = await twoPersons(t);
  const page = await open('admin/collections/lab', ADMIN);
  await page.getByRole('button', { name: 'Make public…' }).click();
  await page.getByText('1 of 2 curated records.', { exact: false }).waitFor();
  await page.keyboard.press('Control+Enter');
  await toast(page, 'lab is public: everybody can read it.');
  await page.getByRole('link', { name: 'Home' }).click();
  await page.waitForURL(url);
  let refusals = 0;
  await intercept(page, /\/public$/, (route) => {
    if (route.request().method() === 'GET' || refusals++ > 0) return route.continue();
    return route.fulfill({ status: 422, json: { detail: 'The disk is full.' } });
  });
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog', { name: 'End public access to lab?' });
  await dialog.getByText('The undo failed: lab is as before.', { exact: false }).waitFor();
  await dialog.getByText('The disk is full.').waitFor();
  await page.keyboard.press('Control+Enter');
  await toast(page, 'lab is closed: only tokens read it.');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await service.request('GET', '/lab/record?pid=labid:ada')).status, 403);
  // The answer to the next one is lost: the service is asked.
  await loseAnswer(page, /\/public$/);
  await page.keyboard.press('u');
  await toast(page, 'lab is public: everybody can read it.');
  assert.deepEqual(complaints, []);
});

test('a default token that may do more than read is not switched: the dialog says which, and leads to it', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await twoPersons(t, { ...TOKENS, nobody: { lab: 'SUBMIT' } });
  const page = await open('admin/collections/lab', ADMIN, { locale: 'de-DE' });
  await page.getByRole('button', { name: 'Öffentlichen Zugang beenden…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Öffentlichen Zugang zu lab beenden?' });
  await dialog.getByText(/Das Token „nobody“ .* darf mehr als lesen/).waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Öffentlichen Zugang beenden Strg' }).count(), 0);
  await dialog.getByRole('link', { name: 'Token' }).click();
  await page.waitForURL(`${url}admin/tokens`);
  assert.deepEqual(complaints, []);
});

test('the link to a record or a list is copied without the token, and says who can open it', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await twoPersons(t);
  await service.request('PUT', '/-/lab/settings', {
    token: 'cora',
    json: { publish: { contact: 'data@example.org' } },
  });
  const page = await open('lab/record?pid=labid%3Aada', 'cora', CLIPBOARD);
  const copy = async (says: string) => {
    await page.getByRole('button', { name: 'Copy link' }).click();
    await toast(page, says);
    return copied(page);
  };
  const closed = 'Link copied. People without a token learn there what this is, and whom to ask.';
  assert.equal(await copy(closed), `${url}lab/record?pid=labid%3Aada`);
  await service.request('PUT', '/-/lab/public', { token: ADMIN, json: { public: true } });
  const link = await copy('Link copied. Everybody can open it, without a token.');
  const guest = await open(link.slice(url.length), undefined, PHONE);
  await guest.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
  await page.goto(`${url}lab/record?pid=labid%3Abea`);
  const kept = await copy(closed);
  await guest.goto(kept);
  await guest.getByText('It does not exist, or it needs a token.').waitFor();
  const contact = guest.getByRole('main').getByRole('link', { name: 'data@example.org' });
  await contact.waitFor();
  await assertFits(guest);
  await page.goto(`${url}lab/browse/Person?q=a&preview=labid%3Abea`);
  const list = await copy('Link copied. Without a token, people see the sample of this collection.');
  assert.equal(list, `${url}lab/browse/Person?q=a`);
  assert.deepEqual(complaints, []);
});

test('with a token that has ended, signing out is in sight', { skip }, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/browse/Person', 'ended');
  const rail = page.getByRole('navigation', { name: 'Desk' });
  await rail.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are not signed in.' }).waitFor();
  assert.equal(await page.evaluate("sessionStorage.getItem('accession.token')"), null);
  await page.getByText('The token or link is no longer valid.').waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('a link tells also the user of another collection what this is, and whom to ask', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, {
    collections: { lab: { default_token: 'nobody' }, other: { default_token: 'nobody' } },
    tokens: { nobody: { lab: 'NOTHING' }, cora: { lab: 'CURATOR' }, ann: { other: 'WRITE_COLLECTION' } },
  });
  const json = { publish: { contact: 'data@example.org' } };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json });
  const page = await open('lab/record?pid=labid:ada', 'ann', PHONE);
  const about = page.getByRole('region', { name: 'A small laboratory' });
  await about.getByText('To read it, you need a token.').waitFor();
  await about.getByRole('link', { name: 'data@example.org' }).waitFor();
  await assertFits(page);
  assert.deepEqual(complaints, []);
});
