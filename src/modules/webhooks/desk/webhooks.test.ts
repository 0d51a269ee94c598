/** Webhooks in the desk: made with a secret that is shown once, tested, redelivered, enabled again, deleted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../../../../test/support/app.ts';
import { assertFits, PHONE, skip, testDesk, useBrowser } from '../../../../test/support/desk.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { person } from '../../../../test/support/people.ts';
import { openReceiver } from '../../../../test/support/receiver.ts';

useBrowser();

test('an administrator makes a webhook by keyboard, tests it, and sends a delivery again', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, undefined, { schemaHosts: ['127.0.0.1'] });
  const receiver = await openReceiver(t);
  const page = await open('admin/webhooks', ADMIN, PHONE);
  await page.getByText('No changes are sent anywhere.').waitFor();
  await page.getByRole('button', { name: 'New webhook' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await assertFits(page);
  await page.keyboard.type('site');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ftp://x');
  await page.keyboard.press('Control+Enter');
  await dialog
    .locator('#webhook-url-error')
    .getByText('expected an http or https URL', { exact: false })
    .waitFor();
  await dialog.getByLabel('URL').fill(receiver.url);
  await page.keyboard.press('Tab');
  await page.keyboard.type('Person');
  await page.keyboard.press('Control+Enter');
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText(secret).waitFor({ state: 'detached' });

  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  await receiver.until(1);
  const card = page.getByRole('region', { name: 'site' });
  await card.getByRole('button', { name: 'Send a test' }).click();
  await card.getByText('The receiver accepted it with the status 200.').waitFor();
  await card.getByRole('button', { name: 'Deliveries' }).focus();
  await page.keyboard.press('Enter');
  await card.getByText('created labid:ada', { exact: false }).waitFor();
  await assertFits(page);
  await card.getByRole('button', { name: 'Send again: labid:ada' }).click();
  await receiver.until(3);
  assert.deepEqual(
    receiver.notices().map((notice) => notice?.pid),
    ['labid:ada', undefined, 'labid:ada'],
  );
  await page.getByRole('button', { name: 'New webhook' }).click();
  await dialog.getByLabel('Name').fill('site');
  await page.keyboard.press('Control+Enter');
  await dialog.getByText('There is a webhook with this name.').waitFor();
  assert.deepEqual(complaints, []);
});

test('a curator sees why a webhook is disabled, enables and deletes it', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t, undefined, { schemaHosts: ['127.0.0.1'] });
  const receiver = await openReceiver(t);
  receiver.answers = 410;
  const state = async () => {
    const { items } = (await service.request('GET', '/-/lab/webhooks', { token: 'cora' })).json<{
      items: { state: string }[];
    }>();
    return items.map((one) => one.state).join();
  };
  await service.request('PUT', '/-/lab/webhooks/site', { token: 'cora', json: { url: receiver.url } });
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  await eventually('a refusal', state, (found) => found === 'disabled');
  const page = await open('lab/stewardship/webhooks', 'cora');
  const card = page.getByRole('region', { name: 'site' });
  await card.getByText('410', { exact: false }).first().waitFor();
  await card.getByText('Nothing is sent.', { exact: false }).waitFor();
  await card.getByRole('button', { name: 'Enable' }).click();
  await card.getByText('active', { exact: true }).waitFor();
  assert.equal(await state(), 'active');
  await card.getByRole('button', { name: 'Delete site' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await page.getByText('No changes are sent anywhere.').waitFor();
  assert.equal(await state(), '');
  assert.deepEqual(complaints, []);
});
