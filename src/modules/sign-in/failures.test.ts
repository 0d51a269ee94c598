/** What an issuer, or somebody between, may do wrong: each is refused, and says why. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as jose from 'jose';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { parseConfigurationFile } from '../../core/config/parse.ts';
import { CLIENT, startIssuer } from './issuer.support.ts';
import { zoneOf } from './people.ts';
import { TIMES } from './times.ts';
import { ADMIN, browserOf, institute, meOf, openWorld, signIn, type World } from './world.support.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Signs the ID token of the issuer again, with other claims. */
const withClaims =
  ({ issuer }: World, others: Claims, header: object = {}) =>
  (token: string) =>
    issuer.sign({ ...jose.decodeJwt(token), ...others }, header);

const seconds = (n: number) => Math.floor(Date.now() / 1000) + n;

test('ID tokens that are not right are refused', async (t) => {
  const world = await openWorld(t);
  const { issuer } = world;
  const { privateKey: other } = await jose.generateKeyPair('RS256');
  const unsigned = (token: string) => {
    const [, payload] = token.split('.');
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  };
  const bySecret = (token: string) =>
    new jose.SignJWT(jose.decodeJwt(token))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(CLIENT.secret));
  const byOther = (token: string) =>
    new jose.SignJWT(jose.decodeJwt(token))
      .setProtectedHeader({ ...jose.decodeProtectedHeader(token), alg: 'RS256' })
      .sign(other);
  const cases: readonly [string, (token: string) => Promise<string> | string][] = [
    ['another audience', withClaims(world, { aud: 'another' })],
    ['another issuer', withClaims(world, { iss: 'https://other.example' })],
    ['another nonce', withClaims(world, { nonce: 'another' })],
    ['no signature', unsigned],
    ['a signature with the secret of the client', bySecret],
    ['a signature with another key', byOther],
  ];
  for (const [what, tamper] of cases) {
    issuer.tamper = tamper;
    await assert.rejects(signIn(world, 'ann'), /400 .*what Institute sent is not valid/s, what);
  }
  for (const times of [{ exp: seconds(-70) }, { nbf: seconds(70) }]) {
    issuer.tamper = withClaims(world, times);
    await assert.rejects(signIn(world, 'ann'), /400 .*clock of this service and that of Institute differ/s);
  }
  issuer.tamper = withClaims(world, { exp: seconds(-50), iat: seconds(50) });
  await signIn(world, 'ann');
});

test('the keys of an issuer may change', async (t) => {
  const world = await openWorld(t, { source: { audiences: ['accession'] } });
  const { issuer, service } = world;
  await signIn(world, 'ann');
  const signed = () => issuer.sign({ sub: 'ann', aud: 'accession', exp: seconds(60), groups: ['writers'] });
  const former = await signed();
  await meOf(service, former);
  await issuer.rotate();
  const token = await signed();
  await eventually(
    'the new keys are read',
    () => service.request('GET', '/-/me', { token }),
    ({ status }) => status === 200,
  );
  assert.equal((await service.request('GET', '/-/me', { token: former })).status, 401);
  await signIn(world, 'ann');
});

test('groups that are in ID tokens alone are not lost when the issuer is asked again', async (t) => {
  const world = await openWorld(t);
  const { issuer, service } = world;
  issuer.accounts.set('ida', { name: 'Ida Ives' });
  issuer.tamper = withClaims(world, { groups: ['writers'] });
  const token = await signIn(world, 'ida');
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.askedAtMost + 1 });
  assert.ok((await meOf(service, token)).collections.lab?.permissions.includes('write_zone'));
});

test('a claim that is missing is named', async (t) => {
  const world = await openWorld(t, { source: { user_id_claim: 'preferred_username' } });
  await assert.rejects(signIn(world, 'ann'), /Institute did not send the claim 'preferred_username'/);
});

