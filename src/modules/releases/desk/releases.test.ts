/** Releases in the desk: requested by keyboard, refused in place, saved by all who read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../../../../test/support/app.ts';
import {
  assertFits,
  PEOPLE,
  PHONE,
  skip,
  testDesk,
  untilNew,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const PUBLIC = { ...PEOPLE, tokens: { ...PEOPLE.tokens, nobody: { lab: 'READ_CURATED' } } };

test('a curator makes a release by keyboard, and everybody who reads it saves its files', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, PUBLIC);
  for (const name of ['ada', 'bea'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name) });
  const page = await open('lab/stewardship/releases', 'cora', PHONE);
  const releases = page.getByRole('main');
  await releases.getByText('Nothing is released yet.').waitFor();
  await releases.getByRole('button', { name: 'New release' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await assertFits(page);
  const ask = async (name: string) => {
    await dialog.getByLabel('Name').fill(name);
    await page.keyboard.press('Control+Enter');
  };
  await ask('v1');
  await dialog.getByText('has no license', { exact: false }).waitFor();
  const publish = { license: 'https://creativecommons.org/licenses/by/4.0/' };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json: { publish } });
  await ask('not a name');
  await dialog.locator('#release-name-error').waitFor();
  await page.locator('#release-name:focus').waitFor();
  await dialog.getByLabel('Notes').fill('The first one.');
  await ask('v1');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.toast').getByText('Released v1.').waitFor();
  const v1 = releases.getByRole('listitem').filter({ hasText: 'The first one.' });
  await untilNew(page, v1.getByText('2 records', { exact: false }));
  await assertFits(page);
  const files = v1.getByRole('list', { name: 'Files of v1' });
  const saved = page.waitForEvent('download');
  await files.getByRole('link', { name: 'All files (ZIP)' }).click();
  assert.equal((await saved).suggestedFilename(), 'lab-v1.zip');
  const records = files.getByRole('link', { name: 'records.jsonl' });
  const text = await (await fetch((await records.getAttribute('href')) ?? '')).text();
  assert.equal(text.trim().split('\n').length, 2);

  await releases.getByRole('button', { name: 'New release' }).click();
  await ask('v1');
  await dialog
    .locator('#release-name-error')
    .getByText("has a release 'v1' already", { exact: false })
    .waitFor();
  await service.request('DELETE', '/lab/curated/record?pid=labid%3Abea', { token: 'cora' });
  await ask('v2');
  await untilNew(page, releases.getByText('0 created, 0 replaced, 1 deleted since v1', { exact: false }));
  assert.deepEqual(complaints, []);
});

test('an administrator withdraws a release in the desk, and says why', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t, PUBLIC);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const publish = { license: 'https://creativecommons.org/licenses/by/4.0/' };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json: { publish } });
  await service.request('POST', '/-/lab/releases', { token: 'cora', json: { name: 'v1' } });
  const curator = await open('lab/stewardship/releases', 'cora');
  await curator.getByRole('list', { name: 'Files of v1' }).waitFor();
  assert.equal(await curator.getByRole('button', { name: 'Withdraw v1?' }).count(), 0);
  const page = await open('admin/releases/lab', ADMIN, PHONE);
  await page.getByRole('button', { name: 'Withdraw v1?' }).click();
  const dialog = page.getByRole('dialog');
  await page.locator('#withdraw-reason:focus').waitFor();
  await assertFits(page);
  await page.keyboard.press('Control+Enter');
  await page.locator('#withdraw-reason:focus').waitFor();
  await page.keyboard.type('has personal data');
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  const line = page.getByRole('main').getByRole('listitem').filter({ hasText: 'v1' });
  await line.getByText('Withdrawn').waitFor();
  await line.getByText('has personal data').waitFor();
  assert.equal(await page.getByRole('list', { name: 'Files of v1' }).count(), 0);
  await assertFits(page);
  assert.deepEqual(complaints, []);
});
