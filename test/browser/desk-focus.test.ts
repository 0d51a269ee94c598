/** Where the focus is after an element that had it is gone: never on the body, and never on another button. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { intercept, skip, testDesk, toast, useBrowser } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

/** The words of the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate(
    "document.activeElement === document.body ? 'nothing' : document.activeElement.textContent.trim()",
  );

async function untilFocused(page: Page, expected: RegExp): Promise<void> {
  await eventually(
    `the focus is on ${expected}`,
    () => focused(page),
    (words) => expected.test(String(words)),
  );
}

test('the button of an action has the focus again after its request, and its heading meanwhile', {
  skip,
}, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/stewardship/settings', 'cora');
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await intercept(page, '**/-/lab/settings', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    asked.resolve();
    await answer.promise;
    return route.continue();
  });
  await page.getByRole('radio', { name: 'is refused' }).check();
  await page.getByRole('button', { name: 'Save' }).first().focus();
  await page.keyboard.press('Enter');
  await asked.promise;
  await untilFocused(page, /^Deleting a record/);
  answer.resolve();
  await toast(page, 'Saved the settings.');
  await untilFocused(page, /^Save$/);
  assert.deepEqual(complaints, []);
});

test('a button that goes leaves the focus in its row, and a row that goes in the next one', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const json = ['ada', 'bea', 'cyd'].map((name) => person(name));
  await service.request('POST', '/-/lab/records/Person', { token: 'ann', json });
  const queue = await open('lab/review', 'cora');
  await queue.getByRole('main').getByRole('link', { name: 'ada' }).focus();
  await queue.keyboard.press('a');
  await toast(queue, 'Accepted ada.');
  await untilFocused(queue, /^bea$/);

  const page = await open('lab/decisions', 'cora');
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await toast(page, 'Undone: ada waits again.');
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  await untilFocused(page, /^ada$/);
  assert.deepEqual(complaints, []);
});

test('the button of all goes when all is done, and the focus to the heading', {
  skip: skip || lacks('notify'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('ada') });
  const page = await open('lab/inbox', 'cora');
  const all = page.getByRole('button', { name: 'Mark all as read' });
  await all.focus();
  await page.keyboard.press('Enter');
  await all.waitFor({ state: 'detached' });
  await untilFocused(page, /^Inbox/);
  assert.deepEqual(complaints, []);
});
