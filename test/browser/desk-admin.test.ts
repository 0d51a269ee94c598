/** Administration in words: permissions as sentences, new secrets, health with links. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ADMIN } from '../support/app.ts';
import {
  accessProblems,
  assertFits,
  hasValue,
  intercept,
  PEOPLE,
  PHONE,
  skip,
  testDesk,
  useBrowser,
} from '../support/desk.ts';
import { lacks } from '../support/lacks.ts';

useBrowser();

const PASSWORD = 'correct horse battery';

test('permissions are sentences, and a token gets a new secret while the former one still works', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/tokens', ADMIN);
  const row = page.getByRole('row').filter({ hasText: 'ann@example.org' });
  await row
    .getByText('lab: reads curated records, submits, and reads its own zone (zone ann)')
    .last()
    .waitFor();
  await row.getByRole('button', { name: /^New secret for/ }).click();
  await page.getByRole('dialog').getByText('The former secret is accepted for 7 more days.').waitFor();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^New secret/ })
    .click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  assert.notEqual(secret.trim(), '');
  for (const token of [secret.trim(), 'ann']) {
    const me = await service.request('GET', '/-/me', { token });
    assert.equal(me.json<{ user_id: string }>().user_id, 'ann@example.org');
  }
  await page.reload();
  await row.getByText(/^\d\d:\d\d$/).waitFor();
  await page.getByRole('button', { name: 'New token' }).click();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByText('A value is required.').waitFor();
  const option = page.getByLabel('In lab').locator('option', { hasText: 'submits, and reads nothing' });
  assert.equal(await option.getAttribute('value'), 'SUBMIT_ONLY');
  assert.deepEqual(complaints, []);
});

test('a collection is made with a schema that is pasted, and what is missing is said at its field', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/collections', ADMIN);
  await page.getByRole('button', { name: 'New collection' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Create/ }).click();
  assert.equal(await dialog.getByText('A value is required.').count(), 3);
  await page.locator('#collection-name:focus').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('notes');
  await hasValue(dialog.getByLabel('Curated area'), 'notes/curated');
  const text = readFileSync('examples/laboratory/schema.yaml', 'utf8');
  await dialog.getByLabel('Or its text').fill(text.replace('is_a: Agent', 'is_a: Angel'));
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await dialog.getByRole('alert').getByText(/Angel/).waitFor();
  await dialog
    .getByLabel('Or a file from this computer')
    .setInputFiles({ name: 'schema.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
  const answer = Promise.withResolvers<void>();
  await intercept(page, '**/collections', async (route) => {
    if (route.request().method() === 'POST') await answer.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await dialog.getByRole('status').getByText('The service reads and checks the schema.').waitFor();
  answer.resolve();
  await page
    .locator('.toast')
    .getByText('Made the collection notes. Next, invite people or make a token for it.')
    .waitFor();
  await page.getByRole('main').getByRole('link', { name: 'notes' }).waitFor();
  const { text: kept } = await service.request('GET', '/-/notes/schema', { token: ADMIN });
  assert.equal(kept, text);
  assert.deepEqual(complaints, []);
});

