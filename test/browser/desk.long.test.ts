/** The desk as guests, submitters and administrators use it: what they do, and what the service then has. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { ADMIN } from '../support/app.ts';
import { hasValue, PEOPLE, signIn, skip, testDesk, useBrowser } from '../support/desk.ts';
import { organization, person } from '../support/people.ts';

useBrowser();

test('the desk is one page with a strict policy, and its assets are found below any path', {
  skip,
}, async (t) => {
  const { service } = await testDesk(t);
  const { server } = service.app;
  for (const path of ['/-/desk/', '/-/desk/lab/browse/Person', '/-/desk/lab/record?pid=ex%3Aa']) {
    const { statusCode, headers, body } = await server.inject({ url: path });
    assert.equal(statusCode, 200);
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*/);
    assert.doesNotMatch(body, /<script(?![^>]*src=)|style=|\son\w+=/);
    const script = /src="([^"]+)"/.exec(body)?.[1] ?? '';
    assert.equal(new URL(script, `http://service${path}`).pathname, '/-/desk/assets/app.js');
    assert.equal((await server.inject({ method: 'HEAD', url: path })).statusCode, 200);
  }
  assert.equal((await server.inject({ url: '/-/desk' })).headers.location, 'desk/');
  const front = await server.inject({ url: '/', headers: { accept: 'text/html' } });
  assert.equal(front.headers.location, '/-/desk/');
  assert.equal((await server.inject({ url: '/' })).headers.location, '/docs');
  assert.equal((await server.inject({ url: '/-/desk/assets/none.js' })).statusCode, 404);
  assert.equal((await server.inject({ url: '/-/desk/assets/..%2Fcli.js' })).statusCode, 404);
});

test('a guest sees what the default token may see, and a wrong token is refused', { skip }, async (t) => {
  const { open, complaints, strangers } = await testDesk(t);
  const page = await open('');
  await page.getByText('You are not signed in.').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Review' }).count(), 0);
  await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Token', { exact: true }).fill('guessed');
  await page.keyboard.press('Enter');
  await page.getByText('No collection accepts this token.').waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(strangers, []);
});

test('a token stays in the tabs of its browser, and tabs that are opened from one are signed in', {
  skip,
}, async (t) => {
  const { open, url } = await testDesk(t);
  const page = await open('', 'ann');
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url()));
  page.on('console', (message) => seen.push(message.text()));
  await page.goto(`${url}lab/browse/Person`);
  await page.getByText('There are no records').waitFor();
  seen.push(page.url(), await page.evaluate('JSON.stringify({...localStorage}) + document.cookie'));
  assert.deepEqual(
    seen.filter((text) => /\bann\b(?!@)/.test(text.replace(url, ''))),
    [],
  );
  const other = await page.context().newPage();
  await other.goto(`${url}lab/submissions`);
  await other.getByText('You have not submitted records to lab yet.').waitFor();
  await other.getByRole('button', { name: /^Account/ }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByText('You are not signed in.').waitFor();
  await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: 'Sign in' }).waitFor();
  const third = await page.context().newPage();
  await third.goto(`${url}lab/submissions`);
  await third.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await third.getByLabel('Token', { exact: true }).fill('ann');
  await third.keyboard.press('Enter');
  await third.getByText('You have not submitted records to lab yet.').waitFor();
});

test('no token of a session is in the log of the service, however detailed it is', { skip }, async (t) => {
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const { open, url } = await testDesk(t, PEOPLE, { logger });
  const page = await open('admin/tokens', ADMIN);
  const secret = await createToken(page, 'CURATOR');
  const other = await open('sign-in');
  await other.getByLabel('Token', { exact: true }).fill('guessed-secret');
  await other.keyboard.press('Enter');
  await other.getByText('No collection accepts this token.').waitFor();
  await signIn(other, secret, `${url}lab/new/Person`);
  await other.getByLabel(/^Name required/).fill('Mei Lin');
  await other.keyboard.press('Control+Enter');
  await other.getByText('Not stored:').waitFor();
  await other.goto(`${url}lab/review`);
  await other.getByRole('heading', { name: 'Review' }).waitFor();
  const log = lines.join('');
  assert.match(log, /"method":"POST","url":"\/tokens","status":201/);
  assert.match(log, /"user":"trip@example\.org"/);
  for (const token of [ADMIN, secret, 'guessed-secret'])
    for (const form of [token, Buffer.from(token).toString('base64').replace(/=+$/, '')])
      assert.ok(!log.includes(form), `the log has ${form}`);
});

