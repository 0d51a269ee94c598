/** My submissions by batch: grouped, withdrawn all at once, and back with one undo. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accessProblems,
  assertFits,
  intercept,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

test('a batch is one group with its message, is withdrawn at once, and waits again after an undo', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const names = Array.from({ length: 12 }, (_, i) => `p${10 + i}`);
  const curated = { token: 'cora', json: person('p10', { email: 'old@example.org' }) };
  await service.request('POST', '/lab/curated/record/Person', curated);
  const sent = await service.request(
    'POST',
    '/-/lab/records/Person?batch=autumn&message=From%20the%20field',
    { token: 'ann', json: names.map((name) => person(name, { email: 'new@example.org' })) },
  );
  assert.equal(sent.status, 200);
  await service.request('POST', '/lab/record/Person', { token: 'ann', json: person('alone') });
  const states = async () => {
    const url = '/-/lab/submissions/?batch=autumn&status=waiting&size=100';
    const { items } = (await service.request('GET', url, { token: 'ann' })).json<{
      items: { pid: string; state: string; message: string }[];
    }>();
    return items.map(({ pid, state, message }) => [pid, state, message].join(' ')).sort();
  };
  const before = await states();
  assert.equal(before.length, 12);

  const page = await open('lab/submissions', 'ann', { bypassCSP: true });
  await page.getByRole('heading', { name: 'autumn 12 submissions' }).waitFor();
  assert.equal(await page.getByText('From the field').count(), 1, 'the message is there once');
  assert.deepEqual(await accessProblems(page), []);
  await page.getByRole('button', { name: 'Withdraw all of this batch' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Withdraw 12 submissions of autumn?' }).waitFor();
  assert.deepEqual(await accessProblems(page), []);
  await dialog.getByRole('button', { name: /^Withdraw 12/ }).click();
  await page.locator('.toast').getByText('12 submissions withdrawn.').waitFor();
  assert.deepEqual(await states(), []);
  // What the service is away for stays in the undo: it has the only copies.
  const stores = '**/-/lab/records/Person?*';
  await intercept(page, stores, (route) => route.fulfill({ status: 502 }));
  await page.locator('.toast').getByRole('button', { name: /^Undo/ }).click();
  await page.locator('.toast').getByText('12 could not be stored. Undo tries again.').waitFor();
  assert.deepEqual(await states(), []);
  await page.unroute(stores);
  await page.locator('.toast').getByRole('button', { name: /^Undo/ }).click();
  await page.locator('.toast').getByText('12 submissions wait again.').waitFor();
  assert.deepEqual(await states(), before);
  assert.deepEqual(complaints, []);

  const phone = await open('lab/submissions', 'ann', PHONE);
  await phone.getByRole('heading', { name: 'autumn 12 submissions' }).waitFor();
  await assertFits(phone);
});

test('the list of what curators ask about leaves the numbers of the other lists as they are', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  for (const name of ['ada', 'bea', 'cyd'])
    await service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  const json = { label: 'ann', pid: 'labid:ada', text: 'Which Ada?', requests: 'answer' };
  await service.request('POST', '/-/lab/review/comments', { token: 'cora', json });
  const page = await open('lab/submissions?requested=answer,changes', 'ann');
  await page.getByText('1 submission', { exact: true }).waitFor();
  const lists = page.getByRole('navigation', { name: 'Status' });
  await lists.getByRole('link', { name: 'All 3' }).waitFor();
  await lists.getByRole('link', { name: 'Waiting 3' }).waitFor();
});
