/** Every view of the desk for eyes, screen readers and small screens: light, dark, narrow, German. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { de } from '../../ui/texts/de.ts';
import { en } from '../../ui/texts/en.ts';
import { ADMIN, type TestService } from '../support/app.ts';
import {
  accessProblems,
  type Desk,
  PEOPLE,
  PHONE,
  settled,
  skip,
  testDesk,
  useBrowser,
} from '../support/desk.ts';
import { deskRoutes } from '../support/desk-routes.ts';
import { addNew, moduleViews, pathOf } from '../support/module-views.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

type View = {
  path: string;
  /** Absent for a guest. */
  token?: string;
  open?: (page: Page) => Promise<unknown>;
  /** Whether it is only known from the code. */
  isBare?: boolean;
};
type Media = Parameters<Page['emulateMedia']>[0];

const LAB = {
  collection: 'lab',
  submission: 'label=ann&pid=labid%3Aada',
  record: 'labid%3Along',
  other: 'labid%3Alonger',
};

/** Views with parameters, in states or with dialogs; all others are found in the code. */
const VIEWS: readonly View[] = [
  { path: '' },
  { path: 'sign-in' },
  { path: 'sign-in?next=%2F-%2Fdesk%2Flab%2Frecord%3Fpid%3Dlabid%253Aada' },
  { path: 'lab/record?pid=labid%3Aada' },
  { path: 'accept-invitation#collection=lab&invitation=none' },
  { path: '', token: 'cora' },
  { path: 'lab/browse/Person?preview=labid%3Aada', token: 'cora' },
  {
    path: 'lab/browse/Person',
    token: 'cora',
    open: pressing('Columns', 'Spalten'),
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
    open: pressing('Delete', 'löschen'),
  },
  {
    path: 'lab/record?pid=labid%3Aada&view=history',
    token: 'cora',
    open: pressing('Restore', 'wiederherstellen'),
  },
  { path: '', token: 'cora', open: account },
  { path: 'lab/new/Project', token: 'ann', open: createOnTheWay },
  { path: 'lab/stewardship/activity', token: 'cora' },
  { path: 'lab/stewardship/settings', token: 'cora' },
  { path: 'help?about=review', token: 'cora' },
  { path: 'admin/health', token: ADMIN },
  {
    path: 'admin/collections',
    token: ADMIN,
    open: pressing('Edit', 'Bearbeiten'),
  },
  {
    path: 'admin/tokens',
    token: ADMIN,
    open: addNew,
  },
  {
    path: 'admin/collections',
    token: ADMIN,
    open: pressing('Delete', 'löschen'),
  },
  {
    path: 'admin/tokens',
    token: ADMIN,
    open: pressing('Delete', 'löschen'),
  },
  { path: 'admin/configuration', token: ADMIN },
  ...(await moduleViews()).map(({ path, as, open }) => ({
    path: pathOf({ path }, LAB),
    token: { submitter: 'ann', curator: 'cora', administrator: ADMIN }[as],
    ...(open && { open }),
  })),
];

/** Presses the first button with a word of either language, which opens a dialog. */
function pressing(english: string, german: string): (page: Page) => Promise<unknown> {
  const name = new RegExp(`${english}|${german}`, 'i');
  return async (page) => {
    await page.getByRole('main').getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
  };
}

/** On small screens it is in the drawer. */
async function account(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: /^Men[uü]$/ });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('button', { name: /^(Account|Konto)/ }).click();
}

/** The dialog that creates a record to refer to. */
async function createOnTheWay(page: Page): Promise<void> {
  await page.getByRole('combobox').first().fill('Nobody of that name');
  await page.getByRole('option').last().click();
  await page.getByRole('dialog').waitFor();
}

