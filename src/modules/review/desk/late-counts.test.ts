/** What others do while a view of the queue is being read, and a service that is too busy to answer it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestService } from '../../../../test/support/app.ts';
import { intercept, settled, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';
import { connect } from '../../../client/client.ts';
import { review } from '../client.ts';

useBrowser();

const submit = (service: TestService, name: string) =>
  service.request('POST', '/lab/record/Person', { token: 'ann', json: person(name) });

/** A queue with one submission; its view is opened when the test has said what happens to requests. */
async function queueOf(t: TestContext) {
  const { service, open, url, complaints } = await testDesk(t);
  await submit(service, 'ada');
  const page = await open('', 'reader');
  // A reader has no queue that the desk would have counted already.
  await page.evaluate("sessionStorage.setItem('accession.token', 'cora')");
  const row = (name: string) => page.getByRole('main').getByRole('link', { name }).waitFor();
  const colleague = connect({ url: new URL('../..', url).href, token: 'carl' })
    .collection('lab')
    .use(review);
  return { service, page, row, colleague, complaints, show: () => page.goto(`${url}lab/review`) };
}

/** Keeps requests from the service until they are released. */
async function hold(page: Page, url: RegExp) {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await intercept(page, url, async (route) => {
    asked.resolve();
    await gate.promise;
    await route.continue();
  });
  return { asked: asked.promise, release: gate.resolve };
}

const LIST = /review\/\?/;
const COUNTS = /review\/summary$/;

test('a submission that arrives between the list and its first counts is in the list', {
  skip,
}, async (t) => {
  const { service, page, row, show, complaints } = await queueOf(t);
  const counts = await hold(page, COUNTS);
  await show();
  await row('ada');
  await counts.asked;
  await submit(service, 'bea');
  counts.release();
  await row('bea');
  assert.deepEqual(complaints, []);
});

test('two decisions that leave all numbers as they were are seen', { skip }, async (t) => {
  const { service, page, row, show, colleague, complaints } = await queueOf(t);
  const reject = async (name: string) => {
    const { items } = await colleague.list();
    const { label, pid, digest } = items.find((one) => one.pid === `labid:${name}`)!;
    return colleague.decideOne({ label, pid, digest, decision: 'reject', reason: 'twice' });
  };
  await submit(service, 'bea');
  const { id } = await reject('bea');
  const before = await colleague.summary();
  await show();
  await row('ada');
  await settled(page);
  const counts = await hold(page, COUNTS);
  await counts.asked;
  await reject('ada');
  await colleague.undo(id);
  const { changes, ...numbers } = await colleague.summary();
  assert.deepEqual({ ...numbers, changes: before.changes }, before);
  assert.ok(changes > before.changes);
  counts.release();
  await row('bea');
  assert.deepEqual(complaints, []);
});

test('a list that is slower than changes of others is shown, and then read again', { skip }, async (t) => {
  const { page, row, show, complaints } = await queueOf(t);
  const list = await hold(page, LIST);
  const counted = page.waitForResponse(COUNTS);
  let aborted = 0;
  page.on('requestfailed', (request) => {
    if (LIST.test(request.url())) aborted += 1;
  });
  await show();
  await list.asked;
  await counted;
  list.release();
  await row('ada');
  await settled(page);
  assert.equal(aborted, 0);
  assert.deepEqual(complaints, []);
});

test('a list that the service was too busy for is read again by itself', { skip }, async (t) => {
  const { page, row, show, complaints } = await queueOf(t);
  await intercept(
    page,
    LIST,
    (route) => route.fulfill({ status: 503, json: { detail: 'Too many requests.' } }),
    {
      times: 1,
    },
  );
  await show();
  await row('ada');
  assert.equal(await page.getByRole('button', { name: 'Retry' }).count(), 0);
  assert.deepEqual(complaints, []);
});