test('someone to whom the source gives the name of another person is not that person in histories', async (t) => {
  const source = { user_id_claim: 'preferred_username', audiences: ['accession'] };
  const world = await openWorld(t, { source });
  const { issuer, service } = world;
  for (const subject of ['former', 'newcomer']) issuer.accounts.set(subject, { preferred_username: 'ann' });
  const idOf = async (token: string) => (await meOf(service, token)).user_id;
  assert.equal(await idOf(await signIn(world, 'former')), 'institute:ann');
  assert.equal(await idOf(await signIn(world, 'newcomer')), 'institute:newcomer');
  assert.equal(await idOf(await signIn(world, 'former')), 'institute:ann');
  const signed = { sub: 'third', preferred_username: 'ann', aud: 'accession', exp: seconds(60) };
  assert.equal(await idOf(await issuer.sign(signed)), 'institute:third');
});

test('signed tokens of the issuer are accepted for the configured audiences alone', async (t) => {
  const world = await openWorld(t, { source: { audiences: ['accession'] } });
  const { issuer, service } = world;
  const good = { sub: 'ann', aud: 'accession', exp: seconds(60), groups: ['writers'], name: 'Ann Ash' };
  const me = await meOf(service, await issuer.sign(good));
  assert.equal(me.user_id, 'institute:ann');
  assert.deepEqual(me.collections.lab?.permissions, ['read_curated', 'read_zone', 'write_zone']);
  await meOf(service, await issuer.sign({ ...good, exp: seconds(-50) }));
  const bad: readonly [Claims, RegExp][] = [
    [{ aud: 'another' }, /its claim 'aud' is not one that is accepted/],
    [{ iss: 'https://other.example' }, /its claim 'iss'/],
    [{ exp: seconds(-70) }, /the token has expired/],
    [{ exp: undefined }, /its claim 'exp'/],
    [{ sub: undefined }, /its claim 'sub'/],
  ];
  const reasonOf = async (token: string) => {
    const answer = await service.request('GET', '/lab/records/', { token });
    assert.equal(answer.status, 401, answer.text);
    return answer.text;
  };
  for (const [claims, reason] of bad)
    assert.match(await reasonOf(await issuer.sign({ ...good, ...claims })), reason);
  const [, payload, signature] = (await issuer.sign(good)).split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  assert.match(await reasonOf(`${none}.${payload}.${signature}`), /of a kind that is not accepted/);
  const other = await startIssuer(t);
  const mixed = await other.sign({ ...good, iss: issuer.url });
  assert.match(await reasonOf(mixed), /the signature of the token is not that of the issuer/);
});

test('an identity that only sends signed tokens is blocked by its subject, and let in again', async (t) => {
  const world = await openWorld(t, { source: { audiences: ['accession'] } });
  const { issuer, service } = world;
  const token = await issuer.sign({
    sub: 'robot',
    aud: 'accession',
    exp: seconds(600),
    groups: ['curators'],
  });
  const read = () => service.request('GET', '/lab/records/', { token });
  assert.equal((await read()).status, 200);
  const block = (json: object) => service.request('PUT', '/-/people/block', { token: ADMIN, json });
  assert.equal((await block({ source: 'elsewhere', subject: 'robot' })).status, 404);
  assert.equal((await block({ source: 'institute' })).status, 422);
  assert.equal((await block({ source: 'institute', subject: 'robot' })).status, 200);
  const refused = await read();
  assert.equal(refused.status, 401);
  assert.match(refused.text, /the identity is blocked/);
  issuer.accounts.set('robot', { name: 'Robot' });
  await assert.rejects(signIn(world, 'robot'), /an administrator has blocked this identity/);
  const people = await service.request('GET', '/-/people', { token: ADMIN });
  const [listed] = people.json<{ items: { id: number; subject: string; blocked: string | null }[] }>().items;
  assert.equal(listed?.subject, 'robot');
  assert.ok(listed.blocked);
  assert.equal(
    (await service.request('DELETE', `/-/people/${listed.id}/block`, { token: ADMIN })).status,
    200,
  );
  assert.equal((await read()).status, 200);
});

