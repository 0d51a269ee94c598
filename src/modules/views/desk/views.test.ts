/** Saved views in the desk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, PHONE, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

test('a curator saves a view for everybody, with its columns and its order; a reader opens it on a phone', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (const name of ['ada', 'bo'])
    await service.request('POST', '/lab/curated/record/Person', {
      token: 'cora',
      json: person(name, { email: `${name}@example.org`, given_name: 'Given' }),
    });
  const curator = await open('lab/browse/Person?sort=-name&columns=email&is.given_name=Given', 'cora');
  await curator.getByText('2 records').waitFor();
  const heads = (await curator.locator('thead th').allTextContents()).map((text) => text.trim());
  assert.equal(heads.filter((text) => /^(Email|Given name|Family name)/.test(text)).length, 1, heads.join());
  await curator.getByRole('button', { name: 'Views' }).click();
  await curator.getByText('No view is saved yet.').waitFor();
  await curator.keyboard.type('Addresses');
  await curator.getByLabel('Save it for all who may read this class').check();
  await curator.keyboard.press('Control+Enter');
  await curator.locator('.toast').getByText('Saved the view Addresses.').waitFor();
  await curator.getByRole('dialog').waitFor({ state: 'detached' });

  const bar = curator.getByRole('navigation', { name: 'Views' });
  await bar.getByRole('link', { name: 'Addresses' }).click();
  await bar.locator('[aria-current=page]').getByText('Addresses').waitFor();

  const reader = await open('lab/browse/Person', 'reader', PHONE);
  await reader.getByText('2 records').waitFor();
  await reader.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Addresses' }).waitFor();
  const cut =
    "[...document.querySelectorAll('.tools')].filter((one) => one.scrollWidth > one.clientWidth).length";
  assert.equal(await reader.evaluate(cut), 0, 'all tools are in sight');
  await reader.getByRole('button', { name: 'Views' }).click();
  await reader.getByRole('button', { name: 'Addresses', exact: true }).waitFor();
  assert.equal(await reader.getByRole('button', { name: 'Delete the view Addresses' }).count(), 0);
  assert.equal(await reader.getByLabel('Save it for all who may read this class').count(), 0);
  await assertFits(reader);
  await reader.getByRole('button', { name: 'Addresses', exact: true }).click();
  await reader.getByRole('list', { name: 'Filters' }).getByText('Given name: Given').waitFor();
  assert.match(reader.url(), /sort=-name/);
  assert.match(reader.url(), /columns=email/);

  await curator.getByRole('button', { name: 'Views' }).click();
  await curator.getByRole('region', { name: 'For everybody' }).getByText('Addresses').waitFor();
  await curator.getByRole('button', { name: 'Delete the view Addresses' }).click();
  await curator.getByText('No view is saved yet.').waitFor();
  const { text } = await service.request('GET', '/-/lab/views?class=Person', { token: 'reader' });
  assert.equal(text, '{"items":[]}');
});
