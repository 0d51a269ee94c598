/** The citation of a record in the desk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, PHONE, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
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
