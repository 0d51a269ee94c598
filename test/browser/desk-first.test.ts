/** The first minutes: what a guest learns, and the first record of a collection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, hasValue, PHONE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

test('the first record of a class gets an identifier of the collection, else of the schema', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const page = await open('lab/new/Person', 'cora');
  await page.getByLabel(/^Name/).fill('Grace Hopper');
  await hasValue(page.getByLabel(/^Identifier/), 'lab:person-grace-hopper');
  await page.keyboard.press('Control+s');
  await page.reload();
  await page.getByText(/^Draft from .* restored/).waitFor();
  await page.getByLabel(/^Name/).fill('Grace M. Hopper');
  await hasValue(page.getByLabel(/^Identifier/), 'lab:person-grace-m-hopper');
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
  await page.getByText(/A token is a secret/).waitFor();
  const readable = page.getByRole('main').getByRole('listitem');
  await readable
    .filter({ has: page.getByRole('link', { name: 'A small laboratory' }), hasText: 'open' })
    .waitFor();
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

test('four steps show a new submitter and a new curator around, are left, and found again', {
  skip: skip || lacks('review') || lacks('tables'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const steps = async (token: string, titles: readonly string[]) => {
    const page = await open('', token, PHONE);
    const tour = page.getByRole('region', { name: 'First steps' });
    await tour.getByRole('button', { name: 'Show me' }).click();
    for (const [index, title] of titles.entries()) {
      await tour.getByText(`Step ${index + 1} of ${titles.length}: ${title}`).waitFor();
      await tour.getByRole('link', { name: 'Go there' }).click();
      await page.waitForURL(/\/lab\//);
      const isLast = index + 1 === titles.length;
      await tour.getByRole('button', { name: isLast ? 'Finish' : 'Next' }).click();
    }
    await tour.waitFor({ state: 'detached' });
    return page;
  };
  const page = await steps('ann', ['Look around.', 'A new person.', 'Many at once.', 'What became of it.']);
  await page.getByRole('heading', { name: 'My submissions' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByRole('button', { name: 'First steps' }).click();
  await page.getByText('Step 1 of 4: Look around.').waitFor();
  await assertFits(page);
  await page.getByRole('button', { name: 'Leave the first steps' }).click();
  await steps('cora', ['What waits.', 'Decide.', 'Edit in the table.', 'Keep it in order.']);
  assert.deepEqual(complaints, []);
});

test('help leads to the part of the documentation about the view', {
  skip: skip || lacks('notify') || lacks('overview'),
}, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('lab/browse/Person', 'ann', PHONE);
  await page.getByRole('heading', { level: 1, name: /Person/ }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('link', { name: 'Help with this view' }).click();
  await page.getByRole('heading', { name: 'Browse', exact: true }).and(page.locator(':focus')).waitFor();
  await page.getByText(/^The tree lists classes/).waitFor();
  await assertFits(page);
  for (const [view, heading] of [
    ['inbox', 'Inbox'],
    ['overview', 'Overview'],
  ] as const) {
    await page.goto(`${url}lab/${view}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('link', { name: 'Help with this view' }).click();
    await page.getByRole('heading', { level: 2, name: heading }).and(page.locator(':focus')).waitFor();
  }
  assert.deepEqual(complaints, []);
});
