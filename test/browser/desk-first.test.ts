/** The first minutes: what a guest learns, and the first record of a collection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, hasValue, PHONE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';

useBrowser();

test('the first record of a class gets an identifier of the collection, else of the schema', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const page = await open('lab/new/Person', 'cora');
  await page.getByLabel(/^Name/).fill('Grace Hopper');
  await hasValue(page.getByLabel(/^Identifier/), 'lab:person-grace-hopper');
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  await page.goto(`${url}lab/new/Organization`);
  await page.getByLabel(/^Name/).fill('Norbury');
  await hasValue(page.getByLabel(/^Identifier/), 'labid:organization-norbury');
  assert.deepEqual(complaints, []);
});

test('a guest who follows a link learns what this is, what can be read, and whom to ask', {
  skip,
}, async (t) => {
  const { open, complaints } = await testDesk(t, {
    collections: {
      open: { default_token: 'reads' },
      shut: { default_token: 'nobody' },
    },
    tokens: {
      nobody: { shut: 'NOTHING' },
      reads: { open: 'READ_CURATED' },
      ann: { shut: 'WRITE_COLLECTION' },
    },
  });
  const page = await open('shut/record?pid=labid:ada', undefined, PHONE);
  await page.getByText('To read it, you need a token.').waitFor();
  await page.getByText(/A token is a secret text/).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'A small laboratory' }).waitFor();
  await assertFits(page);
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor();
  await page.getByText('To read it, you need a token.').waitFor();
  await page.getByText(/A token comes from the people/).waitFor();
  await assertFits(page);
  assert.deepEqual(complaints, []);
});

test('Home of a guest does not promise what no collection permits', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('');
  await page.getByText(/no collection can be read without a token/).waitFor();
  assert.equal(await page.getByText('Some collections can be read without a token').count(), 0);
});
