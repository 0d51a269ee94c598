/** A file is read in a worker of the browser: what its cells are, and that the page stays free. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { hasValue, intercept, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { stylesOf, workbookOf } from '../files/workbooks.support.ts';

useBrowser();

const file = (page: Page) => page.getByLabel('File', { exact: true });
const sheetField = (page: Page) => page.getByLabel('Sheet of the workbook');

async function choose(page: Page, buffer: Buffer, name = 'projects.xlsx'): Promise<void> {
  await file(page).setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
}

const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
const text = (value: string) => `<c t="str"><v>${value}</v></c>`;
const number = (value: number, style?: number) =>
  `<c${style === undefined ? '' : ` s="${style}"`}><v>${value}</v></c>`;

test('cells of a workbook are what their formats make of them for the slots of their columns', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  const styles = stylesOf('00000', '0.00', 'yyyy-mm-dd');
  const header = ['pid', 'Name', 'budget.amount', 'budget.currency', 'started', 'Broken'].map(text);
  const rows = [
    row(...header),
    row(text('labid:p'), number(2138, 1), number(1250.5, 2), text('EUR'), number(46_023, 3), text('')),
    row(
      text('labid:q'),
      text('Q'),
      number(1.125),
      text('EUR'),
      text('31.12.2025'),
      '<c t="e"><v>#N/A</v></c>',
    ),
  ];
  const bytes = workbookOf(`<sheetData>${rows.join('')}</sheetData>`, styles);
  await page.getByLabel('Class', { exact: true }).selectOption('Project');
  await page.getByText('How the file is read').click();
  await page.getByLabel('Numbers have a decimal comma').check();
  await page.getByLabel('Dates are written as').selectOption('dmy');
  await choose(page, bytes);
  await hasValue(page.getByLabel('Goes to: budget.amount'), 'budget.amount');
  await page.getByText('02138 · Q').waitFor();
  await page.getByRole('button', { name: 'Check the rows' }).click();
  await page.getByRole('button', { name: 'Submit 2 rows' }).click();
  await page.getByRole('main').getByText('Submitted 2 records.').waitFor();
  const stored = await Promise.all(
    ['labid:p', 'labid:q'].map(async (pid) => {
      const found = await service.request('GET', `/lab/record?pid=${pid}`, { token: 'ann' });
      const { name, budget, started } = found.json<Record<string, { amount: string }>>();
      return [name, budget?.amount, started];
    }),
  );
  assert.deepEqual(stored, [
    ['02138', '1250.50', '2026-01-01'],
    ['Q', '1.125', '2025-12-31'],
  ]);
  assert.deepEqual(complaints, []);
});

/** A part of 8 MB, which the library takes seconds for. */
const SLOW = () =>
  workbookOf(
    `<sheetData>${row(text('pid'))}<row><c t="str"><v>${'&amp;'.repeat(1_600_000)}</v></c></row></sheetData>`,
  );

/** Collects the times of tasks that kept the page from answering, for the report. */
const WATCH = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longTasks.push(Math.round(duration));
  }).observe({ type: 'longtask' });
`;

test('while a large workbook is read, the page takes keys, and its worker ends with the reading', {
  skip,
}, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  await page.getByText('How the file is read').click();
  await sheetField(page).waitFor();
  await page.evaluate(WATCH);
  const started = page.waitForEvent('worker');
  await choose(page, SLOW(), 'large.xlsx');
  const worker = await started;
  const ended = Promise.withResolvers<void>();
  worker.on('close', () => ended.resolve());
  await page.getByText(/^Reading large\.xlsx \(.*\) …$/).waitFor();
  await sheetField(page).pressSequentially('Sheet');
  await hasValue(sheetField(page), 'Sheet');
  await page.getByRole('heading', { name: 'Columns' }).or(page.getByRole('alert')).waitFor();
  await ended.promise;
  t.diagnostic(`tasks of more than 50 ms: ${await page.evaluate('JSON.stringify(window.longTasks)')}`);
  assert.deepEqual(complaints, []);
});

test('a file is given up with Cancel while it is read, and another one is read instead', {
  skip,
}, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await intercept(page, '**/tables-worker.js', async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  await file(page).waitFor();
  await choose(page, SLOW(), 'large.xlsx');
  await asked.promise;
  await page.getByRole('progressbar', { name: /^Reading large\.xlsx/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('alert').count(), 0, 'no error: the user wanted it');
  released.resolve();
  await choose(page, Buffer.from('name\nBo\n'), 'small.csv');
  await page.getByRole('heading', { name: 'Columns' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a hostile workbook is refused with the reason, and nothing is sent', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('lab/upload', 'ann');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/table/')) sent.push(request.url());
  });
  await file(page).waitFor();
  const loaded = page.waitForResponse('**/tables-worker.js');
  await choose(page, workbookOf(`<sheetData>${' '.repeat(50_000_000)}</sheetData>`));
  const { 'content-security-policy': policy } = (await loaded).headers();
  assert.match(policy ?? '', /^default-src 'none'; script-src 'self'; base-uri/, 'it connects to nothing');
  await page.getByText('The workbook unpacks to more than 8 MiB.').waitFor();
  await choose(page, Buffer.from('PK no archive'));
  await page.getByText('The file is not a workbook').waitFor();
  assert.deepEqual(sent, []);
});
