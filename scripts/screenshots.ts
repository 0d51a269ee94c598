/**
 * Pictures of the desk, made from a running service with the example records, and a page that shows all of them.
 *
 *     node scripts/screenshots.ts [FOLDER] [--only NAME,…] [--state STATE,…] [--width 1440,360] [--scheme light,dark] [--language en]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { type BrowserContext, chromium } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { curated, incoming } from '../examples/laboratory/records.ts';
import { type App, openApp } from '../src/app.ts';
import { CHROMIUM } from '../test/support/chromium.ts';
import { buildDesk } from './build-ui.ts';
import { PICTURES, type Picture, pathIn, RESTRICTED, STATES } from './desk-pictures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    state: { type: 'string', default: 'full' },
    width: { type: 'string', default: '1440,360' },
    scheme: { type: 'string', default: 'light,dark' },
    language: { type: 'string', default: 'en' },
  },
});
const folder = resolve(positionals[0] ?? 'docs/desk');
const only = values.only?.split(',');
const pictures = PICTURES.filter(({ name }) => only?.includes(name) ?? true);
const states = values.state === 'all' ? Object.keys(STATES) : values.state.split(',');

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The desk in pictures</title>
<style>body { font: 14px sans-serif } figure { display: inline-block; margin: 4px; vertical-align: top }
img { width: 460px; border: 1px solid #888 } img[src*="-360-"] { width: 230px }</style>\n`;

await buildDesk();
mkdirSync(folder, { recursive: true });
const store = mkdtempSync(join(tmpdir(), 'accession-pictures-'));
const configFile = join(store, 'config.yaml');
writeFileSync(configFile, moreCollections());
const app = await openApp({
  store,
  configFile,
  version: '0.2.0',
  logger: pino({ level: 'error' }),
});
try {
  await fill(app);
  await fillRestricted(app);
  if (states.includes('hostile')) await fillHostile(app);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  await takeAll(`http://127.0.0.1:${port}`);
} finally {
  await app.close();
  rmSync(store, { recursive: true, force: true });
}

/** The configuration of the laboratory, with the same collection again: one stays empty, one gets hostile records, one has policies. */
function moreCollections(): string {
  const configuration = parse(readFileSync('examples/laboratory/config.yaml', 'utf8'));
  const { collections, tokens } = configuration;
  const states = Object.values(STATES).flatMap(({ collection }) => collection ?? []);
  for (const name of [...states, 'restricted']) {
    const { schema, default_token } = collections.laboratory;
    collections[name] = { schema, default_token, curated: `${name}/curated`, incoming: `${name}/incoming` };
    for (const token of Object.values<{ collections: Record<string, object> }>(tokens))
      token.collections[name] = token.collections.laboratory!;
  }
  Object.assign(collections.restricted, RESTRICTED);
  return stringify(configuration);
}

