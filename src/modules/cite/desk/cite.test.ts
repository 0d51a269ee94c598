/** The citation of a record in the desk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accessProblems,
  assertFits,
  PEOPLE,
  PHONE,
  skip,
  testDesk,
  untilNew,
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

test('a curator cites a release, and finds the page that visitors see', { skip }, async (t) => {
  const lab = { ...PEOPLE.collections!.lab, default_token: 'guest' };
  const tokens = { ...PEOPLE.tokens, guest: { lab: 'READ_CURATED' } };
  const { service, open, complaints } = await testDesk(t, { ...PEOPLE, collections: { lab }, tokens });
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const publish = { title: 'The lab', license: 'https://creativecommons.org/licenses/by/4.0/' };
  await service.request('PUT', '/-/lab/settings', { token: 'cora', json: { publish } });
  await service.request('POST', '/-/lab/releases', { token: 'cora', json: { name: 'v1' } });
  const page = await open('lab/stewardship/releases', 'cora', { ...PHONE, bypassCSP: true });
  await untilNew(page, page.getByText('Cite v1'));
  await page.getByText('Cite v1').click();
  await page.getByText(/^The lab \(\d{4}\)\. Version v1\./).waitFor();
  await page.getByLabel('Format of the citation').selectOption('RIS');
  await page.getByText('TY  - DATA').waitFor();
  await assertFits(page);
  assert.deepEqual(await accessProblems(page), []);
  const url = await page.getByRole('link', { name: /\/release\/v1$/ }).getAttribute('href');
  const visitor = await open('');
  await visitor.goto(url!);
  await visitor.getByRole('heading', { name: 'The lab' }).waitFor();
  await visitor.getByRole('link', { name: 'records.jsonl' }).waitFor();
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
