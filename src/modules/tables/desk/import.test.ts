/** The import of a table in the desk: file, columns, rows, result. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { hasValue, loseAnswer, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { organization, person } from '../../../../test/support/people.ts';

useBrowser();

async function choose(page: Page, text: string, name = 'people.csv'): Promise<void> {
  await page.getByLabel('Class', { exact: true }).selectOption('Person');
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
}

const rowOf = (page: Page, number: number) =>
  page.getByRole('row').filter({ has: page.getByRole('cell', { name: String(number), exact: true }) });

test('columns are mapped by title, skipped or chosen; rows say what is new, changed and removed', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const ada = person('ada', { name: 'Ada Abe', email: 'ada@example.org', given_name: 'Ada' });
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: ada });
  const page = await open('lab/upload', 'ann');
  await choose(
    page,
    'Identifier,Name,Family name,E-mail,Given name,Shoe size\n' +
      'labid:ada,Ada Abe,ada,new@example.org,,38\n,Bo Bell,Bell,,,40\n,Cy Cole,,,Cy,\n',
  );
  await page.getByRole('heading', { name: 'Columns' }).waitFor();
  const goesTo = (header: string) => page.getByLabel(`Goes to: ${header}`);
  await hasValue(goesTo('Family name'), 'family_name');
  await hasValue(goesTo('Shoe size'), '', 'an unknown column is skipped');
  await page.getByText('1 column is skipped.').waitFor();
  await page.getByRole('button', { name: 'Check the rows' }).click();

  await page.getByRole('button', { name: 'All 3' }).waitFor();
  await rowOf(page, 2).getByText('Changed').waitFor();
  assert.match(
    (await rowOf(page, 2).textContent()) ?? '',
    /Email.*ada.*new.*@example\.org.*Given name removes.*Ada/,
  );
  assert.match((await rowOf(page, 3).textContent()) ?? '', /labid:person-bo-bell · new identifier/);
  await page.getByRole('button', { name: 'With problems 1' }).click();
  await page.getByLabel('Column Family name in row 4').fill('Cole');
  await page.getByLabel('Column Family name in row 4').press('Enter');
  await page.getByRole('button', { name: 'With problems 0' }).waitFor();

  await page.getByLabel('Name of this batch').fill('autumn');
  await page.getByLabel('Message to the curators').fill('From the field trip.');
  const submitting = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().includes('batch=autumn'),
  );
  await page.getByRole('button', { name: 'Submit 3 rows' }).click();
  const { searchParams } = new URL((await submitting).url());
  assert.equal(searchParams.get('message'), 'From the field trip.');
  await page.getByRole('main').getByText('Submitted 3 records.').waitFor();
  const zone = await service.request('GET', '/lab/incoming/ann/records/', { token: 'cora' });
  assert.deepEqual(
    zone
      .json<{ pid: string; email?: string }[]>()
      .map(({ pid, email }) => [pid, email])
      .sort(([a = ''], [b = '']) => a.localeCompare(b)),
    [
      ['labid:ada', 'new@example.org'],
      ['labid:person-bo-bell', undefined],
      ['labid:person-cy-cole', undefined],
    ],
  );
  assert.deepEqual(complaints, []);
});

test('rows with problems stay: had as a file, mended, submitted; what is stored already is not sent', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: { ...person('x'), pid: 'labid:person-dee', name: 'Another Dee' },
  });
  const page = await open('lab/upload', 'ann');
  await choose(
    page,
    'pid;name;family_name;ORCID iD\nlabid:ada;ada;ada;\nlabid:b;Bo;Bo;orcid:1\n;Dee;Dee;\n;Dee;Dee;\n',
  );
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await rowOf(page, 2).getByText('As stored').waitFor();
  assert.match(
    (await rowOf(page, 4).textContent()) ?? '',
    /labid:person-dee-2/,
    'a taken identifier gets a number',
  );
  assert.match(
    (await rowOf(page, 5).textContent()) ?? '',
    /labid:person-dee-3/,
    'also if a row has taken it',
  );
  await page.getByRole('button', { name: 'Submit 2 rows' }).click();
  await page.getByText('1 row has problems and was not submitted.').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Rows with problems as a file' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  assert.match(
    text,
    /^\ufeffpid,name,family_name,ORCID iD,! Problem\r\nlabid:b,Bo,Bo,orcid:1,.*ORCID iD: .*orcid:1/,
  );
  await page.getByRole('button', { name: 'Correct them here' }).click();
  await page.getByLabel('Column ORCID iD in row 3').fill('');
  await page.getByLabel('Column ORCID iD in row 3').press('Enter');
  await page.getByRole('button', { name: 'Submit 1 row' }).click();
  await page.getByRole('main').getByText('Submitted 1 record.').waitFor();
  const stored = await service.request('GET', '/-/lab/search?class=Person&sort=pid', { token: 'ann' });
  assert.deepEqual(
    stored.json<{ items: { pid: string }[] }>().items.map(({ pid }) => pid),
    ['labid:ada', 'labid:b', 'labid:person-dee', 'labid:person-dee-2', 'labid:person-dee-3'],
  );
});

test('a file that is none is refused in words, and the same file can be chosen again', {
  skip,
}, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  await choose(page, 'not a table', 'people.xlsx');
  await page.getByText('This is not an XLSX file').waitFor();
  await choose(page, '');
  await page.getByText('The file is empty.').waitFor();
  await choose(page, 'name\nBo\n');
  await page.getByText('No column has a value that every record needs: Family name.').waitFor();
  await page.getByRole('button', { name: 'Another file' }).click();
  const input = page.getByLabel('File', { exact: true });
  await input.setInputFiles({ name: 'a.xlsx', mimeType: 'text/csv', buffer: Buffer.from('x') });
  await input.dispatchEvent('click');
  await hasValue(input, '', 'choosing the same file again is a change');
});

test('a file is read as a spreadsheet program has written it: header row, encoding, comma, dates', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  await page.getByLabel('Class', { exact: true }).selectOption('Project');
  await page.getByText('How the file is read').click();
  await page.getByLabel('Row with the names of the columns').fill('2');
  await page.getByLabel('Encoding of CSV').selectOption('windows-1252');
  await page.getByLabel('Dates are written as').selectOption('dmy');
  await page.getByLabel('Numbers have a decimal comma').check();
  const buffer = Buffer.from('Projekte;2026;\npid;name;started\nlabid:p;M\u00fcller;31.12.2025\n', 'latin1');
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'projects.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('button', { name: 'Submit 1 row' }).click();
  await page.getByRole('main').getByText('Submitted 1 record.').waitFor();
  const stored = await service.request('GET', '/lab/record?pid=labid:p', { token: 'ann' });
  const { name, started } = stored.json<{ name: string; started: string }>();
  assert.deepEqual({ name, started }, { name: 'M\u00fcller', started: '2025-12-31' });
  assert.deepEqual(complaints, []);
});

test('faults of a table are in German for those who chose it', { skip }, async (t) => {
  const { open, url, complaints } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  await page.evaluate('localStorage.setItem("accession.language", "de")');
  await page.goto(`${url}lab/upload`);
  await page.getByLabel('Klasse', { exact: true }).selectOption('Person');
  const text = 'Name,Family name,Affiliations\nAda,Abe,Nowhere\n';
  await page
    .getByLabel('Datei', { exact: true })
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Zeilen prüfen' }).click();
  await page.getByText('Kein Datensatz hat den Bezeichner oder den Namen „Nowhere“.').waitFor();
  assert.deepEqual(complaints, []);
});

test('an identifier that was made follows a name that is typed later, and a misspelt reference has candidates', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const json of [
    organization('fzj', { name: 'Forschungszentrum Jülich' }),
    organization('inst', { name: 'Institute of Physics' }),
  ])
    await service.request('POST', '/lab/curated/record/Organization', { token: 'cora', json });
  const page = await open('lab/upload', 'ann');
  await choose(page, 'name,family_name,affiliations\n,Abe,\nBo Bell,Bell,Institut of Physics\n');
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('button', { name: 'With problems 2' }).click();

  const meant = page.getByRole('group', { name: 'Instead of “Institut of Physics”:' });
  await meant.getByRole('button', { name: 'Institute of Physics' }).click();
  await page.getByRole('button', { name: 'With problems 1' }).waitFor();

  const name = page.getByLabel('Column Name in row 2');
  await name.fill('Ada Abe');
  await name.press('Enter');
  await page.getByRole('button', { name: 'With problems 0' }).waitFor();
  await page.getByRole('button', { name: 'All 2' }).click();
  await rowOf(page, 2).getByText('labid:person-ada-abe').waitFor();
  await rowOf(page, 3).getByText('Affiliations: Institute of Physics').waitFor();
  assert.deepEqual(complaints, []);
});

test('rows whose answer is lost are checked again, so none is submitted twice', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  await choose(page, 'pid,name,family_name\nlabid:bo,Bo,Bell\nlabid:cy,Cy,Cole\n');
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('button', { name: 'Submit 2 rows' }).waitFor();
  await loseAnswer(page, /\/table\//);
  await page.getByRole('button', { name: 'Submit 2 rows' }).click();
  await page.getByText('The answer to what was submitted was lost', { exact: false }).waitFor();
  await page.getByText('2 rows say what is stored already', { exact: false }).waitFor();
  const own = await service.request('GET', '/-/lab/submissions/', { token: 'ann' });
  assert.equal(own.json<{ total: number }>().total, 2);
  assert.deepEqual(complaints, []);
});
