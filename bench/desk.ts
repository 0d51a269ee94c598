/**
 * `npm run bench:desk`: how fluid the desk is in Chromium. Prints the longest frame while a queue of 10,000 submissions and
 * a record of 2,000 values scroll, the time from navigation to the first view, how long the service takes to answer
 * each key of a search of 100,000 records, and the CPU time of a letter in a form of 500 list items beside that in a small one.
 * `SUBMISSIONS` and `RECORDS` change the numbers.
 *
 * On a machine that does other work, look at the CPU time: the longest frame includes the time of other programs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { chromium, type Page } from 'playwright-core';
import { buildDesk } from '../scripts/build-ui.ts';
import { openApp } from '../src/app.ts';
import { CHROMIUM } from '../test/support/chromium.ts';

const SUBMISSIONS = Number(process.env.SUBMISSIONS ?? 10_000);
const RECORDS = Number(process.env.RECORDS ?? 100_000);
const VALUES = 2000;
/** List items of forms that are typed into. */
const ITEMS = { small: 2, long: 500 };
const LETTERS = 'abcdefghijklmnopqrst';
const FRAMES = 180;
const FAMILIES = ['Abe', 'Byron', 'Curie', 'Dubois', 'Euler', 'Fermi', 'Gauss', 'Hopper', 'Lin', 'Noether'];
const TYPED = 'hopper c0123';

