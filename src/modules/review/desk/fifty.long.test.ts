/** Fifty mixed submissions, decided by keyboard: how many keys that takes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { skip, testDesk, toast, useBrowser } from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

const names = (kind: string, n: number) => Array.from({ length: n }, (_, i) => `${kind}${10 + i}`);

const REASON = 'Not one of us.';

/**
 * The queue with fifty submissions: three are wrong, five are in conflict with the curated record.
 *
 * @param pace milliseconds that each key takes
 */
async function fifty(t: TestContext, pace = 0) {
  const { service, open, complaints } = await testDesk(t);
  const store = async (token: string, path: string, name: string, more: object = {}) => {
    const { status, text } = await service.request('POST', `/lab/${path}record/Person`, {
      token,
      json: person(name, more),
    });
    assert.equal(status, 200, text);
  };
  for (const name of names('wrong', 3)) await store('ann', '', name);
  for (const name of names('new', 20)) await store('ann', '', name);
  for (const [kind, n] of [
    ['changed', 10],
    ['diverged', 6],
    ['conflict', 5],
    ['same', 6],
  ] as const)
    for (const name of names(kind, n)) {
      await store('cora', 'curated/', name, { email: 'old@example.org' });
      await store('ann', '', name, { email: 'new@example.org' });
      if (kind === 'same') await store('cora', 'curated/', name, { email: 'new@example.org' });
      if (kind === 'diverged')
        await store('cora', 'curated/', name, { email: 'old@example.org', given_name: 'By Cora' });
      if (kind === 'conflict') await store('cora', 'curated/', name, { email: 'other@example.org' });
    }
  const left = async () =>
    (await service.request('GET', '/-/lab/review/summary', { token: 'cora' })).json<{ total: number }>()
      .total;
  assert.equal(await left(), 50);

  const page = await open('lab/review', 'cora');
  let keys = 0;
  const press = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key, { delay: pace });
    keys += pressed.length;
  };
  /** The reasons of the rejections. */
  const reasons = async () => {
    const { items } = (
      await service.request('GET', '/-/lab/review/decisions?decision=reject', { token: 'cora' })
    ).json<{ items: { reason: string }[] }>();
    return items.map(({ reason }) => reason);
  };
  const dialog = page.getByRole('dialog');
  const wait = (n: number) => page.getByText(`${n} submissions`, { exact: true }).waitFor();
  await wait(50);
  await page.getByRole('link', { name: 'wrong10' }).first().waitFor();
  /** Says how many keys were pressed, and that what was submitted is stored. */
  const finish = async (most: number) => {
    assert.equal(await left(), 0);
    t.diagnostic(`${keys} keys`);
    assert.ok(keys <= most, `${keys} keys`);
    const { items } = (
      await service.request('GET', '/lab/curated/records/p/Person?size=100', { token: 'cora' })
    ).json<{ items: { pid: string; email?: string; given_name?: string }[] }>();
    assert.equal(items.length, 47);
    assert.equal(items.filter(({ email }) => email === 'new@example.org').length, 27);
    assert.equal(
      items.filter(({ given_name }) => given_name === 'By Cora').length,
      6,
      'nothing was reverted',
    );
    assert.deepEqual(complaints, []);
  };
  return { page, dialog, press, wait, left, finish, reasons };
}

test('fifty submissions, three of them rejected and five in conflict, take at most 25 keys in bulk', {
  skip,
}, async (t) => {
  const { page, dialog, press, wait, left, finish } = await fifty(t);
  await press('r');
  await dialog.waitFor();
  await page.keyboard.type(REASON);
  await press('Control+Enter');
  for (const n of [49, 48]) {
    await dialog.waitFor({ state: 'detached' });
    await wait(n);
    await press('r');
    await dialog.getByText(REASON).first().waitFor();
    await press('1', 'Control+Enter');
  }
  await dialog.waitFor({ state: 'detached' });
  await wait(47);
  await press('Control+a', 'a');
  await dialog.waitFor();
  await press('Control+Enter');
  await dialog.getByRole('button', { name: /^Close/ }).waitFor();
  assert.equal(await left(), 5, 'what is in conflict is left');
  await press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await wait(5);
  await page.getByRole('link', { name: 'conflict10' }).first().waitFor();
  await press('Enter');
  for (const name of names('conflict', 5)) {
    await page.getByRole('heading', { name }).waitFor();
    // A person presses no key before the difference is there.
    await page.getByText('other@example.org').first().waitFor();
    await press('3', 'a');
    await toast(page, `Accepted ${name}.`);
  }
  await finish(25);
});

/** Milliseconds between two keys of a hand, and of each request. */
const PACE = 250;
const LATENCY = 400;

test('fifty submissions, one by one at the pace of a hand and over a slow line, take at most 60 keys, and have the right reasons', {
  skip,
}, async (t) => {
  const { page, press, finish, reasons } = await fifty(t, PACE);
  const network = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: LATENCY, downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', slow);
  // A person presses no key before the submission is there, and does not wait for the dialog and its list of reasons.
  const shown = (name: string) => page.getByRole('heading', { name }).waitFor();
  await press('Enter');
  for (const [at, name] of names('wrong', 3).entries()) {
    await shown(name);
    await press('r');
    if (at === 0) await page.keyboard.type(REASON, { delay: PACE / 5 });
    else await press('1');
    await press('Control+Enter');
    await toast(page, `Rejected ${name}: ${REASON}`);
  }
  for (const [kind, n, key] of [
    ['new', 20, 'a'],
    ['changed', 10, 'a'],
    ['diverged', 6, 'a'],
    ['conflict', 5, 's'],
    ['same', 6, 'a'],
  ] as const)
    for (const name of names(kind, n)) {
      await shown(name);
      if (kind === 'conflict') await page.getByText('other@example.org').first().waitFor();
      await press(key);
      await toast(page, `Accepted ${name}.`);
    }
  await finish(60);
  assert.deepEqual(await reasons(), [REASON, REASON, REASON]);
});
