/** The desk of a running service in Chromium, for tests that do what a user does. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Route,
} from 'playwright-core';
import { buildDesk } from '../../scripts/build-ui.ts';
import type { AppOptions } from '../../src/app.ts';
import { type TestConfiguration, type TestService, testApp } from './app.ts';
import { CHROMIUM, skip } from './chromium.ts';
import { eventually } from './eventually.ts';

export { skip };

const ARGUMENTS = [
  'no-sandbox',
  'disable-gpu',
  'disable-quic',
  'no-first-run',
  'disable-background-networking',
];
const MORE_ARGUMENTS = ['disable-component-update', 'disable-sync'];

/** How long a view is waited for until it is made to look again. */
const LOOK = 500;

/**
 * The longest delay in milliseconds of each response and each frame of a browser, drawn anew each time, and by how much its
 * processor is slowed. Tests that read a page before it has changed fail with it, instead of once a month.
 */
const DELAY = Number(process.env.ACCESSION_TEST_DESK_DELAY ?? 0);
const SLOWER = 4;
/** How long something may take until a test gives up, in milliseconds: for machines with much else to do. */
const PATIENCE = DELAY > 0 ? 30_000 : 180_000;
const DELAYED = `
  const later = () => new Promise((resolve) => setTimeout(resolve, Math.random() * ${DELAY}));
  const { fetch, requestAnimationFrame } = window;
  window.fetch = (...args) => later().then(() => fetch(...args)).then((response) => later().then(() => response));
  window.requestAnimationFrame = (callback) => requestAnimationFrame(() => later().then(() => callback(performance.now())));
`;

let browser: Browser;
let isLaunched = false;
/** Files of this process that have tests to come. */
let users = 0;

/** Has a browser for the tests of a file: one for all files of a process. */
export function useBrowser(): void {
  users += 1;
  before(async () => {
    if (isLaunched) return;
    isLaunched = true;
    await buildDesk();
    if (skip) return;
    const args = [...ARGUMENTS, ...MORE_ARGUMENTS].map((name) => `--${name}`);
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  });
  after(async () => {
    users -= 1;
    if (users === 0) await browser?.close();
  });
}

/** People of most tests. The desk shows the same with files, which would need another thread. */
export const PEOPLE: TestConfiguration = {
  collections: { lab: { backend: { type: 'sqlite+stl' } } },
  tokens: {
    nobody: {},
    reader: { lab: 'READ_CURATED' },
    ann: { lab: 'WRITE_COLLECTION' },
    cora: { lab: 'CURATOR' },
    carl: { lab: 'CURATOR' },
  },
};

export type Desk = {
  readonly service: TestService;
  /** The URL of the desk, with a slash at its end. */
  readonly url: string;
  /** Opens a tab of a context of its own, signed in with a token if one is given. */
  open(path: string, token?: string, options?: BrowserContextOptions): Promise<Page>;
  /** What the browser complained about: refused scripts, uncaught errors. */
  readonly complaints: string[];
  /** Requests that went elsewhere. */
  readonly strangers: string[];
};

/** A service that listens on a port of its own until the test ends. */
export async function testDesk(
  t: TestContext,
  configuration = PEOPLE,
  options: Partial<AppOptions> = {},
): Promise<Desk> {
  const service = await testApp(t, configuration, options);
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const complaints: string[] = [];
  const strangers: string[] = [];
  const open = async (path: string, token?: string, options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
      // Requests that tests delay or answer would go past them.
      serviceWorkers: 'block',
      ...options,
    });
    t.after(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    if (DELAY > 0) {
      await page.addInitScript(DELAYED);
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    }
    followRequests(page);
    page.on('request', (request) => {
      if (!request.url().startsWith(base)) strangers.push(request.url());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // A refusal of the service is shown by the desk; the browser logs it besides.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(message.text());
      }
    });
    if (token !== undefined) await page.addInitScript(signedIn(token));
    await page.goto(`${base}/-/desk/${path}`);
    return page;
  };
  return { service, url: `${base}/-/desk/`, open, complaints, strangers };
}

/** The requests of each page that have no response yet. */
const asked = new WeakMap<Page, Set<Request>>();

