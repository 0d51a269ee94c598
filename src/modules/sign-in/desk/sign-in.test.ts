/** People sign in with their identity in the desk: from a shared link, by an invitation, and what they have afterwards. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ADMIN } from '../../../../test/support/app.ts';
import {
  assertFits,
  type Desk,
  hasValue,
  PEOPLE,
  PHONE,
  settled,
  skip,
  testDesk,
  useBrowser,
} from '../../../../test/support/desk.ts';
import { person } from '../../../../test/support/people.ts';
import { startIssuer, type TestIssuer } from '../issuer.support.ts';
import { institute } from '../world.support.ts';

useBrowser();

const ORCID = '0000-0002-1825-0097';

type DeskWorld = Desk & { readonly issuer: TestIssuer };

async function openDesk(t: TestContext): Promise<DeskWorld> {
  const issuer = await startIssuer(t);
  issuer.accounts.set('ann', {
    name: 'Ann Ash',
    email: 'ann@institute.example',
    groups: ['writers'],
    orcid: ORCID,
  });
  issuer.accounts.set('nora', { name: 'Nora Nye', email: 'nora@institute.example' });
  issuer.account = 'ann';
  issuer.interactive = true;
  const groups = { writers: 'WRITE_COLLECTION' };
  const auth_sources = [{ type: 'config' }, institute(issuer, { groups })];
  const lab = { ...PEOPLE.collections!.lab, auth_sources };
  const desk = await testDesk(t, { ...PEOPLE, collections: { lab } });
  issuer.allow(`${new URL(desk.url).origin}/-/sign-in/institute/callback`);
  const json = person('ada');
  // By a person who has not signed in here.
  const stored = await desk.service.request('POST', '/lab/curated/record/Person?author_id=institute:ann', {
    token: 'cora',
    json,
  });
  assert.equal(stored.status, 200, stored.text);
  return { ...desk, issuer };
}

const SHARED = 'lab/record?pid=labid%3Aada';

test('a guest comes from a shared link to the record by keyboard, on a phone', { skip }, async (t) => {
  const { open, complaints, url } = await openDesk(t);
  const page = await open(SHARED, undefined, PHONE);
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).focus();
  await page.keyboard.press('Enter');
  const button = page.getByRole('link', { name: 'Sign in with Institute' });
  await button.waitFor();
  // A token can still be pasted.
  await page.getByLabel('Token', { exact: true }).waitFor();
  await assertFits(page);
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Continue' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}${SHARED}`);
  await page.getByRole('heading', { name: 'ada', exact: false }).first().waitFor();
  await assertFits(page);
  const kept = await page.evaluate(
    'JSON.stringify([document.cookie, Object.keys(localStorage), history.length])',
  );
  assert.match(String(kept), /^\["",/);
  assert.deepEqual(complaints, []);
});

test('signing out ends the session at the service, everywhere if it is asked for', { skip }, async (t) => {
  const { open, complaints, service, url } = await openDesk(t);
  const signedIn = async () => {
    const page = await open('sign-in');
    await page.getByRole('link', { name: 'Sign in with Institute' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(url);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const token = String(await page.evaluate("sessionStorage.getItem('accession.token')"));
    assert.equal((await service.request('GET', '/-/me', { token })).status, 200);
    return { page, token };
  };
  const [one, two] = [await signedIn(), await signedIn()];
  const statusOf = async ({ token }: { token: string }) =>
    (await service.request('GET', '/-/me', { token })).status;
  await one.page.getByRole('button', { name: 'institute:ann' }).click();
  const ended = one.page.waitForResponse((response) => response.request().method() === 'DELETE');
  await one.page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
  await ended;
  assert.deepEqual([await statusOf(one), await statusOf(two)], [401, 200]);
  await two.page.getByRole('button', { name: 'institute:ann' }).click();
  await two.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await two.page.getByText('You are not signed in.').waitFor();
  assert.equal(await statusOf(two), 401);
  assert.deepEqual(complaints, []);
});

test('a new person accepts an invitation in three clicks, and has no secret to keep', { skip }, async (t) => {
  const { open, service, complaints, issuer, url } = await openDesk(t);
  issuer.account = 'nora';
  const json = { name: 'nora', user_id: 'Nora', mode: 'WRITE_COLLECTION', incoming_label: 'nora' };
  const made = await service.request('POST', '/-/lab/invitations', { token: ADMIN, json });
  const { secret } = made.json<{ secret: string }>();
  const requested: string[] = [];
  service.app.server.server.on('request', (request: { url?: string }) => requested.push(request.url ?? ''));
  const page = await open('', undefined, PHONE);
  await page.goto(`${url}accept-invitation#collection=lab&invitation=${secret}`);
  // Who invites, to what, and until when, before anything is accepted.
  await page.getByText('You are invited to the collection “lab”.').waitFor();
  await page.getByText('__bootstrap__').waitFor();
  await page.getByText('reads curated records, submits, and reads its own zone').waitFor();
  await assertFits(page);
  await page.getByRole('link', { name: 'Sign in with Institute' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('You are signed in as institute:nora.', { exact: false }).waitFor();
  await assertFits(page);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.waitForURL(`${url}lab/browse**`);
  await page.getByRole('link', { name: 'ada', exact: false }).first().waitFor();
  assert.ok(!requested.some((one) => one.includes(secret)));
  const listed = await service.request('GET', '/-/lab/grants', { token: ADMIN });
  assert.match(listed.text, /"name":"Nora Nye","mode":"WRITE_COLLECTION","incoming_label":"nora"/);
  assert.deepEqual(complaints, []);
});

test('someone without access asks for it, and an administrator grants it', { skip }, async (t) => {
  const { open, issuer, complaints, url } = await openDesk(t);
  issuer.account = 'nora';
  const page = await open('sign-in?next=%2F-%2Fdesk%2Flab%2Fbrowse', undefined, PHONE);
  await page.getByRole('link', { name: 'Sign in with Institute' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${url}lab/browse`);
  await page.getByLabel('What do you want to do?').fill('Submit instruments.');
  await assertFits(page);
  await page.getByRole('button', { name: 'Ask for access' }).click();
  await page.getByText('Your request was sent.', { exact: false }).waitFor();

  const curator = await open('lab/stewardship', 'cora');
  await curator.goto(`${url}lab/stewardship/people`);
  await curator.getByText('Submit instruments.').waitFor();

  const admin = await open('admin/people/lab', ADMIN, PHONE);
  await admin.getByRole('button', { name: 'Grant… Nora Nye' }).click();
  await assertFits(admin);
  await admin.getByRole('dialog').getByRole('button', { name: 'Grant', exact: false }).last().click();
  await admin.getByText('No person asks for access.').waitFor();
  await admin.getByRole('button', { name: 'Remove: Nora Nye' }).waitFor();
  await assertFits(admin);
  await page.reload();
  await page.getByRole('link', { name: 'ada', exact: false }).first().waitFor();

  await admin.getByLabel('Search people').fill('nye');
  await admin.getByRole('button', { name: 'Block: Nora Nye' }).click();
  await admin
    .getByRole('dialog')
    .getByRole('button', { name: /^Block/ })
    .click();
  await admin.getByRole('button', { name: 'Let in again: Nora Nye' }).waitFor();
  await assertFits(admin);

  await admin.getByLabel('Search people').fill('robot');
  await admin.getByText('No person matches “robot”.').waitFor();
  await admin.getByRole('button', { name: 'Block an identity…' }).click();
  await admin.getByRole('dialog').getByRole('option', { name: 'Institute' }).waitFor({ state: 'attached' });
  await admin.getByLabel('Subject').fill('robot');
  await assertFits(admin);
  await admin.keyboard.press('Control+Enter');
  await admin.getByRole('button', { name: 'Let in again: robot' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a person makes a personal token, and ends it, in German', { skip }, async (t) => {
  const { open, service, complaints, url } = await openDesk(t);
  const page = await open('sign-in', undefined, { ...PHONE, locale: 'de-DE' });
  await page.getByRole('link', { name: 'Anmelden mit Institute' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(url);
  await page.goto(`${url}my-tokens`);
  await page.getByText('Sie haben keine persönlichen Token.').waitFor();
  await assertFits(page);
  await page.getByRole('button', { name: 'Neues Token' }).click();
  await page.getByLabel('Name').fill('Nachtimport');
  await page.getByLabel('Sammlung').selectOption('lab');
  await assertFits(page);
  await page.keyboard.press('Control+Enter');
  const token = ((await page.locator('[data-secret]').textContent()) ?? '').trim();
  const me = await service.request('GET', '/-/me', { token });
  assert.match(me.text, /"permissions":\["read_curated"\]/);
  await page.getByRole('button', { name: 'Ich habe es aufbewahrt' }).click();
  await page.getByRole('button', { name: 'Beenden: Nachtimport' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Beenden/ })
    .click();
  await page.getByText('Sie haben keine persönlichen Token.').waitFor();
  assert.equal((await service.request('GET', '/-/me', { token })).status, 401);
  assert.deepEqual(complaints, []);
});

test('a token that is not a session is sent to sign in from the page of personal tokens, and stays valid', {
  skip,
}, async (t) => {
  const { open } = await testDesk(t);
  const page = await open('my-tokens', 'ann');
  await page.getByRole('heading', { name: /^Personal tokens are for people/ }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).waitFor();
  await settled(page);
  assert.equal(await page.getByText('The token or link is no longer valid.').count(), 0);
});

test('an issuer that is down is named, and a session goes on', { skip }, async (t) => {
  const { open, issuer, complaints } = await openDesk(t);
  const page = await open('sign-in', undefined, PHONE);
  await page.getByRole('link', { name: 'Sign in with Institute' }).waitFor();
  await issuer.stop();
  await page.getByRole('link', { name: 'Sign in with Institute' }).click();
  await page.getByText('“institute” does not respond at the moment.', { exact: false }).waitFor();
  await assertFits(page);
  assert.deepEqual(complaints, []);
});

test('the ORCID iD of the person is offered in a slot for it', { skip }, async (t) => {
  const { open, complaints, url } = await openDesk(t);
  const page = await open('sign-in?next=%2F-%2Fdesk%2Flab%2Fnew%3Fclass%3DPerson', undefined, PHONE);
  await page.getByRole('link', { name: 'Sign in with Institute' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${url}lab/new?class=Person`);
  const offer = page.getByRole('button', { name: `Use my ORCID iD ${ORCID}` });
  await offer.waitFor();
  await assertFits(page);
  await offer.click();
  await hasValue(page.getByLabel('ORCID iD'), `orcid:${ORCID}`);
  await offer.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('histories name the person as the source does', { skip }, async (t) => {
  const { open, complaints, url } = await openDesk(t);
  const page = await open('sign-in');
  await page.getByRole('link', { name: 'Sign in with Institute' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(url);
  const curator = await open(SHARED, 'cora');
  await curator.locator('.events').getByText('Ann Ash').waitFor();
  assert.equal(await curator.locator('.events bdi').first().getAttribute('title'), 'institute:ann');
  assert.deepEqual(complaints, []);
});
