/** Two instances on one database: any of them ends what another has begun, and what is ended at one is ended at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { startIssuer, TestBrowser } from './issuer.support.ts';
import { ADMIN, browserOf, CALLBACK, institute, meOf, openWorld, signIn } from './world.support.ts';

test('a person begins at one instance, comes back to another, and takes the session from the first', async (t) => {
  const issuer = await startIssuer(t, [CALLBACK]);
  issuer.accounts.set('ann', { name: 'Ann Ash', groups: ['writers'] });
  issuer.account = 'ann';
  const auth_sources = [institute(issuer, { groups: { writers: 'WRITE_COLLECTION' } })];
  const databaseUrl = await ownDatabase();
  const lab = { backend: { type: 'postgresql+stl' }, auth_sources };
  const one = await testApp(t, { collections: { lab } }, { databaseUrl });
  const two = await testApp(t, {}, { databaseUrl });
  let turn = 0;
  const send = async (url: URL, headers: Record<string, string>, method: string) => {
    const { app } = turn++ % 2 === 0 ? one : two;
    const {
      statusCode: status,
      headers: sent,
      body: text,
    } = await app.server.inject({
      method: method as 'GET',
      url: url.pathname + url.search,
      headers: { host: url.host, ...headers },
    });
    return { status, location: sent.location, cookies: [sent['set-cookie'] ?? []].flat(), text };
  };
  const token = await signIn({ issuer, service: one }, 'ann', new TestBrowser('http://localhost', send));
  assert.equal(turn, 3);
  for (const service of [one, two]) assert.equal((await meOf(service, token)).user_id, 'institute:ann');
  const other = await signIn({ issuer, service: two }, 'ann', browserOf(two));
  assert.equal((await one.request('DELETE', '/-/me/sessions', { token })).status, 200);
  assert.equal((await two.request('GET', '/-/me', { token })).status, 401);
  const people = await two.request('GET', '/-/people', { token: ADMIN });
  const [person] = people.json<{ items: { id: number }[] }>().items;
  await two.request('PUT', `/-/people/${person!.id}/block`, { token: ADMIN });
  assert.equal((await one.request('GET', '/-/me', { token: other })).status, 401);
});

test('a process that only reads the store knows sessions, and signs nobody in', async (t) => {
  const world = await openWorld(t);
  const token = await signIn(world, 'ann');
  const reader = await testApp(t, {}, { store: world.service.store, readOnly: true });
  assert.equal((await meOf(reader, token)).user_id, 'institute:ann');
  assert.deepEqual((await reader.request('GET', '/-/sign-in')).json(), { items: [] });
  const begun = await reader.request('GET', '/-/sign-in/institute', { headers: { host: 'localhost' } });
  assert.equal(begun.status, 405, begun.text);
});

test('of several requests with one answer of the issuer, at most one makes a session', async (t) => {
  const issuer = await startIssuer(t, [CALLBACK]);
  issuer.accounts.set('ann', { name: 'Ann Ash' });
  issuer.account = 'ann';
  const lab = { backend: { type: 'postgresql+stl' }, auth_sources: [institute(issuer)] };
  const one = await testApp(t, { collections: { lab } }, { databaseUrl: await ownDatabase() });
  const browser = browserOf(one);
  const { url } = await browser.follow('/-/sign-in/institute', (place) => place.includes('/callback'));
  const cookie = [...browser.cookiesOf('http://localhost')].map((pair) => pair.join('=')).join('; ');
  const all = await Promise.all(Array.from({ length: 6 }, () => browser.send(url, 'GET', { cookie })));
  // The issuer takes back what it gave for a code that comes again, so there may be none.
  assert.ok(all.filter(({ location }) => location === '/-/desk/signed-in').length <= 1);
  const { database } = one.app.registry.collection('lab');
  assert.ok((await database.tuples('SELECT id FROM accession_session')).length <= 1);
});
