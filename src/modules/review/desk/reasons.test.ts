/** Reasons of rejections that are chosen by number: at any pace, the number chooses a reason and never is one. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { hasValue, intercept, skip, testDesk, toast, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const RECENT = ['Not ours.', 'Already curated.'];

/** A queue whose recent reasons arrive when the returned function is called. */
async function slowReasons(t: TestContext, path: string, reasons: readonly string[] = RECENT) {
  const { service, open, complaints } = await testDesk(t);
  const submit = (name: string) =>
    service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });
  const decisionsOf = async (decision: string) =>
    (await service.request('GET', `/-/lab/review/decisions?decision=${decision}`, { token: 'cora' })).json<{
      items: { pid: string; reason: string | null }[];
    }>().items;
  for (const decision of ['reject', 'defer'])
    for (const [index, reason] of reasons.toReversed().entries()) {
      const name = `old-${decision}-${index}`;
      await submit(name);
      const item = await service.request('GET', `/-/lab/review/item?label=ann&pid=labid:${name}`, {
        token: 'cora',
      });
      const { status } = await service.request('POST', '/-/lab/review/decisions', {
        token: 'cora',
        json: {
          label: 'ann',
          pid: `labid:${name}`,
          digest: item.json<{ digest: string }>().digest,
          decision,
          reason,
        },
      });
      assert.equal(status, 200);
    }
  for (const name of ['abe', 'bea', 'cyd']) await submit(name);
  const page = await open(path, 'cora');
  const arrival = Promise.withResolvers<void>();
  await intercept(page, /\/review\/decisions\?.*size=50/, async (route) => {
    await arrival.promise;
    await route.continue();
  });
  t.after(() => arrival.resolve());
  return { page, complaints, decisionsOf, arrive: () => arrival.resolve() };
}

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const field = (page: Page) => page.getByRole('dialog').getByLabel(/^Reason/);
const ITEM = 'lab/review/item?label=ann&pid=labid%3Aabe';

test('a number that is typed and confirmed before the recent reasons are there waits for them', {
  skip,
}, async (t) => {
  const { page, complaints, decisionsOf, arrive } = await slowReasons(t, ITEM);
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await press(page, 'r', '2', 'Control+Enter');
  await page.getByRole('dialog').getByText('Reading the recent reasons').waitFor();
  assert.equal((await decisionsOf('reject')).length, 2, 'nothing is decided without the list');
  arrive();
  await toast(page, 'Rejected abe: Already curated.');
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await press(page, 'd', '1', '2', '1', 'Control+Enter');
  await toast(page, 'Deferred bea: Not ours.');
  assert.deepEqual(complaints, []);
});

test('a number that no reason has is refused, and so is a number alone at any time', { skip }, async (t) => {
  const { page, decisionsOf, arrive } = await slowReasons(t, ITEM);
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  for (const verdict of ['r', 'd']) {
    await press(page, verdict, '5', 'Control+Enter');
    if (verdict === 'r') {
      await page.getByRole('dialog').getByText('Reading the recent reasons').waitFor();
      arrive();
    }
    await page.getByRole('alert').getByText('A number alone is not a reason').waitFor();
    await field(page).fill('7');
    await press(page, 'Control+Enter');
    await page.getByRole('alert').getByText('A number alone is not a reason').waitFor();
    await field(page).fill('');
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  assert.equal((await decisionsOf('reject')).length + (await decisionsOf('defer')).length, 4);
});

test('words behind a number are text, before the recent reasons are there and after', { skip }, async (t) => {
  const { page, arrive } = await slowReasons(t, ITEM);
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await press(page, 'r');
  await page.keyboard.type('2 records are the same.');
  arrive();
  await page.getByRole('dialog').getByText('Not ours.').waitFor();
  await hasValue(field(page), '2 records are the same.');
  await press(page, 'Control+Enter');
  await toast(page, 'Rejected abe: 2 records are the same.');
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await press(page, 'r');
  await page.getByRole('dialog').getByText('Not ours.').waitFor();
  await page.keyboard.type('12 of 20 values are wrong.');
  await hasValue(field(page), '12 of 20 values are wrong.');
  await field(page).fill('');
  await press(page, '2', 'End');
  await page.keyboard.type(' Sorry.');
  await hasValue(field(page), 'Not ours. Sorry.', 'a chosen reason can be continued');
});

test('a number is not added to the words of an earlier try', { skip }, async (t) => {
  const { page, arrive } = await slowReasons(t, ITEM);
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await press(page, 'r');
  await field(page).fill('Unfinished');
  await press(page, 'Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(page, 'r');
  await field(page).waitFor();
  await hasValue(field(page), 'Unfinished');
  await press(page, '1', 'Control+Enter');
  arrive();
  await toast(page, 'Rejected abe: Not ours.');
});

test('words are kept that are typed and left before the browser paints', { skip }, async (t) => {
  const { page } = await slowReasons(t, ITEM);
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await page.evaluate(async () => {
    const press = (key: string) =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    press('r');
    // Drawn, but not painted: no frame is made while microtasks run.
    let field: HTMLTextAreaElement | null = null;
    for (let turn = 0; turn < 1000 && field === null; turn++) {
      await Promise.resolve();
      field = document.querySelector('dialog textarea');
    }
    field!.value = 'Unfinished';
    field!.dispatchEvent(new Event('input', { bubbles: true }));
    press('Escape');
  });
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(page, 'r');
  await field(page).waitFor();
  await hasValue(field(page), 'Unfinished');
});

test('a number waits for the recent reasons of a selection, too', { skip }, async (t) => {
  const { page, decisionsOf, arrive } = await slowReasons(t, 'lab/review');
  await page.getByText('3 submissions').waitFor();
  await page.getByRole('link', { name: 'abe' }).waitFor();
  await press(page, 'Control+a', 'r', '1', 'Control+Enter');
  await page.getByRole('dialog').getByText('Reading the recent reasons').waitFor();
  arrive();
  await toast(page, '3');
  assert.deepEqual((await decisionsOf('reject')).map(({ reason }) => reason).toSorted(), [
    'Already curated.',
    ...Array(4).fill('Not ours.'),
  ]);
});