async function post(to: App, token: string, url: string, payload: object): Promise<void> {
  const headers = { 'x-service-token': token };
  const { statusCode, body } = await to.server.inject({ method: 'POST', url, headers, payload });
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${body}`);
}

/** Curated records, then submissions from two zones, one of them overtaken by a curator, and asked about. */
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
  await post(to, 'lab-curator', '/-/laboratory/review/comments', {
    label: 'submitter',
    pid: 'labid:project-001',
    text: 'The wind tunnel was in use until July. Please check the end of the project.',
    requests: 'changes',
  });
}

/** People, of whom some are restricted by policies. */
async function fillRestricted(to: App): Promise<void> {
  const people = curated.filter(({ className }) => className === 'Person').slice(0, 12);
  for (const [at, { record }] of people.entries()) {
    const policy = [undefined, 'patients', undefined, 'staff'][at % 4];
    const annotations = policy === undefined ? {} : { annotations: { policy } };
    await post(to, 'lab-curator', '/restricted/curated/record/Person', { ...record, ...annotations });
  }
}

/** Records with names that are long, from right to left, or markup, and with long lists. */
async function fillHostile(to: App): Promise<void> {
  const long = 'Antidisestablishmentarianism'.repeat(6);
  const names = [
    long,
    'مريم ميرزاخاني',
    '<img src=x onerror=alert(1)> {{7*7}}',
    'محمد‎ 12/34 ada@example.org',
    '🧑‍🔬'.repeat(40),
  ];
  const people = names.map((name, n) => ({ pid: `labid:person-${n}`, name, family_name: name }));
  const project = {
    pid: 'labid:hostile',
    name: names.join(' '),
    description: `${long}\n\n${'Words without end. '.repeat(400)}`,
    participations: Array.from({ length: 60 }, (_, n) => ({
      person: `labid:person-${n % names.length}`,
      project_role: 'researcher',
      share: n / 100,
    })),
  };
  for (const record of people) await post(to, 'lab-curator', '/hostile/curated/record/Person', record);
  await post(to, 'lab-curator', '/hostile/curated/record/Project', {
    ...project,
    funders: ['labid:nowhere'],
  });
  await post(to, 'lab-submitter', '/hostile/record/Project', { ...project, name: long, description: long });
  for (const record of people)
    await post(to, 'lab-submitter', '/hostile/record/Person', { ...record, email: `${long}@example.org` });
  await post(to, 'lab-submitter', '/hostile/record/Person', { ...people[0], pid: `labid:${long}` });
}

async function takeAll(base: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  const files = new Map<string, string[]>();
  for (const width of values.width.split(',').map(Number)) {
    for (const scheme of values.scheme.split(',') as ('light' | 'dark')[]) {
      const context = await browser.newContext({
        viewport: { width, height: width > 500 ? 900 : 780 },
        colorScheme: scheme,
        deviceScaleFactor: width > 500 ? 1 : 2,
        locale: values.language === 'en' ? 'en-GB' : values.language,
        reducedMotion: 'reduce',
      });
      for (const picture of pictures) {
        for (const state of states) {
          const parts = [picture.name, ...(state === 'full' ? [] : [state]), width, scheme];
          const file = `${parts.join('-')}.png`;
          if (!(await take(context, base, picture, state, file))) continue;
          files.set(picture.name, [...(files.get(picture.name) ?? []), file]);
        }
      }
      await context.close();
    }
  }
  await browser.close();
  const shown = [...files].map(
    ([name, all]) =>
      `<h2>${name}</h2>${all.map((file) => `<figure><img src="${file}" loading="lazy"><figcaption>${file}</figcaption></figure>`).join('')}`,
  );
  if (positionals[0] !== undefined) writeFileSync(join(folder, 'index.html'), `${PAGE}${shown.join('\n')}`);
}

/** Takes the picture of a view in a state; false if the view has no such state. */
async function take(
  context: BrowserContext,
  base: string,
  picture: Picture,
  state: string,
  file: string,
): Promise<boolean> {
  const { collection, prepare } = STATES[state]!;
  const path = pathIn(picture.path, collection);
  if (path === undefined) return false;
  const { token, before } = picture;
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && state === 'full') console.error(`${file}: ${message.text()}`);
  });
  page.on('pageerror', (error) => console.error(`${file}: ${error.stack}`));
  if (token) await page.addInitScript((secret) => sessionStorage.setItem('accession.token', secret), token);
  await prepare?.(page);
  await page.goto(`${base}/-/desk/${path}`);
  if (state === 'loading') await page.waitForTimeout(700);
  else await page.waitForLoadState('networkidle');
  if (state === 'full') await before?.(page).catch((error) => console.error(`${file}: ${error.message}`));
  await page.waitForTimeout(300);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  if (width > page.viewportSize()!.width) console.error(`${file}: ${width} px wide`);
  await page.screenshot({ path: join(folder, file) });
  await page.close();
  return true;
}
