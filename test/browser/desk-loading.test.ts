/** What is loading or could not be loaded: no view stays blank, whatever comes late, fails or never comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { type Desk, intercept, skip, testDesk, useBrowser } from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';

useBrowser();

/** Goes to a view as a step in the history of the tab does. */
async function goTo(page: Page, url: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(url)}); dispatchEvent(new PopStateEvent('popstate'));`,
  );
}

/** Answers the requests for files that a page does not load with its first view. */
async function routeLater(
  { service }: Desk,
  page: Page,
  handler: (route: Route) => Promise<unknown>,
): Promise<void> {
  const { text } = await service.request('GET', '/-/desk/');
  await intercept(page, '**/assets/chunk-*.js', async (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)!;
    await (text.includes(name) ? route.continue() : handler(route));
  });
}

/** Has the page draw nothing between two calls, as a busy machine does. */
const HOLDING = `
  const { requestAnimationFrame, setTimeout } = window;
  let held;
  const holding = (call) => (...args) => held ? held.push(() => call(...args)) : call(...args);
  window.requestAnimationFrame = holding(requestAnimationFrame);
  window.setTimeout = holding(setTimeout);
  window.holdFrames = () => { held = []; };
  window.drawFrames = () => { const all = held; held = undefined; for (const one of all) one(); };
`;

test('a view whose file comes before its first frame is drawn is shown', { skip }, async (t) => {
  const desk = await testDesk(t);
  const page = await desk.open('', 'ann');
  await page.addInitScript(HOLDING);
  await page.reload();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const asked = Promise.withResolvers<string>();
  const released = Promise.withResolvers<void>();
  await routeLater(desk, page, async (route) => {
    asked.resolve(route.request().url());
    await released.promise;
    await route.continue();
  });
  await goTo(page, `${desk.url}help`);
  const file = await asked.promise;
  await goTo(page, desk.url);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.evaluate('holdFrames()');
  await goTo(page, `${desk.url}help`);
  assert.equal(await page.locator('main .bones').count(), 1);
  released.resolve();
  await page.evaluate(`import(${JSON.stringify(file)}).then(() => {})`);
  await page.evaluate('drawFrames()');
  await page.getByRole('heading', { name: 'Help' }).waitFor();
  assert.deepEqual(desk.complaints, []);
});

test('a file that cannot be fetched is said, and fetched by another try or when the service is back', {
  skip,
}, async (t) => {
  const desk = await testDesk(t);
  const page = await desk.open('', 'ann');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const isBroken = { value: true };
  await routeLater(desk, page, (route) => (isBroken.value ? route.abort() : route.continue()));
  await goTo(page, `${desk.url}help`);
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText('The desk cannot show this.').waitFor();
  await alert.getByRole('button', { name: 'Reload' }).waitFor();
  // A view that fails says nothing of another one.
  await goTo(page, desk.url);
  await alert.waitFor({ state: 'detached' });
  await goTo(page, `${desk.url}help`);
  await alert.waitFor();
  isBroken.value = false;
  await alert.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('heading', { name: 'Help' }).waitFor();

  await page.goto(desk.url);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.context().setOffline(true);
  await goTo(page, `${desk.url}help`);
  await page.getByRole('main').getByRole('alert').getByText('The service does not respond.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Help' }).waitFor();
  assert.deepEqual(desk.complaints, []);
});

test('a part of a view that cannot be fetched says so in its place, and is fetched by another try', {
  skip: skip || lacks('notify'),
}, async (t) => {
  const desk = await testDesk(t);
  const page = await desk.open('sign-in', 'ann');
  const isBroken = { value: true };
  await routeLater(desk, page, (route) => (isBroken.value ? route.abort() : route.continue()));
  await page.goto(desk.url);
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText('A part of this view could not be loaded.').waitFor();
  isBroken.value = false;
  await alert.getByRole('button', { name: 'Retry' }).click();
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Follow/ })
    .waitFor();
  assert.deepEqual(desk.complaints, []);
});

/** Ends what the style sheets wait for. */
const waitLong = (page: Page) => page.evaluate('for (const one of document.getAnimations()) one.finish()');

test('a page without its files, and a view without a response, say after a while that they are late', {
  skip,
}, async (t) => {
  const { open, url } = await testDesk(t);
  const page = await open('', 'ann');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const late = page.getByRole('status').filter({ hasText: 'This takes longer than usual.' });
  assert.equal(await late.isVisible(), false);
  // On a busy machine, a while may pass before the test looks.
  const session = await page.context().newCDPSession(page);
  await session.send('Animation.enable');
  await session.send('Animation.setPlaybackRate', { playbackRate: 0 });

  const asked = Promise.withResolvers<void>();
  await intercept(page, '**/-/me', () => asked.resolve(), { times: 1 });
  await page.goto(url);
  await asked.promise;
  await page.locator('.bones').waitFor();
  assert.equal(await late.isVisible(), false);
  await waitLong(page);
  await late.waitFor();
  await late.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  assert.equal(await late.isVisible(), false);

  await intercept(page, '**/assets/app.js', (route) => route.abort());
  await page.goto(url);
  await waitLong(page);
  await late.waitFor();
  await page.unroute('**/assets/app.js');
  await late.getByRole('link', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
});

test('a fault of the desk is shown in the place of its view, which another try and other views leave', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('sign-in', 'cora');
  // As a service of another release may answer.
  await intercept(page, '**/-/lab/classes', (route) => route.fulfill({ json: [null] }));
  await page.goto(`${url}lab/browse`);
  const alert = page.getByRole('main').getByRole('alert');
  await alert.getByText('TypeError').waitFor();
  await goTo(page, `${url}help`);
  await page.getByRole('heading', { name: 'Help' }).waitFor();
  await page.goBack();
  await alert.waitFor();
  await page.unrouteAll();
  await alert.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Export' }).waitFor();
  assert.ok(complaints.length > 0, 'the fault is reported');
});

test('a class that could not be read is read by another try', { skip }, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('sign-in', 'cora');
  await intercept(page, '**/-/lab/classes/Person*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${url}lab/browse/Person`);
  const alert = page.getByRole('main').getByRole('alert');
  await alert.waitFor();
  await page.unrouteAll();
  await alert.getByRole('button', { name: 'Retry' }).click();
  await alert.waitFor({ state: 'detached' });
  await page.getByRole('main').getByRole('button', { name: 'Export' }).waitFor();
  assert.deepEqual(complaints, []);
});
