/**
 * Pictures of the desk, made from a running service with the example records.
 *
 *     node scripts/screenshots.ts [FOLDER] [--only NAME] [--wide|--narrow] [--dark|--light]
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { chromium } from 'playwright-core';
import { curated, incoming } from '../examples/laboratory/records.ts';
import type { App } from '../src/app.ts';
import { buildDesk } from './build-ui.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    wide: { type: 'boolean' },
    narrow: { type: 'boolean' },
    dark: { type: 'boolean' },
    light: { type: 'boolean' },
  },
});
const folder = resolve(positionals[0] ?? 'docs/desk');

type Picture = { name: string; token?: string; path: string; before?: (page: Page) => Promise<void> };
type Page = Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newPage']>>;

const PICTURES: readonly Picture[] = [
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

await buildDesk();
// It looks for the desk when it is loaded.
const { openApp } = await import('../src/app.ts');
mkdirSync(folder, { recursive: true });
const store = mkdtempSync(join(tmpdir(), 'accession-pictures-'));
const app = await openApp({
  store,
  configFile: 'examples/laboratory/config.yaml',
  version: '0.2.0',
  logger: pino({ level: 'error' }),
});
try {
  await fill(app);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  await takeAll(`http://127.0.0.1:${port}`);
} finally {
  await app.close();
  rmSync(store, { recursive: true, force: true });
}

async function post(to: App, token: string, url: string, payload: object): Promise<void> {
  const headers = { 'x-service-token': token };
  const { statusCode, body } = await to.server.inject({ method: 'POST', url, headers, payload });
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`);
}

/** Curated records, then submissions from two zones, one of them overtaken by a curator. */
async function fill(to: App): Promise<void> {
  for (const { className, record } of curated) {
    await post(to, 'lab-curator', `/laboratory/curated/record/${className}`, record);
  }
  for (const [label, items] of Object.entries(incoming)) {
    for (const { className, record } of items) {
      const token = { submitter: 'lab-submitter', students: 'lab-students' }[label];
      if (token) await post(to, token, `/laboratory/record/${className}`, record);
      else await post(to, 'lab-curator', `/laboratory/incoming/${label}/record/${className}`, record);
    }
  }
  const project = curated.find(({ record }) => record.pid === 'labid:project-001')?.record ?? {};
  const participations = project.participations as { share: number }[];
  const lin = { pid: 'labid:person-mei-lin', name: 'Mei Lin', given_name: 'Mei', family_name: 'Lin' };
  await post(to, 'lab-submitter', '/laboratory/record/Person', lin);
  await post(to, 'lab-submitter', '/laboratory/record/Project', {
    ...project,
    description: 'Images of turbulent flow from a wind tunnel.',
    project_status: 'completed',
    ended: '2021-06-30',
    participations: [
      participations[0],
      { ...participations[1], share: 0.5 },
      { person: 'labid:person-mei-lin', project_role: 'student', share: 0.25 },
    ],
  });
  await post(to, 'lab-curator', '/laboratory/curated/record/Project', {
    ...project,
    description: 'Project number 1 of the laboratory, with the Department of Physics.',
    project_status: 'running',
    budget: { amount: '120000.50', currency: 'CHF' },
    funders: [...(project.funders as string[]), 'labid:organization-fondation-elan'],
  });
}

async function takeAll(base: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  const widths = values.wide ? [1440] : values.narrow ? [360] : [1440, 360];
  const schemes = values.dark ? ['dark'] : values.light ? ['light'] : ['light', 'dark'];
  for (const width of widths) {
    for (const scheme of schemes as ('light' | 'dark')[]) {
      const context = await browser.newContext({
        viewport: { width, height: width > 500 ? 900 : 780 },
        colorScheme: scheme,
        deviceScaleFactor: width > 500 ? 1 : 2,
        locale: 'en-GB',
        reducedMotion: 'reduce',
      });
      for (const picture of PICTURES) {
        if (values.only && !values.only.split(',').includes(picture.name)) continue;
        await take(context, base, picture, `${picture.name}-${width}-${scheme}.png`);
      }
      await context.close();
    }
  }
  await browser.close();
}

async function take(
  context: Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newContext']>>,
  base: string,
  { path, token, before }: Picture,
  file: string,
): Promise<void> {
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${file}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${file}: ${error.stack}`));
  if (token) await page.addInitScript((secret) => sessionStorage.setItem('accession.token', secret), token);
  await page.goto(`${base}/-/desk/${path}`);
  await page.waitForLoadState('networkidle');
  await before?.(page).catch((error) => console.error(`${file}: ${error.message}`));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, file) });
  await page.close();
}
