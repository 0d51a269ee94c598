/** Exports of Browse as tables. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';
import { sheetsIn } from '../files/workbooks.support.ts';

useBrowser();

test('what is on the screen is had as a workbook', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['ada', 'bo'])
    await service.request('POST', '/lab/curated/record/Person', {
      token: 'cora',
      json: person(name, { given_name: name }),
    });
  const page = await open('lab/browse/Person?is.given_name=bo', 'cora');
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('radio', { name: 'XLSX' }).check();
  const download = page.waitForEvent('download');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Export/ })
    .click();
  const file = await download;
  assert.equal(file.suggestedFilename(), 'Person.xlsx');
  const [sheet] = await sheetsIn(await readFile(await file.path()));
  const rows = [...sheet!.rows].map(({ cells }) => cells);
  assert.equal(sheet!.name, 'Person');
  assert.ok(rows.some((cells) => cells.includes('labid:bo')));
  assert.ok(!rows.some((cells) => cells.includes('labid:ada')));
  assert.deepEqual(complaints, []);
});

test('numbers and dates of a workbook are what spreadsheet programs add and sort', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const json = {
    pid: 'labid:p',
    title: 'P',
    publication_kind: 'article',
    published: '2026-11-23',
    page_count: 12,
  };
  const { status, text } = await service.request('POST', '/lab/curated/record/Publication', {
    token: 'cora',
    json,
  });
  assert.equal(status, 200, text);
  const page = await open('lab/browse/Publication', 'cora');
  await page.getByText('1 record', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('radio', { name: 'XLSX' }).check();
  const download = page.waitForEvent('download');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Export/ })
    .click();
  const bytes = await readFile(await (await download).path());
  const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml']!);
  const numbers = [...sheet.matchAll(/<v>([^<]+)<\/v>/g)].map(([, number]) => number);
  assert.deepEqual(numbers.toSorted(), ['12', '46349'], sheet);
  const [read] = await sheetsIn(bytes);
  assert.ok(read!.rows[1]!.cells.includes('2026-11-23'), 'it is read as the same date');
  assert.deepEqual(complaints, []);
});
