/** Who is to decide: assigned by keyboard, one and many, filtered and ordered by when it is due, on a phone and in German. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  accessProblems,
  assertFits,
  PHONE,
  skip,
  testDesk,
  toast,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const cell = (page: Page, name: string) =>
  page
    .getByRole('row')
    .filter({ hasText: `labid:${name}` })
    .locator('td')
    .last();

const TOKENS = {
  ann: { lab: 'WRITE_COLLECTION' },
  cora: { lab: 'CURATOR' },
  carl: { lab: 'CURATOR' },
};

test('two curators accept in a collection whose settings say so, and the second sees what the first has approved', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t, { collections: { lab: {} }, tokens: TOKENS });
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('ada') });

  const page = await open('lab/stewardship/settings', 'cora', { bypassCSP: true });
  const form = page.getByRole('region', { name: 'Review' });
  await form.getByLabel('Approvals').selectOption('2');
  await form.getByLabel('Days until due').fill('7');
  await form.getByRole('button', { name: 'Add a rule' }).click();
  await form.getByLabel('Decides').selectOption('carl@example.org');
  await form.getByLabel('Zones').fill('ann');
  assert.deepEqual(await accessProblems(page), []);
  await form.getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved');
  const stored = await service.request('GET', '/-/lab/settings', { token: 'cora' });
  assert.deepEqual(stored.json<{ review: object }>().review, {
    approvals: 2,
    due_days: 7,
    assign: [{ curator: 'carl@example.org', zones: ['ann'] }],
  });

  await page.goto(`${url}lab/review`);
  await page.getByRole('row').filter({ hasText: 'labid:ada' }).waitFor();
  await page.keyboard.press('a');
  await toast(page, 'Approved ada. Another curator has to accept it, too.');
  await page.getByText('approved by you', { exact: false }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.note').getByText('Approved by').waitFor();
  await page.keyboard.press('a');
  await page.getByText('You have approved ada.', { exact: false }).waitFor();
  assert.deepEqual(await accessProblems(page), []);

  const second = await open('lab/review/item?label=ann&pid=labid%3Aada', 'carl', { bypassCSP: true });
  await second.locator('.note').getByText('cora@example.org').waitFor();
  assert.deepEqual(await accessProblems(second), []);
  await second.keyboard.press('a');
  await toast(second, 'Accepted ada.');
  assert.deepEqual(complaints, []);
});

test('a curator takes a submission and hands on others by keyboard, and sees what is due first', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t, { collections: { lab: {} }, tokens: TOKENS });
  for (const name of ['ada', 'bea', 'cid'])
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });

  const page = await open('lab/review', 'cora', { bypassCSP: true });
  const dialog = page.getByRole('dialog');
  await cell(page, 'ada').getByText('Unassigned').waitFor();
  await page.keyboard.press('w');
  await dialog.getByRole('option', { name: 'Me: cora@example.org' }).waitFor({ state: 'attached' });
  assert.deepEqual(await accessProblems(page), []);
  await page.keyboard.press('Control+Enter');
  await toast(page, '1 submission assigned.');
  await cell(page, 'ada').getByText('Me').waitFor();

  for (const name of ['bea', 'cid'])
    await page
      .getByRole('row')
      .filter({ hasText: `labid:${name}` })
      .getByRole('checkbox')
      .click();
  await page.keyboard.press('w');
  await dialog.getByText('Assign 2 submissions').waitFor();
  await dialog.getByRole('option', { name: 'carl@example.org' }).waitFor({ state: 'attached' });
  await dialog.getByLabel('Decides').selectOption('carl@example.org');
  await dialog.getByLabel('Due').fill('2100-05-03');
  await page.keyboard.press('Control+Enter');
  await toast(page, '2 submissions assigned.');
  await cell(page, 'bea').getByText('carl@example.org').waitFor();
  await page.getByRole('row').filter({ hasText: 'labid:cid' }).getByText('due ').waitFor();
  await page.getByRole('link', { name: /^Decides/ }).click();
  await page.getByRole('row').nth(1).getByText('bea', { exact: true }).waitFor();
  assert.deepEqual(await accessProblems(page), []);

  await page.locator('.context').getByRole('link', { name: /^Mine/ }).click();
  await page.getByText('bea', { exact: true }).waitFor({ state: 'detached' });
  await cell(page, 'ada').getByText('Me').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'ada' }).waitFor();
  await page.locator('aside').getByText('Decides').waitFor();
  await page.keyboard.press('w');
  await dialog.getByRole('option', { name: 'carl@example.org' }).waitFor({ state: 'attached' });
  await dialog.getByLabel('Decides').selectOption({ label: 'Unassigned' });
  await page.keyboard.press('Control+Enter');
  await page.locator('aside').getByText('Unassigned').waitFor();
  assert.deepEqual(await accessProblems(page), []);

  const phone = await open('lab/review/item?label=ann&pid=labid%3Abea', 'carl', {
    ...PHONE,
    locale: 'de-DE',
  });
  await phone.getByText('Entscheidet').waitFor();
  await phone.getByRole('button', { name: /^Zuweisen/ }).click();
  await phone.getByRole('dialog').getByText('bea zuweisen').waitFor();
  await assertFits(phone);
  await phone.goto(`${url}lab/review`);
  await phone.locator('.tag').getByText('fällig').first().waitFor();
  await assertFits(phone);
  assert.deepEqual(complaints, []);
});
