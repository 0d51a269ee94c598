/** What another schema would change, in German. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

test('what would change in the schema and in records is in German for those who chose it', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const ada = person('ada', { email: 'ada@example.org', orcid: 'orcid:0000-0002-1825-0097' });
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: ada });
  const { text } = await service.request('GET', '/-/lab/schema', { token: 'cora' });
  const other = text
    .replace('slots: [email, homepage]', 'slots: [mail, homepage]')
    .replace(/^ {2}email:$/m, '  mail:\n    aliases: [email]')
    .replace(/( {6}family_name:\n {8}required: true)/, '$1\n      orcid:\n        required: true');
  const page = await open('lab/schema', 'cora');
  await page.evaluate('localStorage.setItem("accession.language", "de")');
  await page.goto(`${url}lab/schema`);
  await page
    .getByLabel('Eine Datei von diesem Rechner')
    .setInputFiles({ name: 'new.yaml', mimeType: 'application/yaml', buffer: Buffer.from(other) });
  await page.getByRole('button', { name: 'Was sich ändern würde' }).click();
  await page
    .getByText(/^Angabe „email“ von „\w+“ heißt jetzt „mail“\.$/)
    .first()
    .waitFor();
  await page.getByText('Angabe „orcid“ von „Person“: jetzt nötig.').waitFor();
  await page.getByText('Angabe email → mail').waitFor();
  assert.deepEqual(complaints, []);
});
