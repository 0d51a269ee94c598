/** What there is to see of the desk: its views, and the states that a view may be in. */
import type { Page } from 'playwright-core';
import { addNew, moduleViews, pathOf } from '../test/support/module-views.ts';

/** A view as a person sees it. */
export type Picture = {
  name: string;
  token?: string;
  path: string;
  before?: (page: Page) => Promise<unknown>;
};

const LABORATORY = {
  collection: 'laboratory',
  submission: 'label=submitter&pid=labid%3Aproject-001',
  record: 'labid%3Aproject-001',
  other: 'labid%3Aproject-002',
};

export const PICTURES: readonly Picture[] = [
  { name: 'sign-in', path: 'sign-in' },
  { name: 'home', token: 'lab-curator', path: '' },
  { name: 'browse', token: 'lab-curator', path: 'laboratory/browse/Person?preview=labid%3Aperson-ada-abe' },
  {
    name: 'facets',
    token: 'lab-curator',
    path: 'laboratory/browse/Project?is.project_status=running',
    before: facets,
  },
  { name: 'filter', token: 'lab-curator', path: 'laboratory/browse/Project', before: tool(1) },
  { name: 'export', token: 'lab-curator', path: 'laboratory/browse/Project', before: tool(-2) },
  { name: 'columns', token: 'lab-curator', path: 'laboratory/browse/Project', before: tool(-1) },
  { name: 'change', token: 'lab-curator', path: 'laboratory/browse/Project', before: pressing('v') },
  { name: 'record', token: 'lab-curator', path: 'laboratory/record?pid=labid%3Aproject-001' },
  { name: 'history', token: 'lab-curator', path: 'laboratory/record?pid=labid%3Aproject-001&view=history' },
  {
    name: 'form',
    token: 'lab-submitter',
    path: 'laboratory/edit?pid=labid%3Aperson-ada-abe',
    before: misspell,
  },
  { name: 'form-nested', token: 'lab-submitter', path: 'laboratory/edit?pid=labid%3Aproject-001' },
  { name: 'new', token: 'lab-submitter', path: 'laboratory/new/Person' },
  { name: 'help', token: 'lab-curator', path: 'help?about=review' },
  { name: 'activity', token: 'lab-curator', path: 'laboratory/stewardship/activity' },
  { name: 'settings', token: 'lab-curator', path: 'laboratory/stewardship/settings' },
  { name: 'admin', token: 'lab-admin', path: 'admin/health' },
  { name: 'tokens', token: 'lab-admin', path: 'admin/tokens' },
  { name: 'new-token', token: 'lab-admin', path: 'admin/tokens', before: addNew },
  { name: 'collections', token: 'lab-admin', path: 'admin/collections/laboratory' },
  {
    name: 'new-collection',
    token: 'lab-admin',
    path: 'admin/collections',
    before: addNew,
  },
  { name: 'configuration', token: 'lab-admin', path: 'admin/configuration' },
  { name: 'policies', token: 'lab-curator', path: 'restricted/browse/Person' },
  {
    name: 'policies-record',
    token: 'lab-curator',
    path: 'restricted/record?pid=labid%3Aperson-bjorn-byron',
  },
  { name: 'policies-form', token: 'lab-curator', path: 'restricted/edit?pid=labid%3Aperson-bjorn-byron' },
  { name: 'policies-reader', token: 'lab-reader', path: 'restricted/browse/Person' },
  {
    name: 'policies-rules',
    token: 'lab-admin',
    path: 'admin/collections/restricted',
    before: policyRules,
  },
  {
    name: 'policies-report',
    token: 'lab-admin',
    path: 'admin/collections/restricted',
    before: policyReport,
  },
  {
    name: 'public',
    token: 'lab-admin',
    path: 'admin/collections/restricted',
    before: ofCollection(0),
  },
  {
    name: 'keys',
    token: 'lab-curator',
    path: 'laboratory/browse/Person',
    before: pressing('?'),
  },
  { name: 'search', token: 'lab-curator', path: '', before: search },
  ...(await moduleViews()).map(({ name, path, as, open }) => ({
    name,
    token: { submitter: 'lab-submitter', curator: 'lab-curator', administrator: 'lab-admin' }[as],
    path: pathOf({ path }, LABORATORY),
    ...(open && { before: open }),
  })),
];

async function misspell(page: Page): Promise<void> {
  await page.locator('#f-orcid').fill('orcid:0000-0002-10');
  await page.keyboard.press('Control+Enter');
  await page.locator('#problems').waitFor();
}

/** Opens a dialog by a key of the view. */
function pressing(key: string): (page: Page) => Promise<void> {
  return (page) => page.keyboard.press(key);
}

/** Presses a button of a collection: the first makes it public, the second edits it. */
function ofCollection(index: number): (page: Page) => Promise<void> {
  return (page) => page.locator('.coll-card .cap button').nth(index).click();
}

/** Opens the policies of a collection. */
async function policyRules(page: Page): Promise<void> {
  await ofCollection(1)(page);
  await page.locator('.policy-row').last().scrollIntoViewIfNeeded();
}

/** Takes the policies of a person away, and shows what that hides from them. */
async function policyReport(page: Page): Promise<void> {
  await policyRules(page);
  await page.locator('#collection-policies-0').fill('nothing');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByRole('alert').scrollIntoViewIfNeeded();
}

/** On small screens they are in a dialog. */
async function facets(page: Page): Promise<void> {
  if (await page.locator('#facets-toggle[aria-haspopup=dialog]').count()) await tool(0)(page);
}

/** Opens the dialog of a button of the tools: the second filters, the last two export and choose columns, others are of modules. */
function tool(index: number): (page: Page) => Promise<void> {
  return (page) => page.locator('main .tools button').nth(index).click();
}

async function search(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dep');
  await page.locator('#search-hits li').first().waitFor();
}

/** A collection with policies: curators do not have one that a record requires, and readers have none. */
export const RESTRICTED = {
  policy_annotation_tag: 'policy',
  policy_mapping: [
    {
      auth_source: 'config',
      user_id: 'curator@example.org',
      authorized_by: ['patients'],
    },
    {
      auth_source: 'config',
      user_id: 'submitter@example.org',
      authorized_by: ['patients', 'staff'],
    },
  ],
};

/** Requests of a view to the service, but the one that says who is signed in. */
const READS = ({ pathname }: URL) => !pathname.startsWith('/-/desk/') && pathname !== '/-/me';

/** How the service responds to a view, and the collection that the view shows instead of the laboratory. */
type State = { readonly collection?: string; readonly prepare?: (page: Page) => Promise<unknown> };

export const STATES: Readonly<Record<string, State>> = {
  full: {},
  empty: { collection: 'empty' },
  hostile: { collection: 'hostile' },
  loading: { prepare: (page) => page.route(READS, () => undefined) },
  offline: { prepare: (page) => page.route(READS, (route) => route.abort()) },
  refused: {
    prepare: (page) =>
      page.route(READS, (route) =>
        route.fulfill({ status: 403, json: { detail: 'The token may not read this collection.' } }),
      ),
  },
};

/** The path of a view in another collection; undefined if its record is in the laboratory only. */
export function pathIn(path: string, collection: string | undefined): string | undefined {
  if (collection === undefined) return path;
  if (path.includes('preview=')) return path.replace('laboratory', collection).replace(/\?preview=.*/, '');
  if (!path.includes('pid=')) return path.replace('laboratory', collection);
  if (collection !== 'hostile') return undefined;
  return path.replace('laboratory', collection).replace(/pid=[^&]*/, 'pid=labid%3Ahostile');
}
