/** The keyboard of the desk: dialogs and the view behind them, Escape, undo, and where the focus is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN, type TestService } from '../support/app.ts';
import { hasValue, skip, testDesk, toast, useBrowser } from '../support/desk.ts';
import { person } from '../support/people.ts';

useBrowser();

async function store(
  service: TestService,
  path: string,
  token: string,
  names: readonly string[],
  more: object = {},
) {
  const { status } = await service.request('POST', path, {
    token,
    json: names.map((name) => person(name, more)),
  });
  assert.equal(status, 200);
}
const submit = (service: TestService, names: readonly string[], more: object = {}) =>
  store(service, '/-/lab/records/Person', 'ann', names, more);
const curate = (service: TestService, names: readonly string[], more: object = {}) =>
  store(service, '/-/lab/curated/records/Person', 'cora', names, more);

async function waiting(service: TestService): Promise<number> {
  return (await service.request('GET', '/-/lab/review/summary', { token: 'cora' })).json<{ total: number }>()
    .total;
}

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const button = (page: Page, name: RegExp) =>
  page.getByRole('main').getByRole('button', { name }).first().click();

/** Every key that a view binds, and all letters and digits. */
const KEYS = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789.?/',
  ...['Shift+A', 'Shift+X', 'Control+a', 'Control+k', 'Control+s', 'Control+j', 'Delete', 'Space', 'Enter'],
  ...['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'],
];

type Opening = { path: string; name: string | RegExp; open: (page: Page) => Promise<unknown> };

const DIALOGS: Readonly<Record<string, readonly Opening[]>> = {
  cora: [
    { path: 'lab/review', name: 'Keys', open: (page) => press(page, '?') },
    { path: 'lab/review', name: 'Search and go to', open: (page) => press(page, 'Control+k') },
    {
      path: 'lab/review',
      name: 'cora@example.org',
      open: (page) => page.getByRole('button', { name: /^Account/ }).click(),
    },
    { path: 'lab/review', name: /^Reject “/, open: (page) => press(page, 'r') },
    { path: 'lab/review', name: /^Defer “/, open: (page) => press(page, 'd') },
    {
      path: 'lab/review',
      name: /^Accept 3 sub/,
      open: async (page) => {
        // The key does what the button says, and the button has the number as soon as it is counted.
        await page.getByRole('button', { name: /^Accept 3 new/ }).waitFor();
        await press(page, 'Shift+A');
      },
    },
    { path: 'lab/review', name: /^Accept 1 sub/, open: (page) => press(page, 'x', 'a') },
    { path: 'lab/review', name: /^Reject 1 sub/, open: (page) => press(page, 'x', 'r') },
    {
      path: 'lab/review/item?label=ann&pid=labid%3Abea',
      name: /^Reject “/,
      open: (page) => press(page, 'r'),
    },
    { path: 'lab/review/item?label=ann&pid=labid%3Abea', name: /^Defer “/, open: (page) => press(page, 'd') },
    {
      path: 'lab/review/item?label=ann&pid=labid%3Abea',
      name: 'Edit as a form',
      open: (page) => press(page, 'f'),
    },
    {
      path: 'lab/browse/Person?preview=labid%3Aada',
      name: /^Columns/,
      open: (page) => button(page, /^Columns/),
    },
    { path: 'lab/record?pid=labid%3Aada', name: /^Delete/, open: (page) => button(page, /^Delete/) },
    {
      path: 'lab/record?pid=labid%3Aada&view=history',
      name: /^Restore/,
      open: (page) => button(page, /^Restore/),
    },
  ],
  ann: [
    { path: 'lab/submissions', name: /^Withdraw/, open: (page) => button(page, /^Withdraw/) },
    {
      path: 'lab/new/Person',
      name: /^New Organization/,
      open: async (page) => {
        await page.getByRole('combobox', { name: 'Affiliations' }).fill('Norbury');
        await page.getByRole('option', { name: /Create Organization/ }).click();
      },
    },
  ],
  [ADMIN]: [
    { path: 'admin/collections', name: 'Collection lab', open: (page) => button(page, /^Edit/) },
    { path: 'admin/collections', name: /^Delete/, open: (page) => button(page, /^Delete/) },
    { path: 'admin/tokens', name: 'New token', open: (page) => button(page, /^New token/) },
    { path: 'admin/tokens', name: /^Delete/, open: (page) => button(page, /^Delete/) },
  ],
};

test('no key of a view does anything behind a dialog, and Escape closes the dialog alone', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t, undefined, {});
  for (const nth of [1, 2]) await curate(service, ['ada'], { description: `The ${nth}th` });
  await submit(service, ['bea', 'cyd', 'dan']);
  for (const [token, dialogs] of Object.entries(DIALOGS)) {
    const page = await open('', token);
    for (const { path, name, open: openDialog } of dialogs) {
      await page.goto(url + path);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.locator('main .bones').waitFor({ state: 'detached' });
      const before = page.url();
      await openDialog(page);
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      const title = dialog.getByRole('heading', { level: 2 });
      await title.focus();
      await press(page, ...KEYS);
      assert.equal(page.url(), before, `${path}: the view has stayed behind ${name}`);
      assert.equal(await page.getByRole('dialog').count(), 1, `${path}: ${name} is the only dialog`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      assert.equal(page.url(), before, `${path}: Escape closes ${name} alone`);
      assert.ok(
        await page.evaluate('document.activeElement !== document.body'),
        `${path}: the focus is kept`,
      );
    }
  }
  assert.equal(await waiting(service), 3, 'nothing is decided');
  const { total } = (await service.request('GET', '/-/lab/review/decisions', { token: 'cora' })).json<{
    total: number;
  }>();
  assert.equal(total, 0);
  assert.deepEqual(complaints, []);
});

