/** Work in the desk that is interrupted: drafts on records that change, a service that is away, a new release. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasValue, intercept, skip, testDesk, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';

useBrowser();

test('a draft on a record that a colleague has changed opens as a difference and reverts nothing', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const store = (token: string, more: object) =>
    service.request('POST', '/lab/curated/record/Person', { token, json: person('ada', more) });
  const email = async () =>
    (await service.request('GET', '/lab/curated/record?pid=labid:ada', { token: 'cora' })).json<object>();
  await store('cora', { email: 'old@example.org', given_name: 'Ada' });
  const page = await open('lab/edit?pid=labid%3Aada', 'cora');
  await page.getByLabel('Given name').fill('Augusta');
  await page.getByText(/Draft kept in this browser/).waitFor();
  await store('carl', { email: 'new@example.org', given_name: 'Ada' });
  await page.reload();
  await page.getByText('The record has changed since this draft was begun.', { exact: false }).waitFor();
  await page.locator(':focus').filter({ hasText: 'has changed since' }).waitFor();
  await page.reload();
  await page.getByText('The record has changed since this draft was begun.', { exact: false }).waitFor();
  assert.equal(await page.getByRole('main').getByRole('button', { name: /^Save/ }).count(), 0);
  await page.keyboard.press('Control+Enter');
  await hasValue(page.getByLabel(/^Email/), 'new@example.org');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Saved ada.').first().waitFor();
  assert.deepEqual(await email(), {
    ...person('ada', { email: 'new@example.org', given_name: 'Augusta' }),
    schema_type: 'schema:Person',
  });
  assert.ok(url);
  assert.deepEqual(complaints, []);
});

test('while the service is away the rows stay, and everything goes on by itself when it returns', {
  skip,
}, async (t) => {
  const { service, open, url } = await testDesk(t);
  const submit = (name: string) =>
    service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  for (const name of ['abe', 'bea']) await submit(name);
  const page = await open('lab/review', 'cora');
  await page.getByText('2 submissions').waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('a');
  await page.getByText('The service does not respond.', { exact: false }).first().waitFor();
  await page.getByRole('link', { name: 'abe' }).waitFor();
  await submit('cyd');
  await page.context().setOffline(false);
  await page.getByText('Next try in', { exact: false }).waitFor({ state: 'detached' });
  await page.getByText('3 submissions').waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('Enter');
  await page.getByText('Next try in', { exact: false }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  assert.ok(url);
});

test('a view that another release does not have any more says to reload, and one that is slow shows its frame', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('', undefined);
  await page.getByText('You are not signed in.').waitFor();
  await intercept(page, '**/assets/chunk-*.js', (route) => route.fulfill({ status: 404, body: '' }));
  await page.evaluate(
    `history.pushState(null, '', '${url}lab/submissions'); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.getByRole('main').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Token', { exact: true }).fill('ann');
  await page.keyboard.press('Enter');
  await page.getByText('If the desk was updated meanwhile, reload this tab.', { exact: false }).waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'My submissions' }).waitFor();
  assert.deepEqual(
    complaints.filter((one) => !/404|Failed to fetch/.test(one)),
    [],
  );
});

test('a page shows its frame before a file of it is there, and asks for the files at once', {
  skip,
}, async (t) => {
  const { open, url } = await testDesk(t);
  const page = await open('', 'ann');
  const asked: string[] = [];
  await intercept(page, '**/assets/*.js', (route) => {
    asked.push(route.request().url());
  });
  await page.goto(`${url}lab/record?pid=labid%3Aada`, { waitUntil: 'commit' });
  await page.locator('.bone').first().waitFor();
  assert.ok(asked.length > 1, asked.join(' '));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('what is saved while a record is changed and changed back is stored without another click', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  const store = (more: object = {}) =>
    service.request('POST', '/lab/curated/record/Person', { token: 'carl', json: person('ada', more) });
  await store();
  const page = await open('lab/edit?pid=labid%3Aada', 'cora');
  await page.getByLabel('Description').fill('New.');
  await intercept(
    page,
    '**/lab/curated/record/**',
    async (route) => {
      await store({ email: 'changed@example.org' });
      await intercept(
        page,
        /\/lab\/record\?/,
        async (read) => {
          await store();
          await read.continue();
        },
        { times: 1 },
      );
      await route.continue();
    },
    { times: 1 },
  );
  await page.keyboard.press('Control+Enter');
  await page.getByText('Saved ada.').first().waitFor();
  const stored = await service.request('GET', '/lab/curated/record?pid=labid:ada', { token: 'cora' });
  assert.equal(stored.json<{ description: string }>().description, 'New.');
});
