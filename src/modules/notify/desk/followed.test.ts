/** What a person follows, in the desk: it is theirs, in every browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestService } from '../../../../test/support/app.ts';
import {
  accessProblems,
  assertFits,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

async function curate(service: TestService, token: string, name: string, more: object = {}): Promise<void> {
  const json = person(name, more);
  const { status } = await service.request('POST', '/lab/curated/record/Person', { token, json });
  assert.equal(status, 200);
}

test('a collection that is followed lists what has changed between two visits', { skip }, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const name of ['abe', 'bea']) await curate(service, 'cora', name);
  const page = await open('', 'reader');
  await page.getByRole('button', { name: /^Follow / }).click();
  await page.getByRole('link', { name: /^No changes since/ }).waitFor();
  await curate(service, 'carl', 'cyd');
  await curate(service, 'carl', 'cyd', { email: 'cyd@example.org' });
  await service.request('DELETE', '/lab/curated/record?pid=labid:abe', { token: 'carl' });
  await page.reload();
  await page.getByRole('link', { name: '2 records have changed' }).click();
  const items = page.getByRole('main').getByRole('listitem');
  await items.filter({ hasText: /cyd.* changed/ }).waitFor();
  await items.filter({ hasText: /abe.* deleted/ }).waitFor();
  await page.getByRole('button', { name: 'Mark as seen' }).click();
  await page.getByRole('heading', { name: /^No record has changed since/ }).waitFor();
  await page.getByRole('button', { name: 'Stop following' }).click();
  await page.getByRole('heading', { name: 'You do not follow this collection.' }).waitFor();
  await page.goto(url);
  await page.getByRole('button', { name: /^Follow / }).waitFor();
  const phone = await open('lab/changes', 'reader', PHONE);
  await phone.getByRole('main').getByRole('button', { name: 'Follow' }).click();
  await phone.getByRole('heading', { name: /^No record has changed since/ }).waitFor();
  await assertFits(phone);
  // It is that of the user, not of the browser.
  await page.reload();
  await page.getByRole('link', { name: /^No changes since/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a record that a reader follows is in the inbox when another person changes it, until the reader stops', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await curate(service, 'cora', 'ada');
  const page = await open('lab/record?pid=labid:ada', 'reader', PHONE);
  await page.getByRole('button', { name: 'Follow this record' }).click();
  await page.getByRole('button', { name: 'Stop following this record' }).waitFor();
  await assertFits(page);
  await curate(service, 'carl', 'ada', { name: 'Ada Abe' });

  const inbox = await open('lab/inbox', 'reader', { ...PHONE, bypassCSP: true });
  await inbox.getByText('A record that you follow has changed').waitFor();
  const followed = inbox.getByRole('region', { name: 'Records that you follow' });
  await followed.getByRole('link', { name: 'Ada Abe' }).waitFor();
  await assertFits(inbox);
  assert.deepEqual(await accessProblems(inbox), []);
  await inbox.getByRole('main').getByRole('link', { name: 'Ada Abe' }).first().click();
  await inbox.getByRole('button', { name: 'Stop following this record' }).click();
  await inbox.getByRole('button', { name: 'Follow this record' }).waitFor();
  await inbox.goBack();
  await inbox.getByText('Nothing has happened yet.').waitFor();
  assert.equal(await followed.count(), 0);

  const guest = await open('lab/inbox');
  await guest
    .getByRole('main')
    .getByRole('link', { name: /Sign in/ })
    .first()
    .waitFor();
  assert.deepEqual(complaints, []);
});