test('Escape loses no typed words, and leaves a field before it leaves the view', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await submit(service, ['bea', 'cyd']);
  const page = await open('lab/review/item?label=ann&pid=labid%3Abea', 'cora');
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  const dialog = page.getByRole('dialog');
  await press(page, 'r');
  await dialog.getByLabel(/^Reason/).fill('The name is missing.');
  await press(page, 'Escape');
  await dialog.waitFor({ state: 'detached' });
  await press(page, 'f');
  await dialog.getByLabel(/^Email/).fill('bea@example.org');
  await press(page, 'Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await press(page, 'f');
  await hasValue(dialog.getByLabel(/^Email/), 'bea@example.org');
  await dialog.getByText('What you edited before is still here.').waitFor();
  await press(page, 'Escape', 'r');
  await hasValue(dialog.getByLabel(/^Reason/), 'The name is missing.');
  await press(page, 'Escape', 'n');
  await page.getByRole('heading', { name: 'cyd' }).waitFor();
  await press(page, 'r');
  await hasValue(dialog.getByLabel(/^Reason/), '', 'words belong to their submission');
  await press(page, 'Escape', 'Escape');
  await page.getByText('2 submissions').waitFor();
  await press(page, '/');
  await page.keyboard.type('bea');
  await page.getByText('1 submission', { exact: true }).waitFor();
  await press(page, 'Escape');
  await hasValue(page.getByRole('searchbox'), 'bea');
  await press(page, 'x');
  await page.getByText('1 selected').waitFor();
  await press(page, 'Escape');
  await page.getByText('1 submission', { exact: true }).waitFor();
});

test('U undoes one decision after the other, and a bulk at once', { skip }, async (t) => {
  const { service, open, url } = await testDesk(t);
  await submit(service, ['bea', 'cyd', 'dan', 'eve', 'fay']);
  const page = await open('lab/review', 'cora');
  await page.getByText('5 submissions').waitFor();
  await press(page, 'a');
  await toast(page, 'Accepted bea.');
  await press(page, 'a');
  await toast(page, 'Accepted cyd.');
  await page.reload();
  await page.getByText('3 submissions').waitFor();
  await press(page, 'x', 'j', 'x', 'a');
  await page.getByRole('dialog').waitFor();
  await press(page, 'Control+Enter');
  await toast(page, '2 submissions decided');
  await page.getByText('1 submission', { exact: true }).waitFor();
  assert.equal(await page.getByText('decided elsewhere').count(), 0, 'it was an own decision');
  await press(page, 'u');
  await toast(page, 'Undone: 2 submissions wait again.');
  await page.goto(`${url}lab/review`);
  await page.getByText('3 submissions').waitFor();
  await press(page, 'Control+a', 'a');
  await page.getByRole('dialog').waitFor();
  await press(page, 'Control+Enter');
  await toast(page, '3 submissions decided');
  assert.equal(await waiting(service), 0);
  await press(page, 'u');
  await toast(page, 'Undone: 3 submissions wait again.');
  assert.equal(await waiting(service), 3);
  await page.goto(`${url}lab/review`);
  await page.getByText('3 submissions').waitFor();
  await press(page, 'u', 'u');
  await toast(page, 'Undone: bea waits again.');
  assert.equal(await waiting(service), 5);
  await press(page, 'u');
  await page.getByText('5 submissions').waitFor();
  assert.equal(await waiting(service), 5);
});

test('the focus is at the conflict that asks for a side, and in the field of the row', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  await curate(service, ['bea'], { email: 'old@example.org' });
  await submit(service, ['bea'], { email: 'new@example.org' });
  await curate(service, ['bea'], { email: 'other@example.org' });
  await submit(service, ['abe']);
  const page = await open('lab/review/item?label=ann&pid=labid%3Aabe', 'cora');
  await page.getByRole('heading', { name: 'abe' }).waitFor();
  await press(page, 'a');
  await toast(page, 'Accepted abe.');
  await page.getByRole('link', { name: 'bea' }).first().click();
  await page.getByRole('heading', { name: 'bea' }).waitFor();
  await press(page, 'a');
  await page.getByRole('row', { name: /Email/ }).getByText('Conflict: choose a side').waitFor();
  await page.locator('tr:has(:focus)').filter({ hasText: 'choose a side' }).waitFor();
  assert.equal(await page.locator('.toast').count(), 0, 'no former decision is reported beside it');
  await press(page, 'e');
  await page.locator('#f-email:focus').waitFor();
  assert.equal(await waiting(service), 1);
});