function followRequests(page: Page): void {
  const open = new Set<Request>();
  asked.set(page, open);
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/** How often in succession nothing may be under way before a view is thought to be complete. */
const CALM = 3;
const LOADS = `document.querySelector('.bones, [aria-busy="true"]') !== null`;
const NEXT_FRAME = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';

/** Waits until a view shows all that it has asked for, and has drawn it. For tests of every view, which expect nothing by name. */
export async function settled(page: Page): Promise<void> {
  let calm = 0;
  const read = async () => {
    await page.evaluate(NEXT_FRAME);
    const isLoading = await page.evaluate<boolean>(LOADS);
    const open = [...asked.get(page)!].map((request) => request.url());
    calm = open.length === 0 && !isLoading ? calm + 1 : 0;
    return { isLoading, open };
  };
  await eventually('nothing is loading', read, () => calm >= CALM);
}

const PROBE = '/-/intercepted';
const IS_INTERCEPTED = `fetch('${PROBE}', { method: 'HEAD' }).then(({ status }) => status === 204, () => false)`;

/**
 * Holds or answers requests of a page, as its `route` does, and returns when they come here: the process of the page learns of
 * it a little after Playwright has returned, and what a key sends meanwhile would go past.
 */
export async function intercept(
  page: Page,
  url: Parameters<Page['route']>[0],
  answer: (route: Route) => unknown,
  options: { times?: number } = {},
): Promise<void> {
  await page.route(url, answer, options);
  await page.route(`**${PROBE}`, (route) => route.fulfill({ status: 204 }));
  await eventually('requests are intercepted', () => page.evaluate<boolean>(IS_INTERCEPTED));
  await page.unroute(`**${PROBE}`);
}

/**
 * Lets the next request through that changes something, and drops its answer: the service has done what the page does not learn.
 *
 * @param path of the request
 * @param until the service does not respond to anything until this is resolved
 */
export async function loseAnswer(
  page: Page,
  path: RegExp,
  until: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  let isLost = false;
  let isAway = false;
  await intercept(
    page,
    ({ pathname }) => !pathname.startsWith('/-/desk/'),
    async (route) => {
      const request = route.request();
      const isIt = !isLost && request.method() !== 'GET' && path.test(new URL(request.url()).pathname);
      if (!isIt) return isAway ? route.abort() : route.fallback();
      isLost = true;
      isAway = true;
      await route.fetch();
      until.then(() => {
        isAway = false;
      });
      return route.abort();
    },
  );
}

/** Waits until the desk says something in its toast. */
export const toast = (page: Page, text: string | RegExp) => page.locator('.toast').getByText(text).waitFor();

/** Waits until a field has a value: a file is read, and a view is drawn, some time after what causes it. */
export async function hasValue(field: Locator, expected: string, when = 'the value'): Promise<void> {
  await eventually(
    when,
    () => field.inputValue(),
    (found) => found === expected,
  );
}

/**
 * A tab that has a token when it is opened, as one has that was signed in before: three views more would cost a test more than
 * all that it does itself. Only its first page is given it, so that the tab can be signed out.
 */
const signedIn = (token: string) => `
  if (sessionStorage.getItem('accession.test') === null) {
    sessionStorage.setItem('accession.test', '');
    sessionStorage.setItem('accession.token', ${JSON.stringify(token)});
  }
`;

/** Has a view ask for what is new, as it does by itself every few seconds, and when its tab is on the screen again. */
export async function lookAgain(page: Page): Promise<void> {
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
}

/** Puts the tab off the screen until it goes elsewhere: its view asks for nothing new. */
export async function lookAway(page: Page): Promise<void> {
  await page.evaluate(
    "Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })",
  );
}

/** Waits for what a view shows as soon as it has asked for what is new. */
export async function untilNew(page: Page, locator: Locator): Promise<void> {
  for (let left = PATIENCE / LOOK; ; left--) {
    await lookAgain(page);
    try {
      return await locator.waitFor({ timeout: LOOK });
    } catch (error) {
      if (left <= 0) throw error;
    }
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe-core finds in a page whose context has `bypassCSP`.
 *
 * @param rules those that are run alone, or those that are left out; by default all are run
 */
export async function accessProblems(
  page: Page,
  { only, without = [] }: { readonly only?: readonly string[]; readonly without?: readonly string[] } = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const off = Object.fromEntries(without.map((name) => [name, { enabled: false }]));
  const options = { resultTypes: ['violations'], preload: false, rules: off, ...(only && { runOnly: only }) };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** A phone whose pages axe-core may look at. */
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, bypassCSP: true } as const;

/** Expects that a page at 360 px neither scrolls sideways nor has problems for screen readers. */
export async function assertFits(page: Page): Promise<void> {
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  assert.deepEqual(await accessProblems(page), []);
}

/** Signs in as a person does, then goes to a place. */
export async function signIn(page: Page, token: string, url: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  if (page.url() !== url) await page.goto(url);
}