test('an administrator makes a token for another one by keyboard, and ends it', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/tokens', ADMIN, PHONE);
  const tokens = page.getByRole('region', { name: 'Admin tokens' });
  await tokens.getByRole('listitem').first().waitFor();
  await tokens.getByRole('button', { name: 'New admin token' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await assertFits(page);
  await page.keyboard.type('ops');
  await page.keyboard.press('Control+Enter');
  const token = ((await page.locator('[data-secret]').textContent()) ?? '').trim();
  await assertFits(page);
  const isAdmin = async () => (await service.request('GET', '/collections', { token })).status === 200;
  assert.ok(await isAdmin());
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await tokens.getByRole('button', { name: 'Delete ops' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delete/ })
    .click();
  await page.locator('.toast').getByText('Deleted the admin token ops.').waitFor();
  assert.ok(!(await isAdmin()));
  assert.deepEqual(complaints, []);
});

test('over plain HTTP a token is made and copied', { skip }, async (t) => {
  const { open, complaints } = await testDesk(t);
  const page = await open('', ADMIN);
  // What browsers leave out of pages that came without TLS.
  await page.addInitScript(`
    Object.defineProperty(crypto, 'subtle', { value: undefined });
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  `);
  await page.goto(`${page.url()}admin/tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('fresh');
  await page.keyboard.press('Control+Enter');
  await page.locator('[data-secret]').waitFor();
  // It is confirmed for two seconds, which a busy machine may take to look.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a token gets a last day, which the list says, and loses it again', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/tokens', ADMIN);
  const endOf = async () =>
    (await service.request('GET', '/tokens/field', { token: ADMIN })).json<{ expires?: string }>().expires;
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('field');
  await dialog.getByLabel('Until').fill('2001-01-31');
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(/expected a time to come/).waitFor();
  await dialog.getByLabel('Until').fill('2099-12-31');
  await dialog.getByText('31 December 2099').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('[data-secret]').waitFor();
  assert.equal(await endOf(), '2099-12-31');
  await page.getByRole('cell', { name: 'until 31 December 2099' }).waitFor();
  await page.getByRole('button', { name: 'field', exact: true }).click();
  await dialog.getByLabel('Until').fill('');
  await page.keyboard.press('Control+Enter');
  await page.locator('.toast').getByText('field').waitFor();
  assert.equal(await endOf(), undefined);
  assert.deepEqual(complaints, []);
});

test('many tokens are searched and ordered by their last use, and the history says in words what changed', {
  skip,
}, async (t) => {
  const many = Array.from({ length: 12 }, (_, i) => [`field-${10 + i}`, { lab: 'READ_CURATED' as const }]);
  const { service, open, url, complaints } = await testDesk(t, {
    ...PEOPLE,
    tokens: { ...PEOPLE.tokens, ...Object.fromEntries(many) },
  });
  await service.request('GET', '/-/me', { token: 'field-17' });
  const page = await open('admin/tokens', ADMIN, { bypassCSP: true });
  const rows = page.getByRole('row');
  await page.getByLabel('Search tokens').fill('FIELD-1');
  await rows.filter({ hasText: 'field-19' }).first().waitFor();
  assert.equal(await rows.filter({ hasText: 'cora' }).count(), 0);
  await page.getByLabel('Order').selectOption({ label: 'Last used' });
  await rows.nth(1).filter({ hasText: 'field-17' }).waitFor();
  assert.deepEqual(await accessProblems(page), []);
  await page.getByLabel('Search tokens').fill('nowhere');
  await page.getByText('No token matches.').waitFor();

  const json = {
    name: 'guest',
    user_id: 'guest@example.org',
    hashed: true,
    collections: { lab: { mode: 'CURATOR', incoming_label: 'guest' } },
  };
  const made = await service.request('POST', '/tokens', { token: ADMIN, json });
  assert.ok(made.status < 300, made.text);
  await page.goto(`${url}admin/configuration`);
  await page
    .getByText(/Token › .* › User/)
    .first()
    .waitFor();
  await page
    .getByText(/lab › Rights/)
    .first()
    .waitFor();
  await page.getByText('reviews, edits and reads everything').first().waitFor();
  assert.deepEqual(complaints, []);
});

test('a name that links write otherwise is said so, and health tells what is unreadable from what does not fit', {
  skip,
}, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('admin/collections', ADMIN);
  await page.getByRole('button', { name: 'New collection' }).click();
  const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
  await name.fill('notes');
  assert.equal(await page.getByText('Links will say').count(), 0);
  await name.fill('Büche Sammlung');
  await page.getByText('Links will say B%C3%BCche%20Sammlung').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(page.url().replace('collections', 'health'));
  await page.getByText('Unreadable records').waitFor();
  await page.getByText('“accession backup” makes one.').waitFor();
});

test('storage, sources of tokens and audit of a collection are fields, with each fault at its field', {
  skip: skip || lacks('audit'),
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  const page = await open('admin/collections', ADMIN, { bypassCSP: true });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const part = (name: string) => dialog.locator('details').filter({ hasText: name });
  await dialog.getByText('Storage', { exact: true }).click();
  const storage = part('Storage').getByLabel('Kind');
  await storage.waitFor();
  assert.match((await storage.textContent()) ?? '', /PostgreSQL/);
  await dialog.getByText('Audit', { exact: true }).click();
  await part('Audit').getByRole('button', { name: 'Add' }).click();
  assert.deepEqual(await accessProblems(page), []);
  await page.keyboard.press('Control+Enter');
  const directory = part('Audit').getByLabel('Directory');
  await page.locator('#collection-audit_backends-0-path-error').getByText('A value is required.').waitFor();
  assert.equal(await directory.getAttribute('aria-invalid'), 'true');
  await directory.fill('audit-of-lab');
  await part('Audit').getByLabel('Seconds until a commit').fill('5');
  await dialog.getByText('Token sources', { exact: true }).click();
  await part('Token sources').getByRole('button', { name: 'Add' }).click();
  await part('Token sources').getByLabel('Kind').last().selectOption('forgejo');
  await part('Token sources').getByLabel('URL').fill('no address');
  await page.keyboard.press('Control+Enter');
  await dialog.locator('[id$=-url-error]').waitFor();
  await part('Token sources').getByRole('button', { name: 'Remove' }).last().click();
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  const { audit_backends, auth_sources } = (
    await service.request('GET', '/collections/lab', { token: ADMIN })
  ).json<{ audit_backends: unknown; auth_sources: { type: string }[] }>();
  assert.deepEqual(audit_backends, [{ type: 'gitaudit', path: 'audit-of-lab', auto_flush_timeout: 5 }]);
  assert.ok(auth_sources.every(({ type }) => type === 'config'));
  assert.deepEqual(complaints, []);

  const phone = await open('admin/collections', ADMIN, PHONE);
  await phone.getByRole('button', { name: 'Edit', exact: true }).click();
  await phone.getByRole('dialog').getByText('Audit', { exact: true }).click();
  await phone.getByRole('dialog').getByLabel('Directory').waitFor();
  await assertFits(phone);
});

test('mail, vocabularies and rights of groups are fields, and a password is never shown', {
  skip: skip || lacks('notify') || lacks('sign-in') || lacks('vocabularies'),
}, async (t) => {
  const lab = {
    auth_sources: [
      { type: 'config' },
      { type: 'oidc', name: 'institute', preset: 'orcid', client_id: 'lab' },
    ],
    smtp: {
      host: 'mail.example.org',
      from: 'lab@example.org',
      url: 'https://lab.example.org',
      password: PASSWORD,
    },
  };
  const { service, open, complaints } = await testDesk(t, { ...PEOPLE, collections: { lab } });
  const stored = async () =>
    (await service.request('GET', '/collections/lab', { token: ADMIN })).json<typeof lab>();
  const page = await open('admin/collections', ADMIN, { bypassCSP: true });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  for (const name of [
    'Mail',
    'Token sources',
    'Vocabularies',
    'Review',
    'Classes',
    'Annotations of submissions',
  ])
    await dialog.locator('summary').getByText(name, { exact: true }).click();
  const shown = await page.evaluate<string>(
    "document.body.innerText + [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join()",
  );
  assert.ok(!shown.includes(PASSWORD), 'the password is on the page');
  await hasValue(dialog.getByLabel('Server'), 'mail.example.org');
  assert.equal(
    await dialog.locator('#collection-smtp-password').getAttribute('placeholder'),
    'kept as it is',
  );

  await dialog.getByRole('button', { name: 'Add: Rights by group' }).click();
  await page.locator('#collection-auth_sources-1-groups-0-name:focus').waitFor();
  await page.keyboard.type('curators');
  await dialog.locator('#collection-auth_sources-1-groups-0-value').selectOption('CURATOR');
  await dialog.getByRole('button', { name: 'Add: Rights by group' }).click();
  await page.locator('#collection-auth_sources-1-groups-1-name:focus').waitFor();
  await page.keyboard.type('curators');
  await dialog.getByText('“curators” is there already. Choose another name.').waitFor();
  // Nothing is stored while a name is there twice.
  await dialog.getByLabel('Server').focus();
  await page.keyboard.press('Control+Enter');
  await page.locator('#collection-auth_sources-1-groups-1-name:focus').waitFor();
  await page.keyboard.type(' of mice');

  await dialog.getByRole('button', { name: 'Add: Vocabularies' }).click();
  await dialog.getByLabel('Port').fill('70000');
  await dialog.getByLabel('Sender').fill('nobody');
  assert.deepEqual(await accessProblems(page), []);
  await page.keyboard.press('Control+Enter');
  const problem = (id: string) => dialog.locator(`[id="collection-${id}-error"]`);
  await problem('vocabularies-0-name').getByText('A value is required.').waitFor();
  await problem('vocabularies-0-value-source').getByText('A value is required.').waitFor();
  await problem('smtp-from')
    .getByText(/expected a string like accession@example.org/)
    .waitFor();
  await problem('smtp-port').getByText('“70000” is too large.').waitFor();
  await page.locator('#collection-smtp-port:focus').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('2525');
  await dialog.getByLabel('Sender').fill('mail@example.org');
  await dialog.getByLabel('Encryption').selectOption({ label: 'TLS from the start' });
  await dialog.locator('#collection-vocabularies-0-name').fill('mesh');
  await dialog
    .locator('#collection-vocabularies-0-value-source')
    .fill('https://vocabularies.example.org/mesh.json');
  await dialog.locator('#collection-vocabularies-0-value-refresh').selectOption({ label: 'weekly' });
  await dialog.getByLabel('Submitters see who has decided').check();
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  const { smtp, auth_sources, vocabularies, review } = (await stored()) as typeof lab & {
    vocabularies: unknown;
    review: unknown;
  };
  assert.deepEqual(smtp, {
    ...lab.smtp,
    from: 'mail@example.org',
    port: 2525,
    tls: 'implicit',
    digest_at: '06:00',
  });
  assert.deepEqual((auth_sources[1] as { groups?: unknown }).groups, {
    curators: 'CURATOR',
    'curators of mice': 'READ_CURATED',
  });
  assert.deepEqual(vocabularies, {
    mesh: { source: 'https://vocabularies.example.org/mesh.json', refresh: 'weekly' },
  });
  assert.deepEqual(review, { show_reviewer: true });

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await dialog.locator('summary').getByText('Mail', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove it: Password' }).click();
  await page.locator('#collection-smtp-password:focus').waitFor();
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  assert.equal('password' in (await stored()).smtp, false);
  assert.deepEqual(complaints, []);

  const phone = await open('admin/collections', ADMIN, { ...PHONE, locale: 'de-DE' });
  await phone.getByRole('button', { name: 'Bearbeiten', exact: true }).click();
  for (const name of ['E-Mail', 'Token-Quellen', 'Vokabulare'])
    await phone.getByRole('dialog').locator('summary').getByText(name, { exact: true }).click();
  await phone.getByRole('dialog').getByLabel('Uhrzeit der täglichen Übersicht').waitFor();
  await assertFits(phone);
});

test('a collection that is deleted takes the permissions of its tokens with it, unless they are kept', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, {
    collections: { lab: {}, old: {} },
    tokens: { nobody: {}, ann: { lab: 'SUBMIT', old: 'SUBMIT' } },
  });
  const named = async () => {
    const token = await service.request('GET', '/tokens/ann', { token: ADMIN });
    return Object.keys(token.json<{ collections: object }>().collections);
  };
  const page = await open('admin/collections', ADMIN, PHONE);
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Take its permissions from 1 token/).waitFor();
    await assertFits(page);
    return dialog;
  };
  const confirm = async (name: string) => {
    await page.keyboard.press('Control+Enter');
    await page.locator('.toast').getByText(`Deleted the collection ${name}.`).waitFor();
  };
  const kept = await remove('old');
  await kept.getByLabel(/^Take its permissions/).uncheck();
  await confirm('old');
  assert.deepEqual(await named(), ['lab', 'old']);
  await remove('lab');
  await confirm('lab');
  assert.deepEqual(await named(), ['old']);
  assert.deepEqual(complaints, []);
});