test('a record is found, read with names for links, as JSON, as Turtle, and with its history', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t, {
    ...PEOPLE,
    collections: {
      lab: { backend: { type: 'sqlite' }, audit_backends: [{ type: 'gitaudit', path: 'lab/audit' }] },
    },
  });
  const store = (name: string, json: object) =>
    service.request('POST', `/lab/curated/record/${name}`, { token: 'cora', json });
  await store('Organization', organization('norbury', { name: 'University of Norbury' }));
  for (const name of ['Ada', 'Björn', 'Grace']) {
    const pid = `labid:${name.length}${name.charCodeAt(0)}`;
    await store('Person', { pid, name, family_name: name, affiliations: ['labid:norbury'] });
  }
  await store('Person', person('grace', { name: 'Grace H.', family_name: 'Hopper' }));
  const affiliations = ['labid:norbury'];
  await store('Person', person('grace', { name: 'Grace Hopper', family_name: 'Hopper', affiliations }));
  const page = await open('lab/browse/Person', 'cora');
  await page.getByRole('link', { name: 'Björn' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('Hopper');
  await page.getByText('1 record', { exact: true }).waitFor();
  // The first letters find one record, too.
  await page.waitForURL(/q=Hopper/);
  await page.getByRole('link', { name: 'Grace Hopper' }).click();
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
  await page
    .getByRole('navigation', { name: 'Views of the record' })
    .getByRole('link', { name: 'JSON' })
    .click();
  await page.getByText('"pid": "labid:grace"').waitFor();
  await page.getByRole('link', { name: 'Turtle' }).click();
  await page.getByText('a schema:Person').waitFor();
  await page
    .getByRole('navigation', { name: 'Views of the record' })
    .getByRole('link', { name: /History/ })
    .click();
  await page.getByRole('main').getByText('changed 2 slots').waitFor();
  await page.getByRole('main').getByText('University of Norbury').waitFor();
  await page.getByRole('button', { name: 'Restore this state' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Restore this state/ })
    .click();
  await page
    .getByText(/^Restored the state/)
    .first()
    .waitFor();
  const { name } = (
    await service.request('GET', '/lab/curated/record?pid=labid:grace', { token: 'cora' })
  ).json<{ name: string }>();
  assert.equal(name, 'Grace H.');
  await page.goto(page.url().replace(/record.*/, 'record?pid=labid%3A365'));
  await page.getByRole('main').getByRole('link', { name: 'University of Norbury' }).click();
  await page.getByRole('heading', { name: 'University of Norbury' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a form says at the field what the service refuses, creates a record on the way, and submits', {
  skip,
}, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('first') });
  const page = await open('lab/new/Person', 'ann');
  await page.getByLabel(/^Name required/).fill('Mei Lin');
  await page.getByLabel('ORCID iD').fill('orcid:1');
  await page.getByLabel('Given name').focus();
  await page
    .locator('.field.bad .error')
    .getByText(/orcid:1/)
    .waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Not stored: 2 problems.').waitFor();
  await page.getByLabel(/^Family name required/).fill('Lin');
  await page.getByLabel('ORCID iD').fill('orcid:0000-0002-1000-0000');
  await page.getByRole('combobox', { name: 'Affiliations' }).fill('Norbury');
  await page.getByRole('option', { name: /Create Organization/ }).click();
  const dialog = page.getByRole('dialog', { name: 'New Organization' });
  await dialog.getByLabel(/^Identifier/).fill('labid:norbury');
  await dialog.getByRole('button', { name: /Submit/ }).click();
  await page.locator('.token', { hasText: 'Norbury' }).waitFor();
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Submit/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'My submissions' }).waitFor();
  const stored = (
    await service.request('GET', '/lab/record?pid=labid:person-mei-lin', { token: 'ann' })
  ).json();
  assert.deepEqual(stored, {
    pid: 'labid:person-mei-lin',
    name: 'Mei Lin',
    family_name: 'Lin',
    orcid: 'orcid:0000-0002-1000-0000',
    affiliations: ['labid:norbury'],
    schema_type: 'schema:Person',
  });
  assert.deepEqual(complaints, []);
});

