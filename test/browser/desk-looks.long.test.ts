/** Every view of the desk for eyes, screen readers and small screens: light, dark, narrow, German. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { ADMIN, type TestService } from '../support/app.ts';
import { accessProblems, PEOPLE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { moduleViews, pathOf } from '../support/module-views.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

type View = { path: string; token: string; open?: (page: Page) => Promise<unknown> };

const LAB = {
  collection: 'lab',
  submission: 'label=ann&pid=labid%3Aada',
  record: 'labid%3Along',
  other: 'labid%3Alonger',
};

const VIEWS: readonly View[] = [
  { path: '', token: 'cora' },
  { path: 'lab/browse/Person?preview=labid%3Aada', token: 'cora' },
  {
    path: 'lab/browse/Person',
    token: 'cora',
    open: (page) => page.getByRole('button', { name: 'Columns' }).click(),
  },
  { path: 'lab/record?pid=labid%3Aada', token: 'cora' },
  { path: 'lab/record?pid=labid%3Aada&view=history', token: 'cora' },
  { path: 'lab/record?pid=labid%3Anone', token: 'cora' },
  { path: 'lab/new/Project', token: 'ann' },
  { path: 'lab/edit?pid=labid%3Aada', token: 'ann', open: refused },
  { path: '', token: 'ann' },
  { path: 'lab/browse/Person', token: 'cora', open: (page) => page.keyboard.press('?') },
  { path: 'lab/browse/Person', token: 'cora', open: (page) => page.keyboard.press('Control+k') },
  {
    path: 'lab/record?pid=labid%3Aada',
    token: 'cora',
    open: async (page) => {
      await page.getByRole('button', { name: /^Delete/ }).click();
      await page.getByText('1 record links to it.', { exact: false }).waitFor();
    },
  },
  {
    path: 'lab/record?pid=labid%3Aada&view=history',
    token: 'cora',
    open: (page) =>
      page
        .getByRole('button', { name: /^Restore/ })
        .first()
        .click(),
  },
  { path: '', token: 'cora', open: account },
  { path: 'lab/new/Project', token: 'ann', open: createOnTheWay },
  { path: 'lab/stewardship/activity', token: 'cora' },
  { path: 'lab/stewardship/settings', token: 'cora' },
  { path: 'lab/changes', token: 'cora' },
  { path: 'help?about=review', token: 'cora' },
  { path: 'admin/health', token: ADMIN },
  {
    path: 'admin/collections',
    token: ADMIN,
    open: (page) => page.getByRole('button', { name: 'Edit' }).click(),
  },
  {
    path: 'admin/tokens',
    token: ADMIN,
    open: (page) => page.getByRole('button', { name: 'New token' }).click(),
  },
  {
    path: 'admin/collections',
    token: ADMIN,
    open: (page) => page.getByRole('button', { name: /^Delete/ }).click(),
  },
  {
    path: 'admin/tokens',
    token: ADMIN,
    open: (page) =>
      page
        .getByRole('button', { name: /^Delete/ })
        .first()
        .click(),
  },
  { path: 'admin/configuration', token: ADMIN },
  ...(await moduleViews()).map(({ path, as, open }) => ({
    path: pathOf({ path }, LAB),
    token: { submitter: 'ann', curator: 'cora', administrator: ADMIN }[as],
    ...(open && { open }),
  })),
];

/** On small screens it is in the drawer. */
async function account(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('button', { name: /^Account/ }).click();
}

/** The dialog that creates a record to refer to. */
async function createOnTheWay(page: Page): Promise<void> {
  await page.getByRole('combobox').first().fill('Nobody of that name');
  await page.getByRole('option').last().click();
  await page.getByRole('dialog').waitFor();
}

async function refused(page: Page): Promise<void> {
  await page.getByLabel(/^Name required/).fill('');
  await page.keyboard.press('Control+Enter');
  await page.locator('#problems').waitFor();
}

/** Records, links, a conflict, a decision, and names that do not fit. */
async function fill(service: TestService): Promise<void> {
  const store = (token: string, area: string, name: string, json: object) =>
    service.request('POST', `/lab/${area}record/${name}`, { token, json });
  const long = 'Antidisestablishmentarianism'.repeat(8);
  await store('cora', 'curated/', 'Organization', organization('long', { name: long }));
  await store('cora', 'curated/', 'Organization', organization('longer', { name: long }));
  await store(
    'cora',
    'curated/',
    'Person',
    person('ada', { name: 'Ada', email: 'a@example.org', affiliations: ['labid:long', 'labid:missing'] }),
  );
  await store('cora', 'curated/', 'Project', {
    pid: 'labid:p',
    name: 'Plankton',
    participations: [{ person: 'labid:ada', project_role: 'lead', share: 0.5 }],
  });
  await store('ann', '', 'Person', person('ada', { name: 'Ada', email: 'b@example.org' }));
  await store(
    'cora',
    'curated/',
    'Person',
    person('ada', { name: 'Ada', email: 'c@example.org', affiliations: ['labid:long'] }),
  );
  await store('ann', '', 'Person', person('bea', { name: long }));
  await store('ann', '', 'Person', person('cyd'));
  const { items } = (await service.request('GET', '/-/lab/review/?pid=labid:cyd', { token: 'cora' })).json<{
    items: { label: string; pid: string; digest: string }[];
  }>();
  const [{ label, pid, digest }] = items as [{ label: string; pid: string; digest: string }];
  const decision = { label, pid, digest, decision: 'reject', reason: 'The email is missing.' };
  await service.request('POST', '/-/lab/review/decisions', { token: 'cora', json: decision });
}