async function refused(page: Page): Promise<void> {
  await page.locator('#f-name').fill('');
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

type Step = View & { readonly n: number };

/** The views of {@link VIEWS} and those of the code that are not among them. */
async function everyView(page: Page): Promise<readonly Step[]> {
  const named = new Set(VIEWS.map(({ path }) => path.replace(/[?#].*/, '')));
  const routes = await deskRoutes(page, LAB.collection);
  const others = routes.filter(
    ({ path }) => ![...named].some((one) => one === path || one.startsWith(`${path}/`)),
  );
  return [...VIEWS, ...others.map((route) => ({ ...route, isBare: true }))].map((view, n) => ({
    ...view,
    n,
  }));
}

/** Goes through the views, those of each person in one tab. */
async function forEachView(
  { open, url }: Desk,
  views: readonly Step[],
  options: object,
  languageOf: (view: Step) => string,
  look: (page: Page, view: Step) => Promise<void>,
) {
  for (const token of new Set(views.map((view) => view.token))) {
    const page = await open('', token, { ...options, bypassCSP: true });
    for (const view of views.filter((one) => one.token === token)) {
      await page.evaluate(`localStorage.setItem('accession.language', '${languageOf(view)}')`);
      await page.goto(url + view.path);
      await settled(page);
      if (view.open) {
        await view.open(page);
        await settled(page);
      }
      await look(page, view);
    }
  }
}

/** Only these see colors, which are all that differs in the dark. */
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block'];

/** Cells and sheets that what they have does not fit into. Buttons of rows reach a few pixels into the margin. */
const SPILLS = `[...document.querySelectorAll('main, main .scroll, main :is(th, td, dd, li, caption)')]
  .filter((box) => box.scrollWidth > box.clientWidth + 16 && getComputedStyle(box).overflowX !== 'hidden')
  .filter((box) => !box.closest('.vh, thead, .tools'))
  .map((box) => box.localName + ' "' + box.textContent.slice(0, 40) + '"')`;

/** Titles of views that have no room. Those with the name of a record may be cut: it is whole in the content. */
const CUT = `location.search.includes('pid=')
  ? []
  : [...document.querySelectorAll('main > .bar h1')]
      .filter((title) => title.scrollHeight > title.clientHeight + 1 || title.scrollWidth > title.clientWidth + 1)
      .map((title) => title.textContent)`;

/** Buttons at the end of a dialog that begin before it. */
const OUTSIDE = `[...document.querySelectorAll('dialog[open] .end > *')]
  .filter((button) => button.getBoundingClientRect().left < button.parentElement.getBoundingClientRect().left)
  .map((button) => button.textContent)`;

async function tooWide(page: Page, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    for (const box of await page.evaluate<string[]>(SPILLS)) found.push(`${box} does not fit at ${width} px`);
    for (const title of await page.evaluate<string[]>(CUT)) found.push(`"${title}" is cut at ${width} px`);
    for (const button of await page.evaluate<string[]>(OUTSIDE))
      found.push(`"${button}" is cut at ${width} px`);
    const whole = await page.evaluate('document.documentElement.scrollWidth');
    if (whole !== width) found.push(`is ${whole} px wide at ${width} px`);
  }
  return found;
}

/** The first heading of pages that say that there is nothing. */
const NOTHING = [en, de].flatMap((texts) => [texts['error.missing'], texts['error.forbidden']]);

async function headings(page: Page, { isBare }: Step): Promise<string[]> {
  const found = await page.locator('main h1').allTextContents();
  if (found.length !== 1) return [`has ${found.length} headings of the first level`];
  return isBare && NOTHING.includes(found[0]!) ? ['needs parameters: name it in VIEWS'] : [];
}

test('every view fits its window, has one first heading and no fault for screen readers, in both languages and themes', {
  skip,
}, async (t) => {
  const desk = await testDesk(t, CONFIGURATION);
  await fill(desk.service);
  const first = await desk.open('', 'cora');
  const views = await everyView(first);
  const bare = views.flatMap(({ path, isBare }) => (isBare ? path : []));
  t.diagnostic(`${views.length} views, of them by their route alone: ${bare.join(', ')}`);
  const found: string[] = [];
  const looking =
    (widths: readonly number[], media: readonly Media[], without: readonly string[]) =>
    async (page: Page, view: Step): Promise<void> => {
      const problems = [...(await headings(page, view)), ...(await accessProblems(page, { without }))];
      for (const one of media) {
        await page.emulateMedia(one);
        for (const problem of await accessProblems(page, { only: RULES_OF_COLORS }))
          problems.push(`${JSON.stringify(one)}: ${problem}`);
      }
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
      problems.push(...(await tooWide(page, widths)));
      found.push(...problems.map((problem) => `${view.path} as ${view.token ?? 'guest'}: ${problem}`));
      await page.setViewportSize({ width: widths[0]!, height: 740 });
    };
  const dark = { colorScheme: 'dark' } as const;
  const forced = { colorScheme: 'light', forcedColors: 'active' } as const;
  const languages = ['en', 'de'];
  // In the light, a narrow window has the colors of a wide one. 720 is what 1440 px are at a zoom of 200 %.
  const wide = { colorScheme: 'light', viewport: { width: 1440, height: 740 } };
  const narrow = { colorScheme: 'light', viewport: PHONE.viewport, hasTouch: true };
  await Promise.all([
    forEachView(
      desk,
      views,
      wide,
      ({ n }) => languages[n % 2]!,
      looking([1440, 768, 720], [dark, forced], []),
    ),
    forEachView(
      desk,
      views,
      narrow,
      ({ n }) => languages[(n + 1) % 2]!,
      looking([360], [dark], RULES_OF_COLORS),
    ),
  ]);
  assert.deepEqual(found, []);
  assert.deepEqual(desk.complaints, []);
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