test('a block that names a user by mistake takes no name from another person', async (t) => {
  const world = await openWorld(t, { source: { user_id_claim: 'preferred_username' } });
  const { issuer, service } = world;
  issuer.accounts.set('f3a1', { name: 'Ann Ash', preferred_username: 'ann' });
  const json = { source: 'institute', subject: 'ann' };
  await service.request('PUT', '/-/people/block', { token: ADMIN, json });
  assert.equal((await meOf(service, await signIn(world, 'f3a1'))).user_id, 'institute:ann');
});

test('no group makes an administrator', async (t) => {
  const world = await openWorld(t);
  const { service } = world;
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  for (const mode of ['ADMIN', 'ADMINISTRATOR', 'admin']) {
    const auth_sources = [institute(world.issuer, { groups: { curators: mode } })];
    const json = { ...config, auth_sources };
    const put = await service.request('PUT', '/collections/lab', { token: ADMIN, json });
    assert.equal(put.status, 422, mode);
  }
  const token = await signIn(world, 'cora');
  for (const path of ['/-/people', '/collections', '/-/history'])
    assert.equal((await service.request('GET', path, { token })).status, 401, path);
});

test('signed tokens are accepted while the issuer is away', async (t) => {
  const { issuer, service } = await openWorld(t, { source: { audiences: ['accession'] } });
  const signed = (exp: number) => issuer.sign({ sub: 'ann', aud: 'accession', exp, groups: ['writers'] });
  await meOf(service, await signed(seconds(60)));
  await issuer.stop();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.discovery + 1 });
  const me = await meOf(service, await signed(seconds(60)));
  assert.equal(me.user_id, 'institute:ann');
});

test('without audiences, no signed token is accepted', async (t) => {
  const { issuer, service } = await openWorld(t);
  const token = await issuer.sign({ sub: 'ann', aud: CLIENT.id, exp: seconds(60) });
  assert.equal((await service.request('GET', '/lab/records/', { token })).status, 401);
});

/** Two sources that know people by the same subjects. */
async function openTwo(t: TestContext) {
  const other = await startIssuer(t, ['http://localhost/-/sign-in/other/callback']);
  other.accounts.set('ann', { name: 'Another Ann' });
  const world = await openWorld(t);
  const { issuer, service } = world;
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  const auth_sources = [
    institute(issuer, { groups: { writers: 'WRITE_COLLECTION' } }),
    institute(other, { name: 'other', title: 'Other', everyone: 'WRITE_COLLECTION' }),
  ];
  const put = await service.request('PUT', '/collections/lab', {
    token: ADMIN,
    json: { ...config, auth_sources },
  });
  assert.equal(put.status, 201, put.text);
  return { ...world, other };
}

test('two sources with one subject are two people', async (t) => {
  const { issuer, other, service } = await openTwo(t);
  const browser = browserOf(service);
  const one = await signIn({ issuer, service }, 'ann', browser);
  other.account = 'ann';
  await browser.follow('/-/sign-in/other', (url) => url.includes('/-/desk/'));
  const { token: two } = JSON.parse((await browser.send('/-/sign-in/session', 'POST')).text) as {
    token: string;
  };
  const [first, second] = [await meOf(service, one), await meOf(service, two)];
  assert.deepEqual([first.user_id, second.user_id], ['institute:ann', 'other:ann']);
  assert.deepEqual(
    [first.collections.lab?.label, second.collections.lab?.label],
    ['oidc_institute.ann', 'oidc_other.ann'],
  );
  // A source whose name goes on as the subject of another begins.
  assert.notEqual(zoneOf('oidc_institute', 'physics-ann'), zoneOf('oidc_institute-physics', 'ann'));
  assert.notEqual(zoneOf('oidc_institute', 'physics-a b'), zoneOf('oidc_institute-physics', 'a b'));
  const json = { source: 'institute', subject: 'ann', name: 'Ann', mode: 'CURATOR' };
  await service.request('PUT', '/-/lab/grants', { token: ADMIN, json });
  assert.ok((await meOf(service, one)).collections.lab?.permissions.includes('curate'));
  assert.ok(!(await meOf(service, two)).collections.lab?.permissions.includes('curate'));
});