test('a new record never replaces the record that has its identifier, and the form names that record', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  const stored = {
    pid: 'labid:person-ada-abe',
    name: 'Ada Abe',
    family_name: 'Abe',
    email: 'ada@example.org',
  };
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: stored });
  const unchanged = async (token: string) => {
    const read = await service.request('GET', '/lab/record?pid=labid:person-ada-abe', { token });
    assert.equal(read.json<{ email?: string }>().email, 'ada@example.org');
  };
  for (const [token, button] of [
    ['ann', /^Submit/],
    ['cora', /^Save as curated/],
  ] as const) {
    const page = await open('lab/new/Person', token);
    const main = page.getByRole('main');
    await page.getByLabel(/^Name required/).fill('Ada Abe');
    await page.getByLabel(/^Family name required/).fill('Abe');
    await main.getByRole('button', { name: button }).first().click();
    await page.getByText('The identifier labid:person-ada-abe already belongs to “Ada Abe”.').waitFor();
    await unchanged(token);
    assert.match(
      (await main.getByRole('link', { name: 'Edit Ada Abe' }).getAttribute('href')) ?? '',
      /lab\/edit\?pid=labid%3Aperson-ada-abe$/,
    );
    await page.getByRole('button', { name: 'Another identifier' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`labid:person-ada-abe-${token}`);
    await main.getByRole('button', { name: button }).first().click();
    await page
      .getByText(/^(Submitted|Saved) Ada Abe/)
      .first()
      .waitFor();
    await unchanged(token);
  }
});

test('a record that is created on the way never replaces another one', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  const stored = { pid: 'labid:organization-norbury', name: 'University of Norbury', founded: 1901 };
  await service.request('POST', '/lab/curated/record/Organization', { token: 'cora', json: stored });
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('first') });
  const page = await open('lab/new/Person', 'ann');
  await page.getByRole('combobox', { name: 'Affiliations' }).fill('Norbury');
  await page.getByRole('option', { name: /Create Organization/ }).click();
  const dialog = page.getByRole('dialog', { name: 'New Organization' });
  await dialog.getByLabel(/^Identifier/).fill('labid:organization-norbury');
  await dialog.getByRole('button', { name: /Submit/ }).click();
  await dialog.getByText(/already belongs to “University of Norbury”/).waitFor();
  await dialog.getByRole('button', { name: 'Another identifier' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('labid:norbury-2');
  await page.keyboard.press('Control+Enter');
  await page.locator('.token', { hasText: 'Norbury' }).waitFor();
  const read = await service.request('GET', '/lab/record?pid=labid:organization-norbury', { token: 'ann' });
  assert.equal(read.json<{ founded?: number }>().founded, 1901);
});

test('a new record without a class in the URL has the first class with records', { skip }, async (t) => {
  const { service, open } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const page = await open('lab/new', 'ann');
  await page.getByRole('heading', { name: 'New Person' }).waitFor();
});

test('a draft survives a reload and is discarded by a click', { skip }, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('lab/new/Project', 'ann');
  await page.getByLabel(/^Name required/).fill('Plankton');
  await page.getByText(/Draft kept in this browser/).waitFor();
  await page.reload();
  await page.getByText(/Draft from .* restored/).waitFor();
  await hasValue(page.getByLabel(/^Name required/), 'Plankton');
  await page.getByRole('main').getByRole('button', { name: 'Discard' }).first().click();
  await page.reload();
  await page.getByLabel(/^Name required/).waitFor();
  await hasValue(page.getByLabel(/^Name required/), '');
});

test('an edit keeps numbers as they were written and does not overwrite a change of a colleague', {
  skip,
}, async (t) => {
  const { service, open } = await testDesk(t);
  const json = '{"pid":"labid:camera","name":"Camera","properties":[{"number":1.50,"unit":"m"}]}';
  await service.request('POST', '/lab/curated/record/Instrument', {
    token: 'cora',
    body: json,
    headers: { 'content-type': 'application/json' },
  });
  const before = (await service.request('GET', '/lab/curated/record?pid=labid:camera', { token: 'cora' }))
    .text;
  const page = await open('lab/edit?pid=labid%3Acamera', 'cora');
  await page.getByLabel(/^Name required/).fill('High-speed camera');
  await page
    .getByRole('button', { name: /Save as curated/ })
    .first()
    .click();
  await page.getByText('Saved High-speed camera.').first().waitFor();
  const after = (await service.request('GET', '/lab/curated/record?pid=labid:camera', { token: 'cora' }))
    .text;
  assert.equal(after, before.replace('"Camera"', '"High-speed camera"'));
  await page.goBack();
  await page.getByLabel(/^Name required/).fill('Mine');
  await service.request('POST', '/lab/curated/record/Instrument', {
    token: 'carl',
    json: { pid: 'labid:camera', name: 'His' },
  });
  await page
    .getByRole('button', { name: /Save as curated/ })
    .first()
    .click();
  await page.getByText('The record has changed since this draft was begun.', { exact: false }).waitFor();
  const text = async () =>
    (await service.request('GET', '/lab/curated/record?pid=labid:camera', { token: 'cora' })).text;
  assert.match(await text(), /"His"/);
  await page.getByRole('button', { name: 'Go on with these values' }).click();
  await page.getByText('Conflict: choose a side').waitFor();
  await page.getByRole('radio', { name: 'Your draft: Name' }).check({ force: true });
  await page.getByRole('button', { name: 'Go on with these values' }).click();
  await hasValue(page.getByLabel(/^Name required/), 'Mine');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Saved Mine.').first().waitFor();
  assert.doesNotMatch(await text(), /properties/, 'what a colleague has removed stays removed');
});

