/** The queue of the desk with many submissions, and with colleagues who decide on them meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestService } from '../../../../test/support/app.ts';
import { hasValue, lookAway, settled, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const PEOPLE = {
  collections: { lab: {} },
  tokens: {
    ann: { lab: 'WRITE_COLLECTION' },
    bob: { lab: 'WRITE_COLLECTION' },
    cora: { lab: 'CURATOR' },
    carl: { lab: 'CURATOR' },
  },
};

async function submit(service: TestService, token: string, names: readonly string[]): Promise<void> {
  const { status } = await service.request('POST', '/-/lab/records/Person', {
    token,
    json: names.map((name) => person(name)),
  });
  assert.equal(status, 200);
}

/** Waits for the submission at a place of the queue: its place is known before the submission is read. */
async function atPlace(page: Page, text: string): Promise<void> {
  await page.getByText(text).waitFor();
  await page.locator('main .bones').waitFor({ state: 'detached' });
}

const numbered = (prefix: string, n: number) =>
  Array.from({ length: n }, (_, i) => `${prefix}${String(i + 1).padStart(3, '0')}`);

test('review walks the filter, the order and the place of the queue', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t, PEOPLE);
  await submit(service, 'ann', numbered('a', 230));
  await submit(service, 'bob', numbered('b', 20));
  const page = await open('lab/review?sort=-submitted', 'cora');
  await page.getByText('250 submissions').waitFor();
  await page.getByRole('link', { name: /^ann/ }).click();
  await page.getByText('230 submissions').waitFor();
  await page.keyboard.press('End');
  await page.locator('tr[data-row="229"] a').waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  const place = page.getByRole('main').locator('.crumbs .here');
  await atPlace(page, '227 of 230');
  const first = await page.getByRole('main').getByRole('heading', { level: 1 }).textContent();
  await page.keyboard.press('n');
  await atPlace(page, '228 of 230');
  await page.keyboard.press('a');
  await page
    .locator('.toast')
    .getByText(/^Accepted a/)
    .waitFor();
  await atPlace(page, '228 of 229');
  assert.match((await place.textContent()) ?? '', /228 of 229/);
  await page.keyboard.press('p');
  await page
    .getByRole('main')
    .getByRole('heading', { name: first ?? '', level: 1 })
    .waitFor();
  await page.keyboard.press('n');
  await atPlace(page, '228 of 229');
  const shown = await page.getByRole('main').getByRole('heading', { level: 1 }).textContent();
  await page.keyboard.press('Escape');
  await page.getByText('229 submissions').waitFor();
  assert.match(page.url(), /zone=ann/);
  await page.locator('tr[aria-current=true]', { hasText: shown ?? '' }).waitFor();
  await page.keyboard.press('a');
  await page.locator('.toast').getByText(`Accepted ${shown}.`).waitFor();
  await page.getByText('228 submissions').waitFor();
  await page.locator('tr[aria-current=true] a').waitFor();
  assert.deepEqual(complaints, []);
});

test('a search finds words of any value on the usual backend, and review stays within it', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t, PEOPLE);
  await submit(service, 'ann', numbered('a', 30));
  for (const name of ['zoe', 'yan']) {
    const json = person(name, { description: 'Studies the Möwen of Rügen.' });
    await service.request('POST', '/lab/record/Person', { token: 'bob', json });
  }
  const page = await open('lab/review', 'cora');
  await page.getByText('32 submissions').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('mowen rugen');
  await page.getByText('2 submissions', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await atPlace(page, '1 of 2');
  await page.keyboard.press('a');
  await atPlace(page, '1 of 1');
  await page.keyboard.press('Escape');
  await page.getByText('1 submission', { exact: true }).waitFor();
  await hasValue(page.getByRole('searchbox'), 'mowen rugen');
  await page.getByRole('searchbox').fill('nowhere');
  await page.getByRole('link', { name: 'Clear the filter' }).click();
  await page.getByText('31 submissions').waitFor();
  await hasValue(page.getByRole('searchbox'), '');
});

test('a decision of a colleague is seen without a reload, and no key falls on the row that takes its place', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t, PEOPLE);
  await submit(service, 'ann', ['abe', 'bea', 'cyd']);
  const item = async (pid: string) =>
    (await service.request('GET', `/-/lab/review/item?label=ann&pid=${pid}`, { token: 'carl' })).json<{
      digest: string;
    }>();
  const accept = async (pid: string) => {
    const json = { label: 'ann', pid, digest: (await item(pid)).digest, decision: 'accept' };
    assert.equal(
      (await service.request('POST', '/-/lab/review/decisions', { token: 'carl', json })).status,
      200,
    );
  };
  const queue = await open('lab/review', 'cora');
  await queue.getByText('3 submissions').waitFor();
  const review = await open('lab/review/item?label=ann&pid=labid%3Aabe', 'cora');
  await review.getByRole('heading', { name: 'abe' }).waitFor();
  await accept('labid:abe');
  await queue.getByText('2 submissions').waitFor();
  await queue.getByText(/was decided elsewhere/).waitFor();
  await queue.keyboard.press('a');
  await queue.getByText(/was decided elsewhere/).waitFor({ state: 'detached' });
  assert.equal(
    await queue.locator('.toast').count(),
    0,
    'the key has looked at the next row, and decided nothing',
  );
  await queue.keyboard.press('a');
  await queue.locator('.toast').getByText('Accepted bea.').waitFor();
  await review.getByText('accepted by carl@example.org', { exact: false }).waitFor();
  await review.getByRole('link', { name: /bea/ }).waitFor({ state: 'detached' });
  await review.keyboard.press('n');
  await review.getByRole('heading', { name: 'cyd' }).waitFor();
});

test('many are accepted in one step: the button has their number, and refusals lead to their submissions', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t, PEOPLE);
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('abe', { email: 'a@x.org' }),
  });
  await service.request('POST', '/lab/record/Person', {
    token: 'ann',
    json: person('abe', { email: 'b@x.org' }),
  });
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('abe', { email: 'c@x.org' }),
  });
  await submit(service, 'ann', ['bea', 'cyd']);
  const page = await open('lab/review?state=changed', 'cora');
  await page.getByText('No submission matches these filters.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Accept/ }).count(), 0);
  await page.getByRole('link', { name: 'Clear the filter' }).click();
  await page.getByRole('button', { name: /^Accept 2 new and valid/ }).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('a');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: '2 submissions decided' });
  await dialog.getByText('Conflicts are open. Choose a side for each.').waitFor();
  await dialog.getByRole('link', { name: 'abe' }).click();
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await page.getByText('0 of 1 conflict settled').waitFor();
});

test('the queue counts what waits once, and its list of keys has no key that does nothing', {
  skip,
}, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('lab/browse', 'cora');
  await page.getByRole('link', { name: 'Review' }).waitFor();
  // What is counted again every few seconds is no fault.
  await lookAway(page);
  await settled(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/review\/summary/.test(request.url())) asked.push(new URL(request.url()).search);
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Review' }).click();
  await page.getByRole('heading', { name: 'Review' }).waitFor();
  await settled(page);
  assert.ok(asked.filter((query) => query === '').length <= 1, asked.join(' '));
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('In the queue').waitFor();
  assert.equal(await dialog.locator('kbd').getByText('C', { exact: true }).count(), 0);
});
