/** What there is to see of the desk: its views, and the states that a view may be in. */
import type { Page } from 'playwright-core';

/** A view as a person sees it. */
export type Picture = { name: string; token?: string; path: string; before?: (page: Page) => Promise<void> };
export const PICTURES: readonly Picture[] = [
  { name: 'sign-in', path: 'sign-in' },
  { name: 'home', token: 'lab-curator', path: '' },
  { name: 'browse', token: 'lab-curator', path: 'laboratory/browse/Person?preview=labid%3Aperson-ada-abe' },
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
  { name: 'submissions', token: 'lab-submitter', path: 'laboratory/submissions' },
  {
    name: 'upload',
    token: 'lab-submitter',
    path: 'laboratory/upload',
    before: (page) => page.getByText('How the file is read').click(),
  },
  { name: 'queue', token: 'lab-curator', path: 'laboratory/review' },
  {
    name: 'review',
    token: 'lab-curator',
    path: 'laboratory/review/item?label=submitter&pid=labid%3Aproject-001',
  },
  { name: 'decisions', token: 'lab-curator', path: 'laboratory/decisions' },
  { name: 'changes', token: 'lab-curator', path: 'laboratory/changes' },
  { name: 'stewardship', token: 'lab-curator', path: 'laboratory/stewardship' },
  { name: 'dangling', token: 'lab-curator', path: 'laboratory/stewardship/dangling' },
  { name: 'faults', token: 'lab-curator', path: 'laboratory/stewardship/faults' },
  { name: 'moves', token: 'lab-curator', path: 'laboratory/stewardship/moves' },
  { name: 'activity', token: 'lab-curator', path: 'laboratory/stewardship/activity' },
  { name: 'settings', token: 'lab-curator', path: 'laboratory/stewardship/settings' },
  { name: 'rename', token: 'lab-curator', path: 'laboratory/rename?pid=labid%3Aproject-001' },
  {
    name: 'merge',
    token: 'lab-curator',
    path: 'laboratory/merge?keep=labid%3Aproject-001&drop=labid%3Aproject-002',
  },
  { name: 'schema', token: 'lab-curator', path: 'laboratory/schema' },
  { name: 'schema-tried', token: 'lab-admin', path: 'laboratory/schema', before: requireOrcid },
  { name: 'admin', token: 'lab-admin', path: 'admin/health' },
  { name: 'publish', token: 'lab-admin', path: 'admin/publish/laboratory' },
  {
    name: 'webhooks',
    token: 'lab-admin',
    path: 'admin/webhooks/laboratory',
    before: (page) => page.getByRole('button', { name: 'New webhook' }).click(),
  },
  {
    name: 'invitations',
    token: 'lab-admin',
    path: 'admin/invitations/laboratory',
    before: invite,
  },
  { name: 'tokens', token: 'lab-admin', path: 'admin/tokens' },
  { name: 'collections', token: 'lab-admin', path: 'admin/collections/laboratory' },
  {
    name: 'new-collection',
    token: 'lab-admin',
    path: 'admin/collections',
    before: (page) => page.getByRole('button', { name: 'New collection' }).click(),
  },
  { name: 'configuration', token: 'lab-admin', path: 'admin/configuration' },
  {
    name: 'keys',
    token: 'lab-curator',
    path: 'laboratory/review',
    before: (page) => page.keyboard.press('?'),
  },
  { name: 'search', token: 'lab-curator', path: '', before: search },
];

async function misspell(page: Page): Promise<void> {
  await page.getByLabel('ORCID iD').fill('orcid:0000-0002-10');
  await page
    .getByRole('button', { name: /^Submit/ })
    .first()
    .click();
  await page.locator('#problems').waitFor();
}

/** Tries a schema that some persons do not fit. */
async function requireOrcid(page: Page): Promise<void> {
  const text = page.getByLabel('Text of the schema');
  const schema = await text.inputValue();
  await text.fill(
    schema.replace(/( {6}family_name:\n {8}required: true)/, '$1\n      orcid:\n        required: true'),
  );
  await page.getByRole('button', { name: 'What would change' }).click();
  const title = page.getByRole('heading', { name: /^What it means/ });
  await title.waitFor();
  await title.evaluate((element) => element.scrollIntoView());
}

async function invite(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByLabel('Person', { exact: true }).fill('bea@example.org');
}

async function search(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dep');
  await page.locator('#search-hits li').first().waitFor();
}

/** Requests of a view to the service, but the one that says who is signed in. */
const READS = ({ pathname }: URL) => !pathname.startsWith('/-/desk/') && pathname !== '/-/me';

/** How the service responds to a view, and the collection that the view shows instead of the laboratory. */
export type State = { readonly collection?: string; readonly prepare?: (page: Page) => Promise<unknown> };

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
