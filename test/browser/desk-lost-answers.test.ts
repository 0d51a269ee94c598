/** What was stored or deleted by a request whose answer is lost on the way, and what a person reads then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, type TestService } from '../support/app.ts';
import { hasValue, intercept, loseAnswer, skip, testDesk, toast, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';

useBrowser();

const curate = ({ request }: TestService, name: string) =>
  request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name) });

async function read({ request }: TestService, name: string): Promise<Record<string, unknown> | null> {
  return (await request('GET', `/lab/curated/record?pid=labid:${name}`, { token: 'cora' })).json();
}

test('a form whose answer is lost knows that its record is stored, or says that it is not known', {
  skip,
}, async (t) => {
  const { service, url, open, complaints } = await testDesk(t);
  await curate(service, 'ada');
  const page = await open('lab/edit?pid=labid%3Aada', 'cora');
  await page.getByLabel(/^Email/).fill('first@example.org');
  await loseAnswer(page, /\/record\/Person$/);
  await page.keyboard.press('Control+Enter');
  await toast(page, 'Saved ada.');
  assert.equal((await read(service, 'ada'))?.email, 'first@example.org');

  // A new record, while the service stays away: sent again, it is not refused as one that another has.
  await page.goto(`${url}lab/new/Person`);
  await page.getByLabel('Name', { exact: false }).first().waitFor();
  await page.locator('#f-name').fill('Bea Bell');
  await page.locator('#f-family_name').fill('Bell');
  await page.locator('#f-pid').fill('labid:bea');
  const back = Promise.withResolvers<void>();
  await loseAnswer(page, /\/record\/Person$/, back.promise);
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('It is not known whether this was stored.', { exact: false }).waitFor();
  assert.equal((await read(service, 'bea'))?.name, 'Bea Bell');
  back.resolve();
  const again = page.getByRole('button', { name: 'Send it now' });
  await again.waitFor();
  await page.locator('button:enabled', { hasText: 'Send it now' }).click();
  await page.getByRole('heading', { name: 'Bea Bell' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a form that is left before its record is stored has no draft of it then', { skip }, async (t) => {
  const { service, url, open, complaints } = await testDesk(t);
  await curate(service, 'ada');
  const page = await open('lab/edit?pid=labid%3Aada', 'cora');
  const email = page.getByLabel(/^Email/);
  await email.fill('first@example.org');
  const stored = Promise.withResolvers<void>();
  await intercept(page, /\/record\/Person$/, async (route) => {
    await route.fetch();
    stored.resolve();
  });
  // The draft is kept.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+Enter');
  await stored.promise;
  await page.goto(`${url}lab/edit?pid=labid%3Aada`);
  await hasValue(email, 'first@example.org');
  assert.deepEqual(await page.locator('.note, table.diff').allInnerTexts(), []);
  assert.equal(await page.evaluate('Object.keys(localStorage).some((key) => /draft:/.test(key))'), false);
  assert.deepEqual(complaints, []);
});

test('a record whose deletion is not answered is looked up', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await curate(service, 'ada');
  const page = await open('lab/record?pid=labid%3Aada', 'cora');
  // The heading is there before the record.
  await page.getByRole('main').getByRole('button', { name: 'Delete', exact: true }).waitFor();
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Delete/ }).waitFor();
  await loseAnswer(page, /curated\/record$/);
  await page.keyboard.press('Control+Enter');
  await toast(page, 'Deleted ada.');
  assert.equal(await read(service, 'ada'), null);
  assert.deepEqual(complaints, []);
});

test('of all else, the person reads that it is not known whether it was done, and sees what is there when the service is back', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/tokens', ADMIN);
  await page.getByRole('button', { name: /^New token/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('field-trip');
  const back = Promise.withResolvers<void>();
  await loseAnswer(page, /^\/tokens/, back.promise);
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(/it is not known whether this was done/).waitFor();
  assert.equal((await service.request('GET', '/tokens/field-trip', { token: ADMIN })).status, 200);
  back.resolve();
  await page.getByRole('button', { name: 'Try now' }).waitFor({ state: 'detached' });
  await dialog.getByText(/it is not known whether this was done/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('field-trip', { exact: true }).first().waitFor();
  assert.deepEqual(complaints, []);
});

test('a setting whose answer is lost is not said to be saved, and is there when the view is opened again', {
  skip,
}, async (t) => {
  const { url, open, complaints } = await testDesk(t);
  const page = await open('lab/stewardship/settings', 'cora');
  const refused = page.getByRole('radio', { name: 'is refused' });
  await refused.check();
  const back = Promise.withResolvers<void>();
  await loseAnswer(page, /\/settings$/, back.promise);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText(/it is not known whether this was done/).waitFor();
  assert.equal(await page.getByText('Saved the settings.').count(), 0);
  back.resolve();
  await page.goto(`${url}lab/stewardship/settings`);
  await page.locator('input:checked').first().waitFor();
  assert.ok(await refused.isChecked());
  assert.deepEqual(complaints, []);
});
