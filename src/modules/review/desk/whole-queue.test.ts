/** Decisions and questions about all that a filter of the queue selects, not only the rows that are loaded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestService } from '../../../../test/support/app.ts';
import {
  accessProblems,
  assertFits,
  intercept,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const MANY = 130;
const CONFLICTS = 3;

async function fill(service: TestService): Promise<void> {
  const post = async (token: string, path: string, json: object[]) => {
    const { status } = await service.request('POST', `/-/lab/${path}records/Person`, { token, json });
    assert.equal(status, 200);
  };
  const names = Array.from({ length: MANY }, (_, i) => `p${1000 + i}`);
  const torn = names.slice(0, CONFLICTS);
  await post(
    'cora',
    'curated/',
    torn.map((name) => person(name, { email: 'old@example.org' })),
  );
  await post(
    'ann',
    '',
    names.map((name) => person(name, { email: 'new@example.org' })),
  );
  await post(
    'cora',
    'curated/',
    torn.map((name) => person(name, { email: 'other@example.org' })),
  );
}

const waiting = async (service: TestService, query = '') =>
  (await service.request('GET', `/-/lab/review/summary${query}`, { token: 'cora' })).json<{ total: number }>()
    .total;

test('all of the filter are accepted: the dialog says how many have conflicts, and one undo brings all back', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await fill(service);
  const page = await open('lab/review', 'cora', { bypassCSP: true });
  await page.getByText(`${MANY} submissions`, { exact: true }).waitFor();
  await page.getByRole('link', { name: 'p1001' }).first().waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText(/that are loaded are selected/).waitFor();
  await page.getByRole('button', { name: `Select all ${MANY}` }).click();
  await page.getByText(`All ${MANY} are selected.`).waitFor();
  assert.deepEqual(await accessProblems(page), []);
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${CONFLICTS} of them have conflicts`).waitFor();
  await dialog.getByRole('button', { name: new RegExp(`^Accept ${MANY - CONFLICTS}`) }).waitFor();
  assert.deepEqual(await accessProblems(page), []);
  await page.keyboard.press('Control+Enter');
  await dialog.getByRole('heading', { name: `${MANY - CONFLICTS} submissions decided` }).waitFor();
  assert.equal(await dialog.getByText('Conflicts are open. Choose a side for each.').count(), CONFLICTS);
  assert.equal(await waiting(service), CONFLICTS);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The second request of the undo does not reach the service, nor does it when it is sent again: what is left stays an undo.
  let requests = 0;
  await intercept(page, '**/review/decisions/undo', (route) => {
    requests += 1;
    return requests === 2 || requests === 3 ? route.fulfill({ status: 502 }) : route.continue();
  });
  await page.keyboard.press('u');
  await page.locator('.toast').getByText('Undone: 100 submissions wait again.').waitFor();
  assert.equal(await waiting(service), CONFLICTS + 100);
  await page.keyboard.press('u');
  await page
    .locator('.toast')
    .getByText(`Undone: ${MANY - CONFLICTS - 100} submissions wait again.`)
    .waitFor();
  assert.equal(await waiting(service), MANY);
  assert.equal(requests, 4, 'one request for up to 100');
  assert.deepEqual(complaints, []);
});

test('of what a curator has decided, no list that arrives later says that it was decided elsewhere', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const names = ['amy', 'bob', 'cyd'];
  for (const name of names)
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  const page = await open('lab/review', 'cora');
  await page.getByRole('link', { name: 'cyd' }).first().waitFor();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('k');
  const { promise, resolve } = Promise.withResolvers<void>();
  await intercept(
    page,
    ({ pathname }) => pathname.endsWith('/review/'),
    (route) => promise.then(() => route.continue()),
  );
  await page.keyboard.press('a');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('.toast').getByText('2 submissions decided').waitFor();
  await page.getByRole('link', { name: 'amy' }).first().waitFor();
  resolve();
  await page.getByText('1 submission', { exact: true }).waitFor();
  assert.equal(await page.getByText(/decided elsewhere/).count(), 0);
  await page.keyboard.press('a');
  await page.locator('.toast').getByText('Accepted cyd.').waitFor();
  assert.deepEqual(complaints, []);
});