const CONFIGURATION = {
  ...PEOPLE,
  collections: { lab: { audit_backends: [{ type: 'gitaudit', path: 'lab/audit' }] } },
};

/** Goes through the views of each person in one tab. */
async function forEachView(
  open: (path: string, token: string, options: object) => Promise<Page>,
  url: string,
  options: object,
  look: (page: Page, view: View) => Promise<void>,
) {
  for (const token of new Set(VIEWS.map((view) => view.token))) {
    const page = await open('', token, options);
    for (const view of VIEWS.filter((one) => one.token === token)) {
      await page.goto(url + view.path);
      await page.waitForLoadState('networkidle');
      await view.open?.(page);
      await look(page, view);
    }
  }
}

/** Only these see colors, which are all that differs in the dark. */
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block'];

test('axe-core finds nothing in any view, light, dark and in forced colors', { skip }, async (t) => {
  const { service, open, url, complaints } = await testDesk(t, CONFIGURATION);
  await fill(service);
  const found: string[] = [];
  const options = { colorScheme: 'light', reducedMotion: 'reduce', bypassCSP: true };
  await forEachView(open, url, options, async (page, view) => {
    for (const problem of await accessProblems(page)) found.push(`${view.path}: ${problem}`);
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const problem of await accessProblems(page, RULES_OF_COLORS))
      found.push(`${view.path}, dark: ${problem}`);
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
    for (const problem of await accessProblems(page, RULES_OF_COLORS))
      found.push(`${view.path}, forced colors: ${problem}`);
    await page.emulateMedia({ forcedColors: 'none' });
  });
  assert.deepEqual(found, []);
  assert.deepEqual(complaints, []);
});

/** Cells and sheets that what they have does not fit into. Buttons of rows reach a few pixels into the margin. */
const SPILLS = `[...document.querySelectorAll('main, main .scroll, main :is(th, td, dd, li, caption)')]
  .filter((box) => box.scrollWidth > box.clientWidth + 16 && getComputedStyle(box).overflowX !== 'hidden')
  .filter((box) => !box.closest('.vh, thead, .tools'))
  .map((box) => box.localName + ' "' + box.textContent.slice(0, 40) + '"')`;

test('no view scrolls sideways at 360, 720, 768 and 1440 px, and each has one heading of the first level', {
  skip,
}, async (t) => {
  const { service, open, url } = await testDesk(t, CONFIGURATION);
  await fill(service);
  const wide: string[] = [];
  const views = { viewport: { width: 360, height: 740 }, hasTouch: true };
  await forEachView(open, url, views, async (page, view) => {
    // 720 is what 1440 px are at a zoom of 200 %.
    for (const width of [1440, 768, 720, 360]) {
      await page.setViewportSize({ width, height: 740 });
      for (const box of (await page.evaluate(SPILLS)) as string[])
        wide.push(`${view.path}: what ${box} has does not fit at ${width} px`);
      const found = await page.evaluate('document.documentElement.scrollWidth');
      if (found !== width) wide.push(`${view.path} is ${found} px wide at ${width} px`);
    }
    const headings = await page.locator('main h1').count();
    if (headings !== 1) wide.push(`${view.path} has ${headings} headings`);
  });
  assert.deepEqual(wide, []);
});

test('at 360 px the rail is a drawer', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('', 'ann', { viewport: { width: 360, height: 740 } });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'My submissions' }).click();
  await page.getByRole('heading', { name: 'My submissions' }).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
});

test('the desk speaks German, and remembers that', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('', 'cora');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('dialog').getByRole('button', { name: 'Schließen' }).click();
  await page.getByRole('heading', { name: 'Start' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Stöbern' }).waitFor();
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
});

test('of a long table only the rows in sight are in the document', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  const rows = Array.from({ length: 1500 }, (_, i) => person(`p${String(i).padStart(4, '0')}`));
  await service.request('POST', '/-/lab/curated/records/Person', { token: 'cora', json: rows });
  const page = await open('lab/browse/Person', 'cora');
  await page.getByText('1,500 records').waitFor();
  assert.ok((await page.locator('tbody tr').count()) < 120);
  await page.keyboard.press('End');
  await page.getByRole('link', { name: 'p1499' }).waitFor();
  assert.ok((await page.locator('tbody tr').count()) < 120);
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'p1498' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'p1498' }).waitFor();
});

test('the first view is below 80 kB compressed, in at most 20 files', { skip }, async (t) => {
  const { service, open, url } = await testDesk(t);
  const page = await open('');
  await page.getByText('You are not signed in.').waitFor();
  const loaded = (await page.evaluate(
    'performance.getEntriesByType("resource").map(({ name }) => name)',
  )) as string[];
  const assets = loaded.filter((name) => name.startsWith(`${url}assets/`));
  assert.ok(assets.length >= 2);
  let total = 0;
  for (const name of assets) {
    const { rawPayload } = await service.app.server.inject({ url: new URL(name).pathname });
    total += brotliCompressSync(rawPayload).length;
  }
  t.diagnostic(`${total} bytes in ${assets.length} files`);
  assert.ok(total < 80_000, `${total} bytes`);
  assert.ok(assets.length <= 20, `${assets.length} files`);
});
