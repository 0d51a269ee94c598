/** What others change while it is on the screen: a quiet line says so, and nothing moves until it is clicked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN, type TestService } from '../support/app.ts';
import {
  assertFits,
  hasValue,
  intercept,
  lookAgain,
  PHONE,
  settled,
  skip,
  testDesk,
  untilNew,
  useBrowser,
} from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

async function curate(service: TestService, token: string, name: string, more: object = {}): Promise<void> {
  const json = person(name, more);
  const { status } = await service.request('POST', '/lab/curated/record/Person', { token, json });
  assert.equal(status, 200);
}

/** Waits until the desk asks behind a change, not for where to begin. */
async function follows(page: Page): Promise<void> {
  const followed = page.waitForResponse((response) => /changes\?since=[^&]+%3A\d/.test(response.url()));
  await lookAgain(page);
  await followed;
}

const line = (page: Page, text: string | RegExp) => page.locator('.banner').getByText(text);

test('a table says how many records others have changed, and keeps row, selection and words until it is asked', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['abe', 'bea', 'cyd']) await curate(service, 'cora', name);
  const page = await open('lab/browse/Person', 'cora');
  await page.getByRole('link', { name: 'cyd' }).waitFor();
  await follows(page);
  const waits: string[] = [];
  page.on('request', (request) => /changes\?/.test(request.url()) && waits.push(request.url()));
  for (const key of ['j', 'x', '/']) await page.keyboard.press(key);
  await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
  await curate(service, 'carl', 'abc');
  await line(page, '1 record has changed since.').waitFor();
  await curate(service, 'carl', 'bea', { email: 'bea@example.org' });
  await line(page, '2 records have changed since.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'abc' }).count(), 0);
  await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
  await page.locator('.banner').getByRole('button', { name: 'Show' }).click();
  await page.getByRole('link', { name: 'abc' }).waitFor();
  await page.getByRole('link', { name: 'bea@example.org' }).waitFor();
  await line(page, /changed since/).waitFor({ state: 'detached' });
  await page.locator('tr.checked[aria-current]', { hasText: 'bea' }).waitFor();
  await page.getByRole('link', { name: 'abc' }).waitFor();
  await page.locator('h1:focus').waitFor();
  assert.ok(
    waits.every((url) => url.includes('wait=0')),
    'no request waits at the service',
  );

  await curate(service, 'carl', 'dot');
  await line(page, '1 record has changed since.').waitFor();
  await intercept(page, /changes\?/, (route) => route.fulfill({ status: 410, json: { detail: 'too old' } }));
  await page.getByRole('link', { name: 'dot' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('if others delete the row of a table that is looked at, the next key goes on from the row in its place', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['abe', 'bea', 'cyd', 'dot']) await curate(service, 'cora', name);
  const page = await open('lab/browse/Person', 'cora');
  const marked = (name: string) => page.locator('tr[aria-current]', { hasText: name }).waitFor();
  await page.getByRole('link', { name: 'dot' }).waitFor();
  await follows(page);
  await page.keyboard.press('j');
  await marked('bea');
  await service.request('DELETE', '/lab/curated/record?pid=labid:bea', { token: 'carl' });
  const show = page.locator('.banner').getByRole('button', { name: 'Show' });
  await untilNew(page, show);
  await show.click();
  await marked('cyd');
  await page.keyboard.press('j');
  await marked('dot');
  assert.deepEqual(complaints, []);
});

test('a record that others change says who, its form keeps what was typed, and compares', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  await curate(service, 'cora', 'abe', { email: 'old@example.org' });
  const page = await open('lab/record?pid=labid%3Aabe', 'cora');
  await page.getByText('old@example.org').first().waitFor();
  await follows(page);
  await curate(service, 'carl', 'abe', { email: 'new@example.org' });
  await untilNew(page, line(page, /^carl@example.org changed this record at \d\d:\d\d\.$/));
  assert.equal(await page.getByText('new@example.org').count(), 0);
  await page.locator('.banner').getByRole('button', { name: 'Show' }).click();
  await page.getByText('new@example.org').first().waitFor();
  await line(page, /changed this record/).waitFor({ state: 'detached' });

  await page.goto(`${url}lab/edit?pid=labid%3Aabe`);
  await page.getByLabel(/^Email/).fill('typed@example.org');
  await follows(page);
  await curate(service, 'carl', 'abe', { email: 'new@example.org', description: 'By Carl.' });
  await untilNew(page, line(page, /^carl@example.org changed this record/));
  await page
    .getByLabel(/^Email/)
    .and(page.locator(':focus'))
    .waitFor();
  await hasValue(page.getByLabel(/^Email/), 'typed@example.org');
  await page.getByRole('button', { name: 'Show the differences' }).click();
  await page.getByText('By Carl.').first().waitFor();
  await page.getByText('typed@example.org').first().waitFor();
  await line(page, /changed this record/).waitFor({ state: 'detached' });
  const phone = await open('lab/record?pid=labid%3Aabe', 'cora', PHONE);
  await phone.getByRole('heading', { name: 'abe' }).waitFor();
  await follows(phone);
  await service.request('DELETE', '/lab/curated/record?pid=labid:abe', { token: 'carl' });
  await untilNew(phone, line(phone, /^carl@example.org deleted this record/));
  await assertFits(phone);
  assert.deepEqual(complaints, []);
});

