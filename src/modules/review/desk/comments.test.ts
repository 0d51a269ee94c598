/** The conversation on a submission: a curator asks, the submitter answers, by keyboard and on a phone; and what is new. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  accessProblems,
  assertFits,
  hasValue,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const settled = (page: Page) => page.locator('.bones').first().waitFor({ state: 'detached' });

test('a question goes to the submitter, the answer back, and changes are requested without a rejection', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const name of ['ada', 'bea'])
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });

  const curator = await open('lab/review', 'cora', { bypassCSP: true });
  await curator.getByRole('link', { name: 'ada', exact: false }).first().waitFor();
  await curator.keyboard.press('Enter');
  await curator.getByRole('heading', { name: 'ada' }).waitFor();
  await curator.keyboard.press('q');
  const dialog = curator.getByRole('dialog');
  await dialog.waitFor();
  await curator.keyboard.press('Control+Enter');
  await dialog.getByText('Write something first.').waitFor();
  await curator.keyboard.type('Which Ada is this?');
  assert.deepEqual(await accessProblems(curator), []);
  await curator.keyboard.press('Escape');
  await curator.keyboard.press('q');
  await hasValue(dialog.getByLabel('Text'), 'Which Ada is this?', 'the words were kept');
  await curator.keyboard.press('Control+Enter');
  await curator.locator('.toast').getByText('Sent.').waitFor();
  await curator.locator('aside').getByText('Which Ada is this?').waitFor();
  assert.deepEqual(await accessProblems(curator), []);

  const phone = await open('lab/submissions', 'ann', PHONE);
  await settled(phone);
  await phone.getByText('Which Ada is this?').waitFor();
  await phone.getByText('Question').first().waitFor();
  await assertFits(phone);
  await phone.getByRole('button', { name: /^Answer/ }).click();
  await phone.getByLabel('Text').fill('Ada Byron.');
  await assertFits(phone);
  await phone.getByRole('dialog').getByRole('button', { name: /^Send/ }).click();
  await phone.getByText('Ada Byron.').waitFor();

  await curator.goto(`${url}lab/review/item?label=ann&pid=labid%3Aada`);
  await curator.locator('aside').getByText('Ada Byron.').waitFor();
  await curator.keyboard.press('q');
  await curator.keyboard.type('Please add an email.');
  await curator.getByLabel('I ask for changes').check();
  await curator.keyboard.press('Control+Enter');
  await curator.locator('.review-head').getByText('Changes requested').waitFor();
  await curator.goto(`${url}lab/review?requested=changes`);
  await curator.getByText('1 submission', { exact: true }).waitFor();
  await settled(curator);
  assert.deepEqual(await accessProblems(curator), []);

  const small = await open('lab/review/item?label=ann&pid=labid%3Aada', 'cora', PHONE);
  await small.getByText('Please add an email.').waitFor();
  await assertFits(small);

  const submitter = await open('', 'ann');
  await submitter.getByRole('link', { name: 'My submissions 1 to correct' }).waitFor();
  await submitter.getByRole('main').getByRole('link', { name: 'Show', exact: true }).click();
  await submitter.getByText('Please add an email.').waitFor();
  await submitter.getByRole('link', { name: 'Edit', exact: true }).first().click();
  await submitter.getByText('Please add an email.').waitFor();
  await submitter.getByLabel(/^Email/).fill('ada@example.org');
  await submitter.keyboard.press('Control+Enter');
  await submitter.getByRole('heading', { name: 'My submissions' }).waitFor();
  const own = await service.request('GET', '/-/lab/submissions/item?pid=labid:ada', { token: 'ann' });
  const { status, requested } = own.json<{ status: string; requested: string | null }>();
  assert.deepEqual([status, requested], ['waiting', null]);
  const last = submitter.getByRole('list', { name: 'Conversation' }).getByRole('listitem').last();
  await last.getByText('Submitted again').waitFor();
  await curator.goto(`${url}lab/review/item?label=ann&pid=labid%3Aada`);
  await curator.locator('aside').getByText('Submitted again').waitFor();
  assert.deepEqual(complaints, []);
});

test('what was decided or submitted since the last look is marked', { skip }, async (t) => {
  const { service, open, url } = await testDesk(t);
  const submit = (name: string) =>
    service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  await submit('ada');
  await submit('bea');
  const submitter = await open('lab/submissions', 'ann');
  const curator = await open('lab/review', 'cora');
  for (const page of [submitter, curator]) {
    await settled(page);
    await page.getByRole('link', { name: 'bea' }).first().waitFor();
    assert.equal(await page.locator('main .unseen').count(), 0, 'nothing is new at the first look');
    await page.goto(url);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    // The look was an hour ago, by a clock that is a day ahead from now on.
    await page.evaluate(`for (const key of Object.keys(localStorage).filter((one) => one.startsWith('accession.seen:')))
      localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), at: Date.now() - 3600000 }))`);
    await page.addInitScript('const { now } = Date; Date.now = () => now() + 86400000');
  }
  await submit('cyd');
  const item = await service.request('GET', '/-/lab/review/item?label=ann&pid=labid:ada', { token: 'cora' });
  const { digest } = item.json<{ digest: string }>();
  const json = { label: 'ann', pid: 'labid:ada', digest, decision: 'reject', reason: 'No.' };
  await service.request('POST', '/-/lab/review/decisions', { token: 'carl', json });

  await submitter.reload();
  await submitter.locator('nav .unseen').first().waitFor();
  await submitter.goto(`${url}lab/submissions`);
  await submitter.locator('main .unseen').first().waitFor();
  assert.deepEqual(await submitter.locator('main li:has(.unseen) .name a').allTextContents(), ['ada']);
  await curator.reload();
  await curator.locator('nav .unseen').first().waitFor();
  await curator.goto(`${url}lab/review`);
  await curator.locator('main .unseen').first().waitFor();
  assert.equal(await curator.locator('main tr:has(.unseen)').count(), 1);
  await curator.locator('main tr:has(.unseen)').getByRole('link', { name: 'cyd' }).waitFor();
});