test('if the answer to decisions is lost, the dialog says that some may be made, and another try makes none twice', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['bea', 'cleo'])
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  const page = await open('lab/review', 'cora');
  await page.getByRole('link', { name: 'cleo' }).waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Accept 2/ }).waitFor();
  await intercept(page, '**/review/decisions', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(/some may be decided/).waitFor();
  assert.equal(await waiting(service), 0);
  await page.unroute('**/review/decisions');
  await dialog.getByRole('button', { name: /^Accept 2/ }).click();
  await dialog.getByRole('heading', { name: '0 submissions decided' }).waitFor();
  const made = await service.request('GET', '/-/lab/review/decisions', { token: 'cora' });
  assert.equal(made.json<{ items: unknown[] }>().items.length, 2);
  assert.deepEqual(complaints, []);
});

test('the submitters of all that a filter selects are asked for changes, and all are rejected with one reason', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  await fill(service);
  const page = await open('lab/review?state=new', 'cora', PHONE);
  const total = MANY - CONFLICTS;
  await page.getByText(`${total} submissions`, { exact: true }).waitFor();
  await page.getByRole('link', { name: 'p1010' }).first().waitFor();
  await page.keyboard.press('x');
  await page.keyboard.press('q');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Write to the submitter of 1 submission' }).waitFor();
  await assertFits(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+a');
  await page.getByText(`All ${total} are selected.`).waitFor();
  await assertFits(page);
  await page.keyboard.press('q');
  await dialog.getByRole('heading', { name: `Write to the submitters of ${total} submissions` }).waitFor();
  assert.ok(await dialog.getByLabel('I ask for changes').isChecked());
  await dialog.getByLabel('Text').fill('Which lab?');
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').getByText(`Written about ${total} submissions`).waitFor();
  assert.equal(await waiting(service, '?requested=changes'), total);
  assert.equal(await waiting(service), MANY, 'nothing is decided');

  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+a');
  await page.getByText(`All ${total} are selected.`).waitFor();
  await page.keyboard.press('r');
  await dialog.getByLabel('Reason').fill('Not ours.');
  await dialog.getByRole('button', { name: new RegExp(`^Reject ${total}`) }).click();
  await page.locator('.toast').getByText(`${total} submissions decided`).waitFor();
  assert.equal(await waiting(service), CONFLICTS);
  assert.equal(await waiting(service, '?standing=rejected'), total);
});

test('selected rows with conflicts are counted, and not accepted if they are all', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await fill(service);
  const page = await open('lab/review?state=diverged', 'cora');
  await page.getByText(`${CONFLICTS} submissions`, { exact: true }).waitFor();
  await page.getByRole('link', { name: 'p1001' }).first().waitFor();
  await page.keyboard.press('Control+a');
  assert.equal(await page.getByText('are selected').count(), 0, 'there are no others');
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${CONFLICTS} of them have conflicts`).waitFor();
  await dialog.getByRole('heading', { name: `All ${CONFLICTS} submissions have conflicts` }).waitFor();
  assert.equal(await dialog.getByRole('button', { name: /^Accept/ }).count(), 0);
});

test('a decision without a connection is said to be unknown, and the next one not to be made', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  await fill(service);
  const page = await open('lab/review?state=new', 'cora');
  await page.getByRole('link', { name: 'p1010' }).first().waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('a');
  await page.getByRole('alert').getByText('it is not known what became of “p1003”').waitFor();
  await page.keyboard.press('a');
  await page.getByRole('alert').getByText('Not done: “p1003” is as it was').waitFor();
  await page.context().setOffline(false);
  assert.equal(await waiting(service), MANY);
});
