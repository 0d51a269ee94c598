/** Renames and merges whose answer is lost on the way: the desk asks the service what became of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestService } from '../../../../test/support/app.ts';
import { loseAnswer, skip, testDesk, toast, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const curate = ({ request }: TestService, name: string) =>
  request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person(name, { name: 'Ada', family_name: 'Ada' }),
  });

/** The pids of the curated records. */
async function pids({ request }: TestService): Promise<string[]> {
  const found = await request('GET', '/lab/curated/records/Person', { token: 'cora' });
  return found.json<{ pid: string }[]>().map(({ pid }) => pid);
}

test('a rename and its undo whose answers are lost are looked up', {
  skip,
}, async (t) => {
  const { service, url, open, complaints } = await testDesk(t);
  await curate(service, 'ada');
  const page = await open('lab/rename?pid=labid%3Aada', 'cora');
  await page.getByLabel('New identifier').fill('labid:bea');
  await page.getByRole('button', { name: 'What changes' }).click();
  const rename = page.getByRole('button', { name: 'Rename', exact: true });
  await rename.waitFor();
  await loseAnswer(page, /\/curated\/rename$/);
  await rename.click();
  await toast(page, 'Renamed labid:ada to labid:bea.');
  await page.waitForURL(`${url}lab/record?pid=labid%3Abea`);
  assert.deepEqual(await pids(service), ['labid:bea']);
  await loseAnswer(page, /\/undo$/);
  await page.keyboard.press('u');
  await toast(page, 'Undone: labid:ada is there again.');
  assert.deepEqual(await pids(service), ['labid:ada']);
  assert.deepEqual(complaints, []);
});

test('a merge whose answer is lost is looked up; while the service stays away, it is not known whether it was made', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  for (const name of ['ada', 'adda', 'addi']) await curate(service, name);
  const page = await open('lab/merge?keep=labid%3Aada&drop=labid%3Aadda', 'cora');
  const merge = page.getByRole('button', { name: 'Merge', exact: true });
  await page.locator('button:enabled', { hasText: 'Merge' }).waitFor();
  await loseAnswer(page, /\/curated\/merge$/);
  await merge.click();
  await toast(page, 'Merged Ada into Ada.');
  assert.deepEqual(await pids(service), ['labid:ada', 'labid:addi']);

  const other = await open('lab/merge?keep=labid%3Aada&drop=labid%3Aaddi', 'cora');
  await other.locator('button:enabled', { hasText: 'Merge' }).waitFor();
  const back = Promise.withResolvers<void>();
  await loseAnswer(other, /\/curated\/merge$/, back.promise);
  await other.getByRole('button', { name: 'Merge', exact: true }).click();
  await other.getByText(/it is not known whether this was done/).waitFor();
  assert.deepEqual(await pids(service), ['labid:ada']);
  back.resolve();
  await other.getByText("There is no curated record 'labid:addi'.").waitFor();
  assert.deepEqual(complaints, []);
});
