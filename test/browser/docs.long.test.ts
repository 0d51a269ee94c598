/** The interactive documentation as a newcomer uses it, in Chromium: nothing leaves the machine. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { testApp } from '../support/app.ts';
import { CHROMIUM, skip } from '../support/chromium.ts';

let browser: Browser;
before(async () => {
  if (skip) return;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => browser?.close());

const CONFIGURATION = {
  collections: { lab: {} },
  tokens: { nobody: {}, writer: { lab: 'WRITE_COLLECTION' } },
};

/** Opens the documentation of a running service; `strangers` are the requests that went elsewhere. */
async function openDocs(t: Parameters<typeof testApp>[0], width: number) {
  const service = await testApp(t, CONFIGURATION);
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  t.after(() => page.close());
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base))
      strangers.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${base}/docs`);
  await page.getByRole('button', { name: 'Authorize' }).first().waitFor();
  return { service, page, strangers, complaints };
}

async function openOperation(page: Page, method: string, path: string): Promise<Locator> {
  const operation = page.locator('.opblock', {
    has: page.locator(`.opblock-summary-path[data-path="${path}"]`),
    hasText: method,
  });
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('button.execute').waitFor();
  return operation;
}

async function execute(operation: Locator): Promise<{ status: string; body: string }> {
  await operation.locator('button.execute').click();
  const response = operation.locator('.live-responses-table');
  await response.waitFor();
  return {
    status: (await response.locator('.response-col_status').last().textContent()) ?? '',
    body:
      (await response.locator('.response-col_description .highlight-code code').first().textContent()) ?? '',
  };
}

test('a newcomer pastes a token, stores a record, and reads it back', { skip }, async (t) => {
  const { service, page, strangers, complaints } = await openDocs(t, 1200);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.locator('.auth-container input').first().fill('writer');
  await page.locator('.auth-container button.authorize').first().click();
  await page.locator('.btn-done').first().click();
  await page.locator('#operations-tag-lab').click();

  const store = await openOperation(page, 'POST', '/lab/record/Person');
  const stored = await execute(store);
  assert.match(stored.status, /^200/);
  assert.match(stored.body, /"schema_type": "schema:Person"/);
  const pid = /"pid": "([^"]+)"/.exec(stored.body)?.[1] ?? '';
  assert.equal((await service.request('GET', `/lab/record?pid=${pid}`, { token: 'writer' })).status, 200);

  const read = await openOperation(page, 'GET', '/lab/record');
  await read.locator('tr[data-param-name="pid"] input').fill(pid);
  const found = await execute(read);
  assert.match(found.status, /^200/);
  assert.ok(found.body.includes(`"pid": "${pid}"`));
  assert.deepEqual(strangers, []);
  assert.deepEqual(complaints, []);
});

test('on a narrow screen nothing overflows', { skip }, async (t) => {
  const { page, strangers } = await openDocs(t, 360);
  await page.locator('#operations-tag-lab').click();
  await openOperation(page, 'POST', '/lab/record/Person');
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  if (process.env.ACCESSION_SCREENSHOTS) {
    await page.screenshot({ path: `${process.env.ACCESSION_SCREENSHOTS}/docs-narrow.png`, fullPage: true });
  }
  assert.deepEqual(strangers, []);
});
