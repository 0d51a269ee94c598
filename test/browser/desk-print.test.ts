/** What the desk prints: the content of its sheets, all of it, in black on white. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip, testDesk, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';

useBrowser();

/** What is on paper: the pages of the PDF, and what print media leave visible. */
async function printed(page: Page): Promise<{ pages: number; text: string; ground: string }> {
  const pdf = await page.pdf({ format: 'A4' });
  const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
  await page.emulateMedia({ media: 'print' });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  const text = await page.evaluate<string>('document.body.innerText');
  const ground = await page.evaluate<string>("getComputedStyle(document.querySelector('main')).color");
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await page.emulateMedia({ media: 'screen' });
  return { pages, text, ground };
}

test('a record, a list and a review are printed whole, without the frame, in black', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const long = `${'word '.repeat(400)}END`;
  const affiliations = Array.from({ length: 300 }, (_, at) => `labid:org${at}`);
  const store = async (json: object, path = '/lab/curated', token = 'cora') => {
    const { status, text } = await service.request('POST', `${path}/record/Person`, { token, json });
    assert.equal(status, 200, text);
  };
  await store(person('ada', { description: long, affiliations }));
  for (let at = 0; at < 130; at++) await store(person(`p${String(at).padStart(3, '0')}`));
  await store(person('ada', { description: `${long} changed` }), '/lab', 'ann');

  const page = await open('lab/record?pid=labid:ada', 'cora', { colorScheme: 'dark' });
  await page.getByText('labid:org0', { exact: false }).first().waitFor();
  const record = await printed(page);
  assert.ok(record.pages > 3, `${record.pages} pages`);
  assert.match(record.text, /END/);
  assert.match(record.text, /org299/);
  assert.doesNotMatch(record.text, /My submissions|Show this day|Stewardship|Follow this record/);
  assert.equal(record.ground, 'rgb(0, 0, 0)');

  const list = await open('lab/browse/Person', 'cora', { colorScheme: 'dark' });
  await list.getByRole('link', { name: 'p000' }).waitFor();
  await list.keyboard.press('End');
  await list.getByRole('link', { name: 'p129' }).waitFor();
  const rows = await printed(list);
  for (const name of ['p000', 'p064', 'p129']) assert.match(rows.text, new RegExp(name));
  assert.ok(rows.pages > 1, `${rows.pages} pages`);

  const review = await open('lab/review/item?label=ann&pid=labid:ada', 'cora');
  await review.getByRole('button', { name: 'Accept' }).first().waitFor();
  const item = await printed(review);
  assert.match(item.text, /END[\s\S]* changed/);
  assert.doesNotMatch(item.text, /Accept/);
  assert.deepEqual(complaints, []);
});
