/** The citation of a record in the desk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accessProblems,
  assertFits,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

test('a reader takes the citation of a record in another format', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const page = await open('lab/record?pid=labid:ada', 'reader', PHONE);
  const section = page.getByRole('region', { name: 'Cite this' });
  await section.getByText(/^ada \(\d{4}\)\. lab\./).waitFor();
  await section.getByLabel('Format of the citation').selectOption('BibTeX');
  await section.getByText('@dataset{labid-ada,').waitFor();
  await section.getByRole('button', { name: 'Copy the citation' }).waitFor();
  await assertFits(page);
  assert.deepEqual(complaints, []);
});

test('a curator says in the settings who made the collection, who paid for it, and its DOI', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const json = { cite: { dois: { v1: '10.5072/lab.v1' }, creators: [{ name: 'Old, Name' }] } };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json });
  const page = await open('lab/stewardship/settings', 'cora', { ...PHONE, bypassCSP: true });
  const form = page.getByRole('region', { name: 'Citations' });
  await form.getByRole('button', { name: 'Remove Creator 1' }).click();
  await form.getByRole('button', { name: 'Add a creator' }).click();
  await form.getByLabel('Name').fill('Hopper, Grace');
  await form.getByLabel('ORCID iD').fill('0000-0002-1825-0097');
  await form.getByRole('button', { name: 'Add a funder' }).click();
  await form.getByRole('group', { name: 'Funder 1' }).getByLabel('Name').fill('Example Foundation');
  await form.getByLabel('DOI of the collection').fill('lab');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.locator('.note, [role=alert]').first().waitFor();
  await form.getByLabel('DOI of the collection').fill('10.5072/lab');
  await assertFits(page);
  assert.deepEqual(await accessProblems(page), []);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast').getByText('Saved').waitFor();
  const { cite } = (await service.request('GET', '/-/lab/settings', { token: 'cora' })).json<{
    cite: object;
  }>();
  assert.deepEqual(cite, {
    creators: [{ name: 'Hopper, Grace', orcid: '0000-0002-1825-0097' }],
    doi: '10.5072/lab',
    dois: { v1: '10.5072/lab.v1' },
    funders: [{ name: 'Example Foundation' }],
  });
  assert.deepEqual(complaints, []);
});