const folder = mkdtempSync(join(tmpdir(), 'accession-desk-'));
const configFile = join(folder, 'config.json');
const token = (name: string, mode: string) => ({
  user_id: name,
  representation: name,
  collections: { lab: { mode, incoming_label: name } },
});
writeFileSync(
  configFile,
  JSON.stringify({
    type: 'collections',
    version: 2,
    collections: {
      lab: {
        schema: 'examples/laboratory/schema.yaml',
        default_token: 'none',
        curated: 'c',
        incoming: 'i',
        backend: { type: 'sqlite' },
      },
    },
    tokens: {
      none: token('none', 'NOTHING'),
      ann: token('ann', 'WRITE_COLLECTION'),
      cora: token('cora', 'CURATOR'),
    },
    admin_tokens: { root: { representation: '0'.repeat(64) } },
  }),
);
await buildDesk();
const app = await openApp({ store: folder, configFile, version: '0', logger: pino({ level: 'error' }) });
try {
  await fill();
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  await measure(`http://127.0.0.1:${port}/-/desk/`);
} finally {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Stores persons with a token, 1,000 at a time. */
async function storePersons(token: string, area: string, prefix: string, total: number): Promise<void> {
  for (let from = 0; from < total; from += 1000) {
    const records = Array.from({ length: Math.min(1000, total - from) }, (_, i) => {
      const name = `${prefix}${String(from + i).padStart(6, '0')}`;
      const family = FAMILIES[(from + i) % FAMILIES.length];
      return { pid: `labid:${name}`, name: `${family} ${name}`, family_name: family };
    });
    const { statusCode, body } = await app.server.inject({
      method: 'POST',
      url: `/-/lab/${area}records/Person`,
      headers: { 'content-type': 'application/json', 'x-service-token': token },
      payload: JSON.stringify(records),
    });
    if (statusCode !== 200) throw new Error(body);
  }
}

async function fill(): Promise<void> {
  await storePersons('ann', '', 'p', SUBMISSIONS);
  await storePersons('cora', 'curated/', 'c', RECORDS);
  for (const [name, length] of Object.entries({ large: VALUES, ...ITEMS })) {
    const properties = Array.from({ length }, (_, i) => ({
      quantity_kind: `kind ${i}`,
      number: i,
      unit: 'm',
    }));
    await app.server.inject({
      method: 'POST',
      url: '/lab/curated/record/Instrument',
      headers: { 'content-type': 'application/json', 'x-service-token': 'cora' },
      payload: JSON.stringify({ pid: `labid:${name}`, name, properties }),
    });
  }
}

async function measure(url: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript("sessionStorage.setItem('accession.token', 'cora')");
  await page.goto(url);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const first = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
  report('first view painted after', Math.round(Number(first)));
  await page.goto(`${url}lab/review`);
  await page.getByText(`${SUBMISSIONS.toLocaleString('en')} submissions`).waitFor({ timeout: 120_000 });
  await frames(page, `queue of ${SUBMISSIONS}`);
  await page.goto(`${url}lab/record?pid=labid%3Alarge`);
  await page.getByRole('heading', { name: 'large' }).waitFor();
  await page.getByRole('button', { name: /^Show all/ }).click();
  await page.waitForTimeout(1000);
  await frames(page, `record of ${VALUES} values`);
  await search(page, `${url}lab/browse/Person`);
  for (const [name, items] of Object.entries(ITEMS)) {
    const spent = await typing(page, `${url}lab/edit?pid=labid%3A${name}`);
    process.stdout.write(`CPU time of a letter in a form of ${items} list items: ${spent.toFixed(1)} ms\n`);
  }
  await browser.close();
}

/** Types into the search of a table; reports how long each answer took, and the work in the browser. */
async function search(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByText(/^[\d,]+ records$/).waitFor();
  const answers: number[] = [];
  page.on('requestfinished', (request) => {
    if (request.url().includes('/search?')) answers.push(request.timing().responseEnd);
  });
  const cpu = await cpuClock(page);
  const field = page.getByRole('searchbox').first();
  for (const key of TYPED) {
    await field.press(key === ' ' ? 'Space' : key);
    await page.waitForTimeout(300);
  }
  await page.waitForLoadState('networkidle');
  const spent = (await cpu()) / TYPED.length;
  answers.sort((a, b) => a - b);
  report(
    `search of ${RECORDS}, median answer to a key`,
    Math.round(answers[answers.length >> 1] ?? Number.NaN),
  );
  report(`search of ${RECORDS}, longest answer to a key`, Math.round(answers.at(-1) ?? Number.NaN));
  report('CPU time of the desk for a key', Math.round(spent));
}

/** @returns the CPU time of each letter that is typed into the first field of a form, with the check behind the last one */
async function typing(page: Page, url: string): Promise<number> {
  await page.goto(url);
  const field = page.locator('#f-name');
  await field.press('x');
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(1000);
  const cpu = await cpuClock(page);
  for (const letter of LETTERS) {
    await field.press(letter);
    await page.waitForTimeout(100);
  }
  await page.waitForTimeout(1000);
  return (await cpu()) / LETTERS.length;
}

/** The CPU time that the page takes, in milliseconds, since the call. */
async function cpuClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const now = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const start = await now();
  return async () => (await now()) - start;
}

/** Scrolls at full speed, then step by step, so that the work for each step can be told from that of other programs. */
async function frames(page: Page, what: string): Promise<void> {
  const longest = await longestFrame(page);
  report(`longest frame, ${what}`, longest);
  const cpu = await cpuClock(page);
  let most = 0;
  let before = await cpu();
  for (let step = 0; step < 60; step += 1) {
    await page.evaluate(`new Promise((done) => {
      document.querySelector('[data-main-scroll]').scrollTop += 300;
      requestAnimationFrame(() => requestAnimationFrame(done));
    })`);
    const now = await cpu();
    most = Math.max(most, now - before);
    before = now;
  }
  report(`most CPU time of a step, ${what}`, Math.round(most));
}

/** Scrolls a screen in each frame. */
async function longestFrame(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    const region = document.querySelector('[data-main-scroll]');
    let longest = 0, last = performance.now(), left = ${FRAMES};
    const frame = (now) => {
      longest = Math.max(longest, now - last);
      last = now;
      region.scrollTop += 300;
      if (left-- > 0) requestAnimationFrame(frame);
      else resolve(Math.round(longest));
    };
    requestAnimationFrame(frame);
  })`)) as number;
}

function report(what: string, milliseconds: number): void {
  process.stdout.write(`${what}: ${milliseconds} ms\n`);
}