test('an answer of one issuer does not end the way to another', async (t) => {
  const { issuer, other, service } = await openTwo(t);
  const browser = browserOf(service);
  issuer.account = 'ann';
  other.account = 'ann';
  const back = await browser.follow('/-/sign-in/institute', (url) => url.includes('/callback'));
  const mixed = new URL(back.url);
  mixed.pathname = '/-/sign-in/other/callback';
  const refused = await browser.send(mixed.href);
  assert.equal(refused.status, 400);
  // The parameter `iss` of the answer (RFC 9207) is that of another issuer.
  const withOther = new URL(back.url);
  withOther.searchParams.set('iss', other.url);
  assert.equal((await browser.send(withOther.href)).status, 400);
  assert.deepEqual(
    issuer.requests.filter((one) => one === 'POST /token'),
    [],
  );
});

test('an issuer whose secret is wrong refuses it, and the secret is in no answer', async (t) => {
  const world = await openWorld(t, { source: { client_secret: 'quite-wrong' } });
  await assert.rejects(signIn(world, 'ann'), (error: Error) => {
    assert.match(
      error.message,
      /Institute does not accept the client of this service: its id or its secret is wrong/,
    );
    assert.doesNotMatch(error.message, /quite-wrong/);
    return true;
  });
});

test('the secret of a source is masked in the history of the configuration', async (t) => {
  const { service, issuer } = await openWorld(t);
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  const auth_sources = [institute(issuer, { client_secret: 'another-secret-of-the-tests' })];
  await service.request('PUT', '/collections/lab', {
    token: ADMIN,
    json: { ...config, auth_sources },
  });
  const history = await service.request('GET', '/-/history', { token: ADMIN });
  assert.match(history.text, /client_secret/);
  assert.doesNotMatch(history.text, /secret-of-the-tests/);
});

test('a secret that YAML reads as a number is refused and not repeated, in a response and at the start', async (t) => {
  const { service, issuer } = await openWorld(t);
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  const auth_sources = [institute(issuer, { client_secret: 271828 })];
  const json = { ...config, auth_sources };
  const { status, text } = await service.request('PUT', '/collections/lab', { token: ADMIN, json });
  assert.equal(status, 422);
  assert.match(text, /client_secret.*expected a string, found a number/);
  assert.doesNotMatch(text, /271828/);
  const lab = { schema: 's', default_token: 't', curated: 'lab', auth_sources };
  const file = JSON.stringify({ type: 'collections', version: 2, collections: { lab } });
  assert.throws(
    () => parseConfigurationFile(file, SCHEMAS, () => assert.fail()),
    ({ message }: Error) => /expected a string, found a number/.test(message) && !message.includes('271828'),
  );
});

test('a source that the configuration does not complete signs nobody in', async (t) => {
  const { service } = await openWorld(t, { source: { issuer: undefined } });
  assert.equal((await service.request('GET', '/-/sign-in/institute')).status, 404);
  assert.deepEqual((await service.request('GET', '/-/sign-in')).json(), { items: [] });
});

test('an issuer without TLS elsewhere is refused by the configuration', async (t) => {
  const { service } = await openWorld(t);
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  const auth_sources = [{ type: 'oidc', name: 'x', issuer: 'http://issuer.example', client_id: 'a' }];
  const put = await service.request('PUT', '/collections/lab', {
    token: ADMIN,
    json: { ...config, auth_sources },
  });
  assert.equal(put.status, 422);
  assert.match(put.text, /auth_sources.*issuer/s);
});