test('hostile records are shown as text', { skip }, async (t) => {
  const { service, open, complaints, strangers } = await testDesk(t);
  const html = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
  const long = 'x'.repeat(1_000_000);
  const { status } = await service.request('POST', '/lab/curated/record/Person', {
    token: 'cora',
    json: person('mallory', {
      name: html,
      given_name: '\u202Egnp.exe',
      description: long,
      homepage: 'javascript:alert(1)',
      email: 'm?bcc=all@x.org',
    }),
  });
  assert.equal(status, 200);
  const page = await open('lab/record?pid=labid%3Amallory', 'cora');
  await page.getByRole('heading', { name: html }).waitFor();
  await page.getByText('javascript:alert(1)').waitFor();
  assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
  const mail = page.getByRole('link', { name: 'm?bcc=all@x.org' });
  assert.equal(await mail.getAttribute('href'), 'mailto:m%3Fbcc%3Dall@x.org', 'no header is set');
  await page.getByRole('button', { name: 'Show all 1,000,000 characters' }).click();
  await page.locator('.huge').waitFor();
  await page.getByRole('link', { name: 'lab', exact: true }).first().click();
  await page.getByRole('link', { name: 'Person' }).first().click();
  await page.locator('td').getByText(html).waitFor();
  assert.doesNotMatch(await page.title(), /^owned/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(strangers, []);
});

test('an administrator creates a token that is shown once and works at once', { skip }, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  const page = await open('admin/tokens', ADMIN);
  const secret = await createToken(page, 'WRITE_COLLECTION');
  assert.match(secret, /^[0-9a-f]{48}$/);
  const me = (await service.request('GET', '/-/me', { token: secret })).json<{ user_id: string }>();
  assert.equal(me.user_id, 'trip@example.org');
  assert.doesNotMatch(
    (await service.request('GET', '/tokens/field-trip', { token: ADMIN })).text,
    new RegExp(secret),
  );
  page.on('dialog', (dialog) => dialog.accept());
  await page.getByRole('link', { name: /Configuration history/ }).click();
  await page.getByText('Token › field-trip › User').waitFor();
  assert.equal(await page.getByText(secret).count(), 0);
  const other = await open('', undefined);
  await other.goto(`${url}sign-in`);
  await signIn(other, secret, `${url}lab/submissions`);
  await other.getByText('You have not submitted records to lab yet.').waitFor();
  assert.deepEqual(complaints, []);
});

test('an administrator sees what another schema would break before it is saved', { skip }, async (t) => {
  const { service, open, complaints } = await testDesk(t);
  await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person('ada') });
  const strict = join(service.store, 'strict.yaml');
  const text = readFileSync(resolve('examples/laboratory/schema.yaml'), 'utf8');
  writeFileSync(strict, text.replace(/^ {2}email:\n/m, '  email:\n    required: true\n'));
  const page = await open('admin/collections', ADMIN);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Schema', { exact: true }).fill(strict);
  await dialog.getByRole('button', { name: /^Save/ }).click();
  await dialog.getByText('1 of 1 records does not fit the new schema.').waitFor();
  const schema = async () =>
    (await service.request('GET', '/collections/lab', { token: ADMIN })).json<{ schema: string }>().schema;
  assert.notEqual(await schema(), strict);
  await dialog.getByRole('button', { name: /^Save anyway/ }).click();
  await page.getByText('Saved the collection lab.').first().waitFor();
  assert.equal(await schema(), strict);
  assert.deepEqual(complaints, []);
});

test('a curator is not shown administration, and a submitter not review, whatever the URL', {
  skip,
}, async (t) => {
  const { open, url } = await testDesk(t);
  const page = await open('admin/tokens', 'cora');
  await page.getByRole('heading', { name: 'This token may not see that.' }).first().waitFor();
  assert.equal(await page.getByRole('link', { name: 'Administration' }).count(), 0);
  const other = await open('lab/review', 'ann');
  await other
    .getByText('The service refused this.')
    .or(other.getByText('This token may not see that.'))
    .first()
    .waitFor();
  assert.ok(url);
});

/** Creates the token `field-trip` in the list of tokens. @returns its secret */
async function createToken(page: Page, mode: string): Promise<string> {
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('field-trip');
  await page.getByLabel('User', { exact: true }).fill('trip@example.org');
  await page.getByLabel('In lab').selectOption(mode);
  await page.getByRole('button', { name: /^Create/ }).click();
  return (await page.locator('[data-secret]').textContent()) ?? '';
}
