/** Invitations in the desk: a link for one person, which is shown once, accepted once, and revoked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../../../../test/support/app.ts';
import { assertFits, PHONE, skip, testDesk, untilNew, useBrowser } from '../../../../test/support/desk.ts';

useBrowser();

test('an administrator invites a person by keyboard, who gets a token of her own, once', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const requested: string[] = [];
  service.app.server.server.on('request', ({ url = '' }) => requested.push(url));
  const admin = await open('admin/invitations', ADMIN, PHONE);
  await admin.getByText('No person was invited yet.').waitFor();
  await admin.getByRole('button', { name: 'Invite a person' }).focus();
  await admin.keyboard.press('Enter');
  const dialog = admin.getByRole('dialog');
  await dialog.waitFor();
  await admin.keyboard.press('Control+Enter');
  await dialog.getByText('A value is required.').waitFor();
  await assertFits(admin);
  await dialog.getByLabel('Person').fill('Bea@example.org');
  assert.equal(await dialog.getByLabel('Zone').getAttribute('placeholder'), 'bea');
  await admin.keyboard.press('Control+Enter');
  const link = ((await admin.locator('[data-secret]').textContent()) ?? '').trim();
  await admin.getByRole('button', { name: 'I have stored it' }).click();
  const row = admin.getByRole('listitem').filter({ hasText: 'Bea@example.org' });
  await row.getByText('reads curated records, submits, and reads its own zone (zone bea)').waitFor();
  await row.getByText('open', { exact: false }).first().waitFor();
  await assertFits(admin);

  const secret = new URLSearchParams(new URL(link).hash.slice(1)).get('invitation') ?? '';
  assert.notEqual(secret, '');
  const person = await open('', undefined, PHONE);
  await person.goto(link);
  await person.getByText('You are invited to the collection “lab”.', { exact: false }).waitFor();
  assert.equal(new URL(person.url()).hash, '');
  await assertFits(person);
  await person.getByRole('button', { name: 'Accept with a token' }).focus();
  await person.keyboard.press('Enter');
  const token = ((await person.locator('[data-secret]').textContent()) ?? '').trim();
  await assertFits(person);
  await person.getByRole('button', { name: 'I have stored it' }).click();
  await person.getByRole('heading', { name: 'Home' }).waitFor();
  const me = (await service.request('GET', '/-/me', { token })).json<{
    user_id: string;
    collections: Record<string, { label: string }>;
  }>();
  assert.equal(me.user_id, 'Bea@example.org');
  assert.equal(me.collections.lab?.label, 'bea');

  const second = await open('');
  await second.goto(link);
  await second.getByText('The invitation is not valid', { exact: false }).waitFor();
  await untilNew(admin, row.getByText('accepted', { exact: false }).first());
  assert.ok(!requested.some((url) => url.includes(secret) || url.includes(token)));
  assert.deepEqual(complaints, []);
});

test('a revoked invitation says so', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const json = { name: 'bea', user_id: 'bea@example.org', mode: 'READ_CURATED' };
  const made = await service.request('POST', '/-/lab/invitations', { token: ADMIN, json });
  const page = await open('admin/invitations/lab', ADMIN);
  await page.getByRole('button', { name: 'Revoke: bea@example.org' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.locator('.toast').getByText('Revoked the invitation of bea@example.org.').waitFor();
  await page.getByRole('listitem').getByText('revoked', { exact: false }).first().waitFor();
  const { secret } = made.json<{ secret: string }>();
  const refused = await service.request('POST', '/-/lab/invitations/accept', { token: secret });
  assert.equal(refused.status, 401);
  assert.deepEqual(complaints, []);
});
