/** Decisions whose answer is lost on the way: the curator reads what became of them, and none is made twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { TestService } from '../../../../test/support/app.ts';
import { intercept, loseAnswer, skip, testDesk, toast, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const decisions = ({ pathname }: URL) => pathname.endsWith('/review/decisions');

async function submit({ request }: TestService, ...names: string[]): Promise<void> {
  for (const name of names) await request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
}

/** What was decided, the last first. */
async function made({ request }: TestService): Promise<string[]> {
  const { items } = (await request('GET', '/-/lab/review/decisions', { token: 'cora' })).json<{
    items: { decision: string; pid: string; reason: string | null }[];
  }>();
  return items.map(({ decision, pid, reason }) => [decision, pid, reason].filter(Boolean).join(' '));
}

/** Selects both submissions, and says why they are decided so. */
async function askedForAll(page: Page, key: string, reason: string): Promise<Locator> {
  await page.getByRole('link', { name: 'hal' }).waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press(key);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Reason/).fill(reason);
  return dialog;
}

test('a decision whose answer is lost is looked up, and a request that did not arrive decides nothing', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await submit(service, 'hal', 'ida', 'jo');
  const page = await open('lab/review', 'cora');
  await page.getByRole('link', { name: 'hal' }).waitFor();
  await loseAnswer(page, /review\/decisions$/);
  await page.keyboard.press('a');
  await toast(page, /^Accepted \w+\.$/);
  await page.getByText('2 submissions', { exact: true }).waitFor();
  assert.equal((await made(service)).length, 1);

  // `U` undoes what was made, also if its answer is lost.
  await loseAnswer(page, /decisions\/undo$/);
  await page.keyboard.press('u');
  await toast(page, /^Undone: \w+ waits again\.$/);
  await page.getByText('3 submissions', { exact: true }).waitFor();

  await intercept(page, decisions, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.fallback(),
  );
  await page.keyboard.press('a');
  await page.getByText(/^Not done: “\w+” is as it was/).waitFor();
  assert.equal((await made(service)).length, 1);
  assert.deepEqual(complaints, []);
});

test('while the service is away after a decision, its outcome is unknown; it is looked up when the service is back', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await submit(service, 'hal', 'ida');
  const page = await open('lab/review/item?label=ann&pid=labid%3Ahal', 'cora');
  await page.getByRole('heading', { name: 'hal' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').waitFor();
  await page.getByLabel(/^Reason/).fill('No email.');
  const back = Promise.withResolvers<void>();
  await loseAnswer(page, /review\/decisions$/, back.promise);
  await page.keyboard.press('Control+Enter');
  await page.getByText(/it is not known what became of “hal”/).waitFor();
  assert.deepEqual(await made(service), ['reject labid:hal No email.']);
  // A decision that is made meanwhile is not sent.
  await page.keyboard.press('a');
  await page.getByText(/^Not done: “hal” is as it was/).waitFor();
  back.resolve();
  assert.deepEqual(await made(service), ['reject labid:hal No email.']);
  assert.deepEqual(complaints, []);
});

test('many rejections whose answers are lost are sent again, and none is made twice', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await submit(service, 'hal', 'ida');
  const page = await open('lab/review', 'cora');
  const dialog = await askedForAll(page, 'r', 'No email.');
  const back = Promise.withResolvers<void>();
  await loseAnswer(page, /review\/decisions$/, back.promise);
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(/some may be decided/).waitFor();
  const both = ['reject labid:hal No email.', 'reject labid:ida No email.'];
  assert.deepEqual((await made(service)).toSorted(), both);
  back.resolve();
  await page.getByRole('button', { name: 'Try now' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await dialog.getByRole('heading', { name: '0 submissions decided' }).waitFor();
  assert.deepEqual((await made(service)).toSorted(), both);
  assert.deepEqual(complaints, []);
});

test('many deferrals whose answer is lost are not sent again', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await submit(service, 'hal', 'ida');
  const page = await open('lab/review', 'cora');
  const dialog = await askedForAll(page, 'd', 'Since when?');
  await loseAnswer(page, /review\/decisions$/);
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(/some may be decided/).waitFor();
  assert.deepEqual((await made(service)).toSorted(), [
    'defer labid:hal Since when?',
    'defer labid:ida Since when?',
  ]);
  assert.deepEqual(complaints, []);
});

test('of a comment whose answer is lost it is not known whether it was sent: it stays in the dialog, and is shown if it was', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await submit(service, 'hal');
  const page = await open('lab/review/item?label=ann&pid=labid%3Ahal', 'cora');
  await page.getByRole('heading', { name: 'hal' }).waitFor();
  await page.keyboard.press('q');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Text').fill('Who is this?');
  const back = Promise.withResolvers<void>();
  await loseAnswer(page, /\/review\/comments$/, back.promise);
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(/it is not known whether this was done/).waitFor();
  back.resolve();
  await page.locator('.comments').getByText('Who is this?').waitFor();
  assert.equal(await dialog.getByLabel('Text').inputValue(), 'Who is this?');
  assert.deepEqual(complaints, []);
});
