/** What attackers may try with the way to an issuer and back, and with what a session is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { stopDurations } from '../../../test/support/clock.ts';
import { claimsOf } from './claims.ts';
import { ADMIN, browserOf, meOf, openWorld, signIn } from './world.support.ts';

const isDesk = (url: string) => url.includes('/-/desk/');

test('a link leads nowhere but into the desk', async (t) => {
  const world = await openWorld(t);
  world.issuer.account = 'ann';
  const elsewhere = [
    'https://evil.example/-/desk/',
    '//evil.example/-/desk/',
    '/\\evil.example/-/desk/',
    'https:evil.example/-/desk/',
    'javascript:alert(1)//-/desk/',
    '/-/desk/../../docs',
    '/-/deskx',
    '/collections',
    'http://localhost@evil.example/-/desk/',
    '\t//evil.example',
    `/-/desk/${'x'.repeat(1500)}`,
  ];
  for (const wanted of elsewhere) {
    const browser = browserOf(world.service);
    await browser.follow(`/-/sign-in/institute?return=${encodeURIComponent(wanted)}`, isDesk);
    const { text } = await browser.send('/-/sign-in/session', 'POST');
    assert.equal((JSON.parse(text) as { return: string }).return, '/-/desk/', wanted);
  }
});

test('nobody is signed in by the answer to the way that another browser began (CSRF of sign-in)', async (t) => {
  const world = await openWorld(t);
  world.issuer.account = 'cora';
  const attacker = browserOf(world.service);
  const { url } = await attacker.follow('/-/sign-in/institute', (one) => one.includes('/callback'));
  const victim = browserOf(world.service);
  const refused = await victim.send(url);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /not begun in this browser/);
  assert.equal((await victim.send('/-/sign-in/session', 'POST')).status, 400);
  // With a way of its own, too.
  await victim.follow('/-/sign-in/institute', (one) => one.includes('/callback'));
  assert.equal((await victim.send(url)).status, 400);
});

test('a state and a code are used once', async (t) => {
  const world = await openWorld(t);
  world.issuer.account = 'ann';
  const browser = browserOf(world.service);
  const { url } = await browser.follow('/-/sign-in/institute', (one) => one.includes('/callback'));
  const jar = new Map(browser.cookiesOf('http://localhost'));
  assert.equal((await browser.send(url)).location, '/-/desk/signed-in');
  // The cookie of the way is gone, and one that was kept does not help.
  assert.equal((await browser.send(url)).status, 400);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const again = await browser.send(url, 'GET', { cookie });
  assert.equal(again.status, 400);
  assert.match(again.text, /refused it \(invalid_grant\)/);
});

test('a session is handed over once, to a page of the service', async (t) => {
  const world = await openWorld(t);
  world.issuer.account = 'ann';
  const browser = browserOf(world.service);
  await browser.follow('/-/sign-in/institute', isDesk);
  const cookies = new Map(browser.cookiesOf('http://localhost'));
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const take = (headers: Record<string, string>) => browser.send('/-/sign-in/session', 'POST', headers);
  const strangers: readonly Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of strangers) assert.equal((await take({ cookie, ...headers })).status, 400);
  const handed = await take({ cookie, origin: 'http://localhost', 'sec-fetch-site': 'same-origin' });
  assert.equal(handed.status, 200);
  assert.equal((await take({ cookie })).status, 400);
  assert.equal((await browser.send('/-/sign-in/session', 'GET')).status, 404);
});

test('a session cannot be fixed before the person signs in, nor does a cookie stand for it', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const cora = await signIn(world, 'cora');
  const browser = browserOf(service);
  world.issuer.account = 'ann';
  await browser.follow('/-/sign-in/institute', isDesk);
  const fixed = await browser.send('/-/sign-in/session', 'POST', { cookie: `accession_session=${cora}` });
  assert.equal(fixed.status, 400);
  const { token } = JSON.parse((await browser.send('/-/sign-in/session', 'POST')).text) as { token: string };
  assert.notEqual(token, cora);
  assert.equal((await meOf(service, token)).user_id, 'institute:ann');
  // A request with cookies alone is one of a guest: a page elsewhere cannot act for the person.
  const asGuest = await service.request('GET', '/-/me', {
    headers: { cookie: `accession_session=${token}` },
  });
  assert.match(asGuest.text, /"user_id":null/);
});

test('cookies are sealed, short-lived, hidden from scripts, and for the sign-in alone', async (t) => {
  const world = await openWorld(t);
  world.issuer.account = 'ann';
  const browser = browserOf(world.service);
  const begun = await browser.send('/-/sign-in/institute');
  assert.match(
    begun.cookies[0]!,
    /^accession_flow_[\w-]{43}=[\w-]+; Path=\/-\/sign-in\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  const { url } = await browser.follow(begun.location!, (one) => one.includes('/callback'));
  const ended = await browser.send(url);
  assert.match(
    ended.cookies[1]!,
    /^accession_session=[\w-]+; Path=\/-\/sign-in\/; Max-Age=60; HttpOnly; SameSite=Strict$/,
  );
  const [name = '', value = ''] = ended.cookies[1]!.split(';')[0]!.split('=');
  const changed = `${name}=${value.slice(0, -2)}${value.endsWith('A') ? 'B' : 'A'}A`;
  assert.equal((await browser.send('/-/sign-in/session', 'POST', { cookie: changed })).status, 400);
});

test('the way goes by HTTPS, or stays on this machine', async (t) => {
  const { service } = await openWorld(t, { proxies: [] });
  const answer = await service.request('GET', '/-/sign-in/institute', {
    headers: { host: 'records.example.org' },
  });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /no HTTPS.*Use https:\/\/records\.example\.org/);
  const behind = await service.app.server.inject({
    url: '/-/sign-in/institute',
    headers: { host: 'records.example.org', 'x-forwarded-proto': 'https' },
  });
  assert.equal(behind.statusCode, 303);
  // The prefix keeps hosts beside this one from setting the cookie, and so from signing people in as others.
  const [set = ''] = [behind.headers['set-cookie'] ?? []].flat();
  assert.match(
    set,
    /^__Host-accession_flow_[\w-]{43}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  );
  const to = new URL(String(behind.headers.location));
  assert.equal(
    to.searchParams.get('redirect_uri'),
    'https://records.example.org/-/sign-in/institute/callback',
  );
  assert.equal(to.searchParams.get('code_challenge_method'), 'S256');
  const back = async (cookie: string) => {
    const url = `/-/sign-in/institute/callback?code=x&state=${to.searchParams.get('state')}`;
    const headers = { host: 'records.example.org', 'x-forwarded-proto': 'https', cookie };
    return (await service.app.server.inject({ url, headers })).body;
  };
  const [pair = ''] = set.split(';');
  assert.match(await back(pair.replace('__Host-', '')), /not begun in this browser/);
  assert.doesNotMatch(await back(pair), /not begun in this browser/);
});

test('below a path of a proxy, the way begins and ends there', async (t) => {
  const { service } = await openWorld(t, { rootPath: '/records' });
  const answer = await service.app.server.inject({
    url: '/-/sign-in/institute',
    headers: { host: 'localhost' },
  });
  const to = new URL(String(answer.headers.location));
  assert.equal(to.searchParams.get('redirect_uri'), 'http://localhost/records/-/sign-in/institute/callback');
  assert.match(String(answer.headers['set-cookie']), /Path=\/records\/-\/sign-in\/;/);
});

test('no URL, header or line of the log has a secret, and no page is told where a person came from', async (t) => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const world = await openWorld(t, { logger });
  const { service, issuer } = world;
  issuer.account = 'ann';
  const browser = browserOf(service);
  const back = await browser.follow('/-/sign-in/institute', (one) => one.includes('/callback'));
  const ended = await browser.send(back.url);
  const { token } = JSON.parse((await browser.send('/-/sign-in/session', 'POST')).text) as { token: string };
  await service.request('GET', '/-/me', { token });
  await service.app.server.inject({ url: `/-/sign-in/institute/callback?code=stolen&state=x`, headers: {} });
  const log = lines.join('');
  assert.match(log, /"url":"\/-\/sign-in\/institute\/callback"/);
  assert.match(log, /"code":"sign_in_refused","source":"institute","reason":"[^"]*".*"msg":"sign-in failed"/);
  const code = new URL(back.url).searchParams.get('code')!;
  for (const secret of [code, 'stolen', token, 'client-secret']) assert.ok(!log.includes(secret), secret);
  assert.ok(browser.visited.every((url) => !url.includes(token) && !url.includes('client-secret')));
  assert.equal(ended.location, '/-/desk/signed-in');
  for (const url of ['/-/sign-in/institute', back.url.replace('http://localhost', '')]) {
    const answer = await service.app.server.inject({
      url,
      headers: { host: 'localhost', accept: 'text/html' },
    });
    assert.equal(answer.headers['referrer-policy'], 'no-referrer', url);
    assert.equal(answer.headers['cache-control'], 'no-store', url);
  }
});

test('the database has no token of a session, and none of the issuer that it could use', async (t) => {
  const world = await openWorld(t, { source: { scopes: ['openid', 'profile', 'offline_access'] } });
  const { service } = world;
  const token = await signIn(world, 'ann');
  const made = await service.request('POST', '/-/me/tokens', { token, json: { name: 'script' } });
  const { representation } = made.json<{ representation: string }>();
  const { database } = service.app.registry.collection('lab');
  const rows = [
    ...(await database.tuples('SELECT hash, state, sealed FROM accession_session')),
    ...(await database.tuples('SELECT hash, name FROM accession_personal_token')),
    ...(await database.tuples('SELECT claims FROM accession_person')),
  ];
  const text = JSON.stringify(rows);
  for (const secret of [token, representation, token.slice(8), 'refresh', 'access_token'])
    assert.ok(!text.includes(secret));
});

test('what an issuer says is text: names with markup, control characters and long ones do no harm', async (t) => {
  const world = await openWorld(t);
  const { service, issuer } = world;
  issuer.accounts.set('evil', {
    name: '<img src=x onerror=alert(1)>',
    email: 'a\u0000b@example.org',
    groups: ['writers', 7, null, 'x'.repeat(5000), '__proto__', 'constructor'],
  });
  const token = await signIn(world, 'evil');
  const { person } = (await service.request('GET', '/-/me/sessions', { token })).json<{
    person: { name: string; email: string | null; groups: string[] };
  }>();
  assert.equal(person.name, '<img src=x onerror=alert(1)>');
  assert.equal(person.email, null);
  const settings = { user_id_claim: 'sub', groups_claim: 'groups', orcid_claim: 'orcid' };
  const unverified = claimsOf(settings, {
    sub: 'eve',
    email: 'ann@institute.example',
    email_verified: false,
  });
  assert.deepEqual(unverified, { id: 'eve', name: 'eve', groups: [] });
  assert.deepEqual(person.groups, ['writers', '__proto__', 'constructor']);
  const found = await service.request('GET', '/-/people?q=onerror', { token: ADMIN });
  assert.equal(found.headers['content-type'], 'application/json');
  assert.equal(found.headers['x-content-type-options'], 'nosniff');
});

test('guesses of sessions end as those of tokens do', async (t) => {
  stopDurations(t);
  const { service } = await openWorld(t, { limits: { refusedTokens: 5 } });
  const statuses = [];
  for (let n = 0; n < 7; n++) {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const guess = { token: `session_${String(n).repeat(48)}`, headers };
    statuses.push((await service.request('GET', '/-/me/sessions', guess)).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
});
