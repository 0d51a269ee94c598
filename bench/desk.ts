/**
 * `npm run bench:desk`: how fluid the desk is in Chromium. Prints the longest frame while a queue of 10,000 submissions and
 * a record of 2,000 values scroll, and the time from navigation to the first view.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { chromium, type Page } from 'playwright-core';
import { buildDesk } from '../scripts/build-ui.ts';
import { openApp } from '../src/app.ts';

const SUBMISSIONS = Number(process.env.SUBMISSIONS ?? 10_000);
const VALUES = 2000;
const FRAMES = 180;

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

async function fill(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (let from = 0; from < SUBMISSIONS; from += 1000) {
    const records = Array.from({ length: Math.min(1000, SUBMISSIONS - from) }, (_, i) => {
      const name = `p${String(from + i).padStart(5, '0')}`;
      return { pid: `labid:${name}`, name, family_name: name };
    });
    await app.server.inject({
      method: 'POST',
      url: '/-/lab/records/Person',
      headers: { ...headers, 'x-service-token': 'ann' },
      payload: JSON.stringify(records),
    });
  }
  const properties = Array.from({ length: VALUES }, (_, i) => ({
    quantity_kind: `kind ${i}`,
    number: i,
    unit: 'm',
  }));
  await app.server.inject({
    method: 'POST',
    url: '/lab/curated/record/Instrument',
    headers: { ...headers, 'x-service-token': 'cora' },
    payload: JSON.stringify({ pid: 'labid:large', name: 'Large', properties }),
  });
}

async function measure(url: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
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
  report(`longest frame, queue of ${SUBMISSIONS}`, await longestFrame(page));
  await page.goto(`${url}lab/record?pid=labid%3Alarge`);
  await page.getByRole('heading', { name: 'Large' }).waitFor();
  await page.getByRole('button', { name: /^Show all/ }).click();
  await page.waitForTimeout(1000);
  report(`longest frame, record of ${VALUES} values`, await longestFrame(page));
  await browser.close();
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
