/** A record of the desk as it was on another day. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertFits, PEOPLE, PHONE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';
import { sqliteAt } from '../support/sqlite.ts';

useBrowser();

const DAY = 24 * 3600 * 1000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

test('a record is shown as it was at the end of a day, and leads back', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t, PEOPLE);
  const store = (name: string) =>
    service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada', { name }) });
  await store('Ada Byron');
  makeOlder(join(service.store, 'accession.db'), 3);
  await store('Ada Lovelace');
  const page = await open('lab/record?pid=labid%3Aada', 'cora', { ...PHONE, timezoneId: 'UTC' });
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
  const day = dayBefore(2);
  await page.getByLabel('As of').fill(day);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ada Byron', level: 1 }).waitFor();
  await page.getByText(/^As it was at the end of/).waitFor();
  assert.match(page.url(), new RegExp(`at=${day}`));
  assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0, 'a former state is not edited');
  await assertFits(page);
  await page.getByRole('link', { name: 'Turtle' }).click();
  await page.getByText('"Ada Byron"').waitFor();
  await page.getByLabel('As of').fill(dayBefore(9));
  await page.getByRole('button', { name: 'Show this day' }).click();
  await page.getByText('There is no such record.').waitFor();
  await page.getByRole('link', { name: 'Show it as it is now' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
  assert.deepEqual(complaints, []);
});

/** Moves all changes so far into the past. */
function makeOlder(file: string, days: number): void {
  const database = sqliteAt(file);
  database.exec(`UPDATE accession_entry SET time = time - ${days * DAY * 1000}`);
  database.close();
}
