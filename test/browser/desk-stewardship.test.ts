/** What stewardship in the desk has in every service: the history of a collection, its settings, maintenance. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertFits, PHONE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

/** Presses a key at a time of the page in milliseconds, whenever the key arrives. */
const keyAt = (page: Page, key: string, time: number) =>
  page.evaluate(`{
    const event = new KeyboardEvent('keydown', { key: ${JSON.stringify(key)}, bubbles: true, cancelable: true });
    Object.defineProperty(event, 'timeStamp', { value: ${time} });
    document.body.dispatchEvent(event);
  }`);

test('the settings of a collection say what a delete does to references and the language of searches, and maintenance is switched beside them', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('lab/stewardship/settings', 'cora');
  await page.getByRole('radio', { name: 'is refused' }).check();
  await page.getByLabel('Language of searches').selectOption({ label: 'German' });
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.locator('.toast').getByText('Saved the settings.').waitFor();
  const settings = await service.request('GET', '/-/lab/settings', { token: 'cora' });
  const { on_delete, search } = settings.json<{ on_delete: string; search: object }>();
  assert.deepEqual({ on_delete, search }, { on_delete: 'refuse', search: { language: 'german' } });
  await page.getByRole('button', { name: 'Start maintenance' }).click();
  await page.getByRole('button', { name: 'End maintenance' }).click();
  await page.locator('.toast').getByText('lab is open again.').waitFor();
  assert.deepEqual(complaints, []);
});

test('the history of a collection names the slots that changed, and deleted records by their titles', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const json of [
    person('ada'),
    person('ada', { email: 'ada@example.org' }),
    person('bea', { name: 'Bea Bell' }),
  ])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  await service.request('DELETE', '/lab/curated/record?pid=labid:bea', { token: 'cora' });
  const page = await open('lab/stewardship/activity', 'cora');
  await page.getByText('Bea Bell deleted').waitFor();
  await page.getByText('changed: Email').waitFor();
  await page.getByText('created').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('what only screen readers see scrolls with its list, so that the bar of a long one stays', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (let n = 0; n < 12; n++)
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(`p${n}`) });
  const page = await open('lab/stewardship/activity', 'cora', { viewport: { width: 1440, height: 400 } });
  await page.getByRole('main').getByText('p0', { exact: true }).waitFor();
  const sizes = '[document.querySelector("main").scrollHeight, document.querySelector("main").clientHeight]';
  const [whole, shown] = await page.evaluate<number[]>(sizes);
  assert.equal(whole, shown);
});

test('stewardship has two keys, which belong together by the times at which they are pressed, its list beside the schema, and its pages on a phone', {
  skip: skip || lacks('migrate'),
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('lab/browse', 'cora');
  await page.clock.install();
  await page.reload();
  await page.getByRole('main').getByRole('heading').first().waitFor();
  await keyAt(page, 'g', 0);
  await keyAt(page, 'd', 1600);
  await keyAt(page, '?', 1700);
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  assert.equal(page.url(), `${url}lab/browse`, 'the second key was late');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keyAt(page, 'g', 4000);
  await page.clock.runFor(2000);
  await keyAt(page, 'd', 5400);
  await page.waitForURL(`${url}lab/stewardship`);
  const list = page.getByRole('region', { name: 'Stewardship' });
  await list.getByRole('link', { name: 'Schema' }).click();
  await list.getByRole('link', { name: 'Schema' }).and(page.locator('[aria-current=page]')).waitFor();
  await list.getByRole('link', { name: 'Settings' }).waitFor();
  const phone = await open('lab/stewardship/settings', 'cora', PHONE);
  await phone
    .getByRole('navigation', { name: 'Stewardship' })
    .getByRole('link', { name: 'History' })
    .waitFor();
  await assertFits(phone);
  const tabs = phone.getByRole('navigation', { name: 'Stewardship' });
  await tabs.getByRole('link', { name: 'Schema' }).click();
  await tabs.getByRole('link', { name: 'Schema' }).and(phone.locator('[aria-current=page]')).waitFor();
  await assertFits(phone);
  assert.deepEqual(complaints, []);
});