test('a submission that is reviewed is compared again when its curated record changes, with the sides that were chosen', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const of = (name: string) => ({ email: `${name}@example.org`, given_name: `By ${name}` });
  await curate(service, 'cora', 'abe', of('old'));
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('abe', of('new')) });
  await curate(service, 'cora', 'abe', of('other'));
  const page = await open('lab/review/item?label=ann&pid=labid%3Aabe', 'cora');
  await page.getByRole('radio', { name: 'Submitted: Given name' }).check({ force: true });
  await page.getByText('1 of 2 conflicts settled').waitFor();
  await page.getByRole('columnheader', { name: /^Curated now.*cora@example.org/ }).waitFor();
  await follows(page);
  await curate(service, 'carl', 'abe', { ...of('other'), email: 'later@example.org' });
  await untilNew(page, page.getByText('later@example.org').first());
  await untilNew(page, line(page, /^carl@example.org changed this record/));
  await page.getByText('1 of 2 conflicts settled').waitFor();
  await page.getByRole('columnheader', { name: /^Curated now.*carl@example.org/ }).waitFor();
  assert.ok(await page.getByRole('radio', { name: 'Submitted: Given name' }).isChecked());
  assert.deepEqual(complaints, []);
});

test('the list of decisions goes on by itself, and stays at the row that is looked at', {
  skip: skip || lacks('review'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const decide = async (name: string, decision: string) => {
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
    const path = `/-/lab/review/item?label=ann&pid=labid:${name}`;
    const { digest } = (await service.request('GET', path, { token: 'carl' })).json<{ digest: string }>();
    const json = [{ label: 'ann', pid: `labid:${name}`, digest, decision, reason: `About ${name}.` }];
    const { status } = await service.request('POST', '/-/lab/review/decisions', { token: 'carl', json });
    assert.equal(status, 200);
  };
  for (const name of ['abe', 'bea']) await decide(name, 'accept');
  const page = await open('lab/decisions', 'cora');
  const marked = (name: string) => page.locator('tr[aria-current]', { hasText: `About ${name}.` }).waitFor();
  await marked('bea');
  await page.keyboard.press('j');
  await marked('abe');
  await decide('cyd', 'reject');
  await untilNew(page, page.getByRole('row').nth(1).filter({ hasText: 'About cyd.' }));
  await marked('abe');
  await page.keyboard.press('k');
  await marked('bea');
  // A key that comes with the change, before the browser has painted it, counts from the row that is marked.
  await page.evaluate(
    `new MutationObserver((_, seen) => {
       if (!document.querySelector('main').textContent.includes('About dot.')) return;
       seen.disconnect();
       document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
     }).observe(document.body, { subtree: true, childList: true, characterData: true })`,
  );
  await decide('dot', 'reject');
  await marked('abe');
  assert.deepEqual(complaints, []);
});

test('the activity goes on by itself, and a tab that is not on the screen asks for nothing', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await curate(service, 'cora', 'abe');
  const page = await open('lab/stewardship/activity', 'cora');
  await page.getByRole('link', { name: 'abe' }).waitFor();
  await page.getByRole('link', { name: 'abe' }).focus();
  await follows(page);
  for (const name of ['bea', 'cyd']) await curate(service, 'carl', name);
  await untilNew(page, page.getByRole('link', { name: 'cyd' }));
  await page.getByRole('link', { name: 'bea' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'abe' }).count(), 1);
  await page.getByRole('link', { name: 'abe' }).and(page.locator(':focus')).waitFor();

  await page.clock.install();
  await page.reload();
  await page.getByRole('link', { name: 'abe' }).waitFor();
  const show = (state: string) =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
       document.dispatchEvent(new Event('visibilitychange'));`,
    );
  await settled(page);
  await show('hidden');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.clock.runFor(60_000);
  assert.deepEqual(asked, []);
  await curate(service, 'carl', 'dot');
  await show('visible');
  await page.getByRole('link', { name: 'dot' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('older entries follow on request in the history of a collection and of the configuration', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const json = Array.from({ length: 60 }, (_, n) => person(`p${10 + n}`));
  await service.request('POST', '/-/lab/curated/records/Person', { token: 'cora', json });
  const page = await open('lab/stewardship/activity', 'cora');
  const entries = page.getByRole('main').getByRole('link', { name: 'History', exact: true });
  await entries.nth(49).waitFor();
  await page.getByRole('button', { name: 'Older changes' }).click();
  await entries.nth(59).waitFor();
  assert.equal(await entries.count(), 60);
  assert.equal(await page.getByRole('button', { name: 'Older changes' }).count(), 0);

  const token = (await service.request('GET', '/tokens/nobody', { token: ADMIN })).json<object>();
  for (let n = 0; n < 55; n++) {
    const changed = { ...token, user_id: `nobody-${n}` };
    const { status, text } = await service.request('PUT', '/tokens', { token: ADMIN, json: changed });
    assert.ok(status < 300, text);
  }
  const admin = await open('admin/configuration', ADMIN);
  const changes = admin.locator('.events > li');
  await changes.nth(49).waitFor();
  await admin.getByRole('button', { name: 'Older changes' }).click();
  await changes.nth(55).waitFor();
  assert.deepEqual(complaints, []);
});
