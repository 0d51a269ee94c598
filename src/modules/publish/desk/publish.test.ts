/** Publishing a collection in the desk: what is set, what is missing, and where a record is found by everybody. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../../../../test/support/app.ts';
import {
  assertFits,
  hasValue,
  PEOPLE,
  PHONE,
  settled,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const PUBLIC = { ...PEOPLE, tokens: { ...PEOPLE.tokens, nobody: { lab: 'READ_CURATED' } } };

test('an administrator publishes a collection by keyboard, and is told what is missing', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, PUBLIC);
  const settings = { on_delete: 'refuse' };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json: settings });
  const page = await open('admin/publish/lab', ADMIN, PHONE);
  await page.locator('.bones').waitFor({ state: 'detached' });
  const missing = page.getByRole('region', { name: 'What is missing' });
  await missing.getByText('No license: others cannot know whether they may use the records.').waitFor();
  await assertFits(page);
  await page.getByLabel('Title').focus();
  await page.keyboard.type('People of the lab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('The lab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('CC BY');
  await page.keyboard.press('Enter');
  await page.locator('#publish-license-error').waitFor();
  await page.locator('#publish-license:focus').waitFor();
  const license = 'https://creativecommons.org/licenses/by/4.0/';
  await page.keyboard.press('Control+a');
  await page.keyboard.type(license);
  await page.keyboard.press('Tab');
  const base = 'https://example.org/lab/';
  await page.keyboard.type(base);
  await page.keyboard.press('Tab');
  const contact = 'data@example.org';
  await page.keyboard.type(contact);
  await page.keyboard.press('Enter');
  await page.locator('.toast').getByText('Saved how lab is published.').waitFor();
  await missing.getByText('Nothing is missing.').waitFor();
  const { json } = await service.request('GET', '/-/lab/settings', { token: ADMIN });
  const publish = { title: 'People of the lab', publisher: 'The lab', license, base, contact };
  const { on_delete, publish: stored } = json<Record<string, unknown>>();
  assert.deepEqual({ on_delete, publish: stored }, { ...settings, publish });
  const visitor = await open('');
  await visitor.getByRole('link', { name: contact }).waitFor();

  assert.deepEqual(complaints, []);
});

test('an administrator is led to what makes a collection public, and learns that another one does not exist', {
  skip,
}, async (t) => {
  const { open, url, complaints } = await testDesk(t, {
    collections: { lab: { default_token: 'nobody' } },
    tokens: { nobody: { lab: 'NOTHING' }, cora: { lab: 'CURATOR' } },
  });
  const page = await open('admin/publish/lab', ADMIN);
  await page.getByRole('link', { name: 'Make it public' }).click();
  await page.getByRole('button', { name: 'Make public…' }).waitFor();
  await page.getByRole('definition').getByRole('link', { name: 'nobody' }).click();
  await page.waitForURL(`${url}admin/tokens`);
  await page.goto(`${url}admin/collections/elsewhere`);
  await page.getByRole('heading', { name: 'There is no collection elsewhere.' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Collections', exact: true }).click();
  await page.getByRole('heading', { name: 'lab', exact: true }).waitFor();
  const curator = await open('lab/stewardship/publish', 'cora');
  await curator.getByText(/An administrator has to let them/).waitFor();
  assert.equal(await curator.getByRole('link', { name: 'Make it public' }).count(), 0);
  assert.deepEqual(complaints, []);
});

test('a record that visitors read shows its public address, and another one does not', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t, PUBLIC);
  const store = (area: string, name: string) =>
    service.request('POST', `/lab/${area}record/Person`, { token: 'cora', json: person(name) });
  await store('curated/', 'ada');
  await store('', 'bea');
  const page = await open('lab/record?pid=labid%3Aada', 'cora');
  const address = page.getByRole('region', { name: 'Public address' });
  const href = (await address.getByRole('link').getAttribute('href')) ?? '';
  assert.equal(href, `${new URL('/', url).href}-/lab/resource/labid:ada`);
  assert.equal((await fetch(href)).status, 200);
  await page.goto(`${url}lab/record?pid=labid%3Abea`);
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await settled(page);
  assert.equal(await address.count(), 0);
  assert.deepEqual(complaints, []);
});

test('the page says that visitors read nothing', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const page = await open('lab/stewardship/publish', 'cora');
  await page.getByText('The pages are not public', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Browse' }).click();
  await page.getByRole('link', { name: 'ada' }).first().click();
  await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
  await settled(page);
  assert.equal(await page.getByRole('region', { name: 'Public address' }).count(), 0);
});

test('what was typed is kept over a reload, until it is saved or discarded', { skip }, async (t) => {
  const { open, complaints } = await testDesk(t, PUBLIC);
  const page = await open('lab/stewardship/publish', 'cora');
  const publisher = page.getByLabel(/^Publisher/);
  const kept = page.getByText('What you edited before is still here.');
  await publisher.fill('The laboratory');
  await page.reload();
  await kept.waitFor();
  await hasValue(publisher, 'The laboratory');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.reload();
  await publisher.waitFor();
  await hasValue(publisher, '');
  await publisher.fill('The laboratory');
  await page.reload();
  await kept.waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast').getByText('Saved how lab is published.').waitFor();
  assert.equal(await kept.count(), 0);
  await page.reload();
  await publisher.waitFor();
  await hasValue(publisher, 'The laboratory');
  assert.equal(await kept.count(), 0);
  assert.deepEqual(complaints, []);
});
