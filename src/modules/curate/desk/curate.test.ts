/** Curation in the desk: duplicates, merges, renames, missing records, faults, slots that name one real thing. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, type TestService } from '../../../../test/support/app.ts';
import { accessProblems, settled, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { organization, person } from '../../../../test/support/people.ts';
import { BEFORE, GONE } from '../../../../test/support/schemas.ts';

useBrowser();

async function curate(service: TestService, className: string, json: object): Promise<void> {
  const { status, text } = await service.request('POST', `/lab/curated/record/${className}`, {
    token: 'cora',
    json,
  });
  assert.equal(status, 200, text);
}

async function curated(service: TestService, name: string): Promise<Record<string, unknown> | null> {
  return (await service.request('GET', `/lab/curated/record?pid=labid:${name}`, { token: 'cora' })).json();
}

test('a duplicate is found by its identifier, merged with a choice for each contradiction, and taken back', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const orcid = 'orcid:0000-0002-1825-0097';
  await curate(service, 'Person', person('ada', { orcid, email: 'ada@example.org', given_name: 'Ada' }));
  await curate(service, 'Person', person('adda', { orcid, email: 'adda@example.org', name: 'Adda' }));
  await curate(service, 'Person', person('bo', { name: 'Bo' }));
  const authors = ['labid:ada', 'labid:adda'];
  await curate(service, 'Publication', { pid: 'labid:paper', title: 'Both are authors', authors });

  const page = await open('lab/stewardship/settings', 'cora');
  const people = page.getByRole('group', { name: 'Person' });
  await people.getByLabel('ORCID iD').check();
  const identifying = page.getByRole('region', { name: 'Slots that name one real thing' });
  await identifying.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast').getByText('Saved the settings.').waitFor();
  const settings = await service.request('GET', '/-/lab/settings', { token: 'cora' });
  assert.deepEqual(settings.json(), { on_delete: 'warn', identifying_slots: { Person: ['orcid'] } });

  await page.goto(url);
  await page.getByRole('link', { name: /1 possible duplicate/ }).click();
  await page.getByText('Same ORCID iD').waitFor();
  await page.getByRole('link', { name: 'Merge… ada and Adda' }).click();
  await page.getByText('Both records have').waitFor();
  await page.getByRole('table', { name: 'Values in which both records differ.' }).waitFor();
  await page.getByRole('radio', { name: 'Goes away: Email' }).check({ force: true });
  await page.getByRole('radio', { name: 'Stays: Name' }).check({ force: true });
  await page.getByRole('radio', { name: 'Stays: Family name' }).check({ force: true });
  await page.getByText('3 records are changed').waitFor();
  await page.getByText('1 reference would be twice in its list and is kept once:').waitFor();
  await page.getByText('/authors/1').waitFor();
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.locator('.toast').getByText('Merged Adda into ada.').waitFor();
  assert.equal((await curated(service, 'ada'))?.email, 'adda@example.org');
  assert.equal((await curated(service, 'ada'))?.given_name, 'Ada');
  await page.goto(`${url}lab/record?pid=labid:adda`);
  await page.getByText('Renamed or merged. The identifier was labid:adda').waitFor();
  await page.getByRole('button', { name: 'Copy the identifier' }).waitFor();
  await page.getByRole('main').getByText('labid:ada', { exact: true }).first().waitFor();

  await page.goto(`${url}lab/stewardship/moves`);
  await page.getByRole('button', { name: 'Undo: Merge labid:adda' }).click();
  await page.getByText('No record was renamed or merged.').waitFor();
  assert.equal((await curated(service, 'ada'))?.email, 'ada@example.org');
  await page.goto(`${url}lab/stewardship`);
  await page.getByRole('button', { name: 'They are different: ada and Adda' }).click();
  await page.getByText('No pair of records looks like the same thing.').waitFor();

  // Both records of a merge can be found by name.
  await page.goto(`${url}lab/merge`);
  await page.getByLabel('Record that stays').fill('ada');
  await page.getByRole('button', { name: /labid:ada$/ }).click();
  // Enter takes the first one, also if it is pressed before that is there.
  await page.getByLabel('Record that goes away').fill('bo');
  await page.keyboard.press('Enter');
  await page.waitForURL(/drop=labid%3Abo$/);
  await page.getByText('Both records have').waitFor();
  assert.deepEqual(complaints, []);
});

test('a record is renamed with what refers to it, and a missing record leads to the form', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  await curate(service, 'Organization', organization('norbury'));
  await curate(service, 'Person', person('ada', { affiliations: ['labid:norbury', 'labid:gone'] }));
  const page = await open('lab/record?pid=labid:norbury', 'cora');
  await page.getByRole('link', { name: 'Rename…' }).click();
  await page.getByLabel('New identifier').fill('labid:university');
  await page.getByRole('button', { name: 'What changes' }).click();
  await page.getByText('2 records are changed').waitFor();
  await page.getByRole('region', { name: 'What changes' }).getByRole('link', { name: /ada/ }).waitFor();
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.waitForURL(/record\?pid=labid%3Auniversity$/);
  await page.locator('.toast').getByText('Renamed labid:norbury to labid:university.').waitFor();
  assert.deepEqual((await curated(service, 'ada'))?.affiliations, ['labid:university', 'labid:gone']);
  await page.goto(`${url}lab/rename?pid=labid%3Agone`);
  await page.getByRole('heading', { name: 'There is no such record.' }).waitFor();
  await page.getByLabel('New identifier').waitFor({ state: 'detached' });

  await page.goto(url);
  await page.getByRole('link', { name: /1 missing record/ }).click();
  await page.getByRole('row', { name: /ada.*Affiliations: labid:gone/ }).waitFor();
  await page.getByRole('link', { name: 'Correct: labid:ada' }).click();
  await page.getByRole('heading', { name: 'Edit ada' }).waitFor();
  await page.goto(`${url}lab/stewardship/faults`);
  await page.getByText('Every record fits the schema.').waitFor();

  const json = person('cy', { name: 'Cy Hill', affiliations: ['labid:university', 'labid:lost'] });
  await service.request('POST', '/lab/record/Person', { token: 'ann', json });
  await page.goto(`${url}lab/stewardship/dangling`);
  await page.getByRole('row', { name: /cy ann Affiliations: labid:lost/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a record that does not fit the schema says so, why, and leads to its form', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-schema-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const schema = join(folder, 'schema.yaml');
  writeFileSync(schema, BEFORE);
  const { service, open, complaints } = await testDesk(t, {
    collections: { c: { schema, backend: { type: 'sqlite' } } },
    tokens: { cora: { c: 'CURATOR' }, reader: { c: 'READ_CURATED' } },
  });
  for (const json of [
    { pid: 'ex:ada', mail: 'a@x.org' },
    { pid: 'ex:bob', mail: 'b@x.org', nick: 'Bobby' },
  ]) {
    const path = '/c/curated/record/Person';
    const { status, text } = await service.request('POST', path, { token: 'cora', json });
    assert.equal(status, 200, text);
  }
  writeFileSync(schema, GONE);
  const json = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
  await service.request('PUT', '/collections/c', { token: ADMIN, json });
  const faults = async (pid: string) =>
    (await service.request('GET', `/-/c/faults?pid=${pid}`, { token: 'cora' })).json<{ total: number }>();
  await eventually('the record is checked', async () => (await faults('ex:bob')).total === 1);
  assert.equal((await faults('ex:ada')).total, 0);

  const page = await open('c/record?pid=ex%3Abob', 'cora', { bypassCSP: true });
  const note = page.getByRole('note').filter({ hasText: 'This record does not fit the schema.' });
  await note.getByText(/nick/).waitFor();
  assert.deepEqual(await accessProblems(page), []);
  await note.getByRole('link', { name: 'Correct' }).click();
  await page.getByRole('heading', { name: /^Edit/ }).waitFor();
  const reader = await open('c/record?pid=ex%3Abob', 'reader');
  await reader.getByText('Bobby').waitFor();
  await settled(reader);
  assert.equal(await reader.getByText('does not fit').count(), 0);
  assert.deepEqual(complaints, []);
});

test('duplicates say what they compare, and propose slots that may name one real thing', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const orcid = 'orcid:0000-0002-1825-0097';
  await curate(service, 'Person', person('ada', { orcid }));
  await curate(service, 'Person', person('maria', { orcid }));
  const page = await open('lab/stewardship/duplicates', 'cora', { bypassCSP: true });
  await page.getByText('Only names are compared').waitFor();
  await page.getByText('No pair of records looks like the same thing.').waitFor();
  assert.equal(await page.locator('main .empty svg').count(), 0, 'nothing says that all is well');
  assert.deepEqual(await accessProblems(page), []);
  await page.getByRole('button', { name: 'Compare ORCID iD of Person, too' }).click();
  await page.getByRole('link', { name: 'Merge… ada and maria' }).waitFor();
  await page.getByText('Compared are the values of ORCID iD (Person)').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Compare ORCID/ }).count(), 0);
  await page.getByRole('link', { name: 'Change this in Settings' }).click();
  assert.ok(await page.getByRole('group', { name: 'Person' }).getByLabel('ORCID iD').isChecked());
  assert.equal(await page.getByLabel('Open access').count(), 0, 'a truth value names nothing');
  assert.deepEqual(complaints, []);
});

test('a merge with a record that does not exist says so', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('bob') });
  const page = await open('lab/merge?keep=labid%3Anone&drop=labid%3Abob', 'cora');
  await page.getByRole('main').getByRole('alert').getByText('labid:none').waitFor();
  await settled(page);
  assert.deepEqual(complaints, []);
});
