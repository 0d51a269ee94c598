/** What is typed and not used yet outlives a reload, Back and the rail, for its user alone: the schema page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN, type TestService } from '../support/app.ts';
import { type Desk, hasValue, PEOPLE, skip, testDesk, useBrowser } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { lacks } from '../support/lacks.ts';
import { person } from '../support/people.ts';

useBrowser();

/** The schema in which persons need an ORCID iD. */
async function strictSchema(service: TestService): Promise<string> {
  const { text } = await service.request('GET', '/-/lab/schema', { token: 'cora' });
  return text.replace(/( {6}family_name:\n {8}required: true)/, '$1\n      orcid:\n        required: true');
}

const text = (page: Page) => page.getByLabel('Text of the schema');

/** The whole text in the editor: the document has only the lines in sight. */
const textIn = (page: Page) =>
  text(page).evaluate((content) => {
    type Editor = { readonly cmTile: { readonly view: { readonly state: { readonly doc: object } } } };
    return String((content as unknown as Editor).cmTile.view.state.doc);
  });

/** Replaces the text. The editor selects it: it learns of a selection that a script has made later than of the text behind it. */
async function write(page: Page, next: string): Promise<void> {
  await text(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(next);
}

async function hasText(page: Page, expected: string, when = 'the text'): Promise<void> {
  await eventually(
    when,
    () => textIn(page),
    (found) => found === expected,
  );
}
const value = (page: Page) => page.getByRole('textbox', { name: 'ORCID iD of labid:bo' });
const ORCID = 'orcid:0000-0001-5109-3700';

/** The ways in which people leave a view, and come back to it. */
const WAYS: Readonly<Record<string, (page: Page, desk: Desk) => Promise<unknown>>> = {
  'a reload': (page) => page.reload(),
  Back: async (page) => {
    await page.goBack();
    await page.getByRole('heading', { name: 'Collections' }).first().waitFor();
    await page.goForward();
  },
  'the rail': async (page) => {
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.goBack();
  },
  'another page': async (page, { url }) => {
    await page.goto(url.replace('/desk/', '/me'));
    await page.goBack();
  },
};

async function schemaPage(desk: Desk): Promise<Page> {
  for (const json of [person('ada', { orcid: 'orcid:0000-0002-1825-0097' }), person('bo')])
    await desk.service.request('POST', '/lab/curated/record/Person', { token: 'cora', json });
  const page = await desk.open('admin/collections', ADMIN);
  await page.getByRole('main').getByRole('link', { name: 'Schema', exact: true }).click();
  await text(page).waitFor();
  return page;
}

test('text, rehearsal and values of the schema page outlive each way out, until they are discarded', {
  skip: skip || lacks('migrate'),
}, async (t) => {
  const desk = await testDesk(t);
  const page = await schemaPage(desk);
  const before = await textIn(page);
  const strict = await strictSchema(desk.service);
  await page.getByLabel('A file from this computer').setInputFiles({
    name: 'strict.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from(strict),
  });
  await hasText(page, strict, 'the text of the file');
  for (const [name, leave] of Object.entries(WAYS)) {
    await leave(page, desk);
    await text(page).waitFor();
    await hasText(page, strict, `the text of the file after ${name}`);
  }
  const edited = strict.replace('\n', '\n# edited\n');
  await write(page, edited);
  await page.getByRole('button', { name: 'What would change' }).click();
  await value(page).fill(ORCID);
  for (const [name, leave] of Object.entries(WAYS)) {
    await leave(page, desk);
    await value(page).waitFor();
    await hasText(page, edited, `the text after ${name}`);
    await hasValue(value(page), ORCID, `the value after ${name}`);
  }
  await page.getByLabel('URL or path of the schema').fill('https://example.org/schema.yaml');
  await page.reload();
  await text(page).waitFor();
  await hasValue(page.getByLabel('URL or path of the schema'), 'https://example.org/schema.yaml');
  await page.getByRole('button', { name: 'Discard what I typed' }).click();
  await hasText(page, before);
  await page.reload();
  await text(page).waitFor();
  await hasText(page, before);
  assert.equal(await page.getByRole('button', { name: 'Discard what I typed' }).count(), 0);
  await write(page, edited);
  await page.getByRole('button', { name: 'What would change' }).click();
  await value(page).waitFor();
  await hasValue(value(page), '', 'values are discarded with the text');
  assert.deepEqual(desk.complaints, []);
});

test('values for another version of the text stay, and nothing stays once it is in force', {
  skip: skip || lacks('migrate'),
}, async (t) => {
  const desk = await testDesk(t);
  const page = await schemaPage(desk);
  const strict = await strictSchema(desk.service);
  await write(page, strict);
  await page.getByRole('button', { name: 'What would change' }).click();
  await value(page).fill(ORCID);
  await write(page, strict.replace('\n', '\n# edited\n'));
  await page.getByRole('button', { name: 'What would change' }).click();
  await value(page).waitFor();
  await hasValue(value(page), ORCID);
  await page.reload();
  await page.getByRole('button', { name: 'Put in force…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('0 records will not fit').waitFor();
  await dialog.getByRole('button', { name: /^Put in force/ }).click();
  await page.locator('.toast').getByText('The schema is in force in lab.').waitFor();
  await page.reload();
  await text(page).waitFor();
  await hasText(page, (await desk.service.request('GET', '/-/lab/schema', { token: 'cora' })).text);
  assert.equal(await page.getByRole('button', { name: 'Discard what I typed' }).count(), 0);
  assert.match(
    (await desk.service.request('GET', '/lab/curated/record?pid=labid:bo', { token: 'cora' })).text,
    /0000-0001-5109-3700/,
  );
  assert.deepEqual(desk.complaints, []);
});

test('what was typed is for its user alone, and signing out forgets it', {
  skip: skip || lacks('migrate'),
}, async (t) => {
  const desk = await testDesk(t);
  const page = await schemaPage(desk);
  const before = await textIn(page);
  await write(page, '# mine');
  await page.reload();
  await text(page).waitFor();
  const use = async (token: string) => {
    await page.evaluate(`sessionStorage.setItem('accession.token', '${token}')`);
    await page.reload();
    await text(page).waitFor();
  };
  await use('cora');
  await hasText(page, before);
  await write(page, '# of cora');
  await use('carl');
  await hasText(page, before);
  await use('cora');
  await hasText(page, '# of cora');
  await page
    .getByRole('button', { name: /cora@example.org/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const kept = await page.evaluate('JSON.stringify(Object.entries(sessionStorage))');
  assert.doesNotMatch(String(kept), /of cora|mine/);
});

test('a browser without room says so, and asks before Back and the rail', {
  skip: skip || lacks('migrate'),
}, async (t) => {
  const desk = await testDesk(t);
  const page = await schemaPage(desk);
  await page.evaluate(`{
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (key, value) {
      if (value.length > 100 && key.startsWith('accession.kept')) throw new DOMException('full', 'QuotaExceededError');
      setItem.call(this, key, value);
    };
  }`);
  await write(page, `# ${'long '.repeat(50)}`);
  await page.locator('.toast').getByText('This browser has no room').waitFor();
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.message());
    return questions.length < 3 ? dialog.dismiss() : dialog.accept();
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).first().click();
  await page.evaluate('history.back()');
  // It is asked behind the change of the address, which is then taken back.
  await eventually('the second question', () => questions.length === 2);
  await page.waitForFunction('location.pathname.endsWith("lab/schema")');
  assert.match(await textIn(page), /^# long/);
  await page.evaluate('history.back()');
  await page.getByRole('heading', { name: 'Collections' }).first().waitFor();
  assert.deepEqual(new Set(questions), new Set(['What you typed could not be kept. Leave, and lose it?']));
  assert.equal(questions.length, 3);
});

test('renames, merges and changes of values keep what was typed and chosen', {
  skip: skip || lacks('curate'),
}, async (t) => {
  const { service, open, url, complaints } = await testDesk(t);
  for (const name of ['ada', 'bo'])
    await service.request('POST', '/lab/curated/record/Person', { token: 'cora', json: person(name) });
  const page = await open('', 'cora');
  const to = page.getByLabel('New identifier');
  await page.goto(`${url}lab/rename?pid=labid%3Aada`);
  await to.fill('labid:ada-abe');
  await page.reload();
  await to.waitFor();
  await hasValue(to, 'labid:ada-abe');
  await page.goto(`${url}lab/rename?pid=labid%3Abo`);
  await to.waitFor();
  await hasValue(to, 'labid:bo', 'each record has its own');

  await page.goto(`${url}lab/merge?keep=labid%3Aada&drop=labid%3Abo`);
  const side = page.getByRole('radio', { name: 'Goes away: Name', exact: true });
  await side.check({ force: true });
  await page.reload();
  await side.waitFor();
  assert.equal(await side.isChecked(), true);

  const given = page.getByRole('dialog').getByLabel(/^Given name/);
  const edit = async () => {
    await page.getByRole('link', { name: 'ada' }).first().waitFor();
    await page.keyboard.press('v');
    await page.getByRole('dialog').getByLabel('Slot').waitFor();
  };
  await page.goto(`${url}lab/browse/Person`);
  await edit();
  await page.getByRole('dialog').getByLabel('Slot').selectOption({ label: 'Given name' });
  await given.fill('Ada Augusta');
  await page.reload();
  await edit();
  await hasValue(given, 'Ada Augusta');
  assert.deepEqual(complaints, []);
});

test('a draft of a collection has no secrets: those in force come back, one that was typed is typed again', {
  skip: skip || lacks('notify') || lacks('sign-in'),
}, async (t) => {
  const lab = {
    auth_sources: [
      { type: 'config' },
      { type: 'oidc', name: 'institute', preset: 'orcid', client_id: 'lab', client_secret: 'of the client' },
    ],
    smtp: {
      host: 'mail.example.org',
      from: 'lab@example.org',
      url: 'https://lab.example.org',
      password: 'of mail',
    },
  };
  const { service, open, complaints } = await testDesk(t, { ...PEOPLE, collections: { lab } });
  const page = await open('admin/collections', ADMIN);
  const dialog = page.getByRole('dialog');
  const password = dialog.locator('#collection-smtp-password');
  const edit = async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.locator('summary').getByText('Mail', { exact: true }).click();
    await password.waitFor();
  };
  await edit();
  await dialog.getByLabel('Server').fill('post.example.org');
  await dialog.locator('summary').getByText('Token sources', { exact: true }).click();
  // The one with a secret takes the place of the first.
  await dialog
    .locator('#collection-auth_sources-0')
    .getByRole('button', { name: /^Remove/ })
    .click();
  await dialog.locator('#collection-auth_sources-1').waitFor({ state: 'detached' });
  await page.reload();
  await edit();
  await hasValue(dialog.getByLabel('Server'), 'post.example.org');
  assert.equal(await password.getAttribute('placeholder'), 'kept as it is');
  await password.fill('a new one');
  await page.reload();
  const stored = await page.evaluate('JSON.stringify([sessionStorage, localStorage])');
  assert.match(String(stored), /post\.example\.org/);
  assert.doesNotMatch(String(stored), /of mail|of the client|a new one/);
  await edit();
  await dialog.getByText('Type it again: the browser keeps no secrets.').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('#collection-smtp-password:focus').waitFor();
  await page.keyboard.type('a new one');
  await dialog.getByText('Type it again').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  const { smtp, auth_sources } = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<
    typeof lab
  >();
  assert.deepEqual([smtp.host, smtp.password], ['post.example.org', 'a new one']);
  assert.deepEqual(auth_sources, [lab.auth_sources[1]]);
  assert.deepEqual(complaints, []);
});
