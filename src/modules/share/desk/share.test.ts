/** Shared links in the desk: a view that people without a token open, until the link is revoked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertFits,
  PHONE,
  skip,
  testDesk,
  toast,
  untilNew,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';

useBrowser();

test('a curator shares a view by keyboard; a person without a token opens and reads it, until it is revoked', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const requested: string[] = [];
  service.app.server.server.on('request', ({ url = '' }) => requested.push(url));
  for (const name of ['ada', 'bea'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name) });
  const curator = await open('lab/browse/Person?q=ada&preview=labid%3Aada', 'cora', PHONE);
  await curator.getByRole('button', { name: 'Share' }).focus();
  await curator.keyboard.press('Enter');
  const dialog = curator.getByRole('dialog', { name: 'Share this view' });
  await dialog.getByText('not only those of this view', { exact: false }).waitFor();
  await curator.keyboard.press('Control+Enter');
  await dialog.getByText('A value is required.').waitFor();
  await curator.keyboard.type('Reviewers');
  await curator.keyboard.press('Control+Enter');
  const link = ((await dialog.locator('[data-secret]').textContent()) ?? '').trim();
  await assertFits(curator);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  const [shown, secret = ''] = link.split('#shared=');
  assert.equal(shown, `${url}lab/browse/Person?q=ada`);

  const visitor = await open('', undefined, PHONE);
  await visitor.goto(link);
  await visitor.getByRole('main').getByRole('link', { name: 'ada' }).waitFor();
  assert.equal(visitor.url(), shown);
  assert.equal(await visitor.getByRole('button', { name: 'Share' }).count(), 0);
  await visitor.goto(`${url}lab/record?pid=labid%3Abea`);
  await visitor.getByRole('heading', { level: 1, name: 'bea' }).waitFor();
  assert.equal(await visitor.getByRole('link', { name: 'Inbox' }).count(), 0, 'it belongs to no user');
  await assertFits(visitor);

  await curator.goto(`${url}lab/stewardship/shared-links`);
  await curator.getByRole('button', { name: 'Revoke: Reviewers' }).click();
  await curator
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await toast(curator, 'Revoked the link for Reviewers.');
  await untilNew(curator, curator.getByText('No link is shared.'));
  await visitor.reload();
  await visitor.getByText('If a shared link has ended, ask for another one.', { exact: false }).waitFor();
  await assertFits(visitor);
  assert.ok(secret !== '' && !requested.some((one) => one.includes(secret)));
  assert.deepEqual(complaints, []);
});

test('a shared link that is pasted where its view is open is used there, and other tabs stay signed in', {
  skip,
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const made = await service.request('POST', '/-/lab/shared-links', {
    token: 'cora',
    json: { title: 'Anna' },
  });
  const { secret } = made.json<{ secret: string }>();
  const guest = await open('lab/browse/Person');
  await guest.getByText('It needs a token of this collection.').waitFor();
  await guest.evaluate(`location.href = '${url}lab/browse/Person#shared=${secret}'`);
  await guest.getByRole('main').getByRole('link', { name: 'ada' }).waitFor();
  assert.equal(guest.url(), `${url}lab/browse/Person`);

  const curator = await open('lab/browse/Person', 'cora');
  await curator.getByRole('button', { name: 'Share' }).waitFor();
  const other = await curator.context().newPage();
  await other.goto(`${url}lab/browse/Person#shared=${secret}`);
  await other.getByRole('main').getByRole('link', { name: 'ada' }).waitFor();
  assert.equal(await other.getByRole('button', { name: 'Share' }).count(), 0);
  await curator.reload();
  await curator.getByRole('button', { name: 'Share' }).waitFor();
  assert.deepEqual(complaints, []);
});
