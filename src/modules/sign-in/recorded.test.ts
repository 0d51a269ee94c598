/** People who sign in at Keycloak, Entra ID and ORCID, by what these issuers are documented to say. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { testApp } from '../../../test/support/app.ts';
import { CLIENT } from './issuer.support.ts';
import { entra, keycloak, orcid, type Recorded, startRecorded } from './recorded.support.ts';
import { TIMES } from './times.ts';
import { browserOf, CALLBACK, meOf, saveUses, signInBy } from './world.support.ts';

/** A service with the preset of an issuer, and no more settings than its page says. */
async function openWith(t: TestContext, said: Recorded, others: object = {}) {
  const issuer = await startRecorded(t, said, CALLBACK);
  const groups = { curator: 'CURATOR', Curator: 'CURATOR' };
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret };
  const source = { type: 'oidc', name: 'institute', preset: said.preset, issuer: issuer.url, ...client };
  const lab = { auth_sources: [{ ...source, groups, everyone: 'READ_CURATED', ...others }] };
  const service = await testApp(t, { collections: { lab } });
  const personOf = async (token: string) => {
    const me = await meOf(service, token);
    const { person } = (await service.request('GET', '/-/me/sessions', { token })).json<{
      person: { name: string; orcid?: string; email?: string };
    }>();
    const curates = me.collections.lab?.permissions.includes('curate');
    return { id: me.user_id, curates, name: person.name, orcid: person.orcid, email: person.email };
  };
  return { issuer, service, personOf, enter: () => signInBy('institute', browserOf(service)) };
}

test('Keycloak: the user name names the person, roles of the realm are groups, and its access tokens are accepted', async (t) => {
  const { issuer, service, enter, personOf } = await openWith(t, keycloak, { audiences: ['accession'] });
  const { id, curates, name, email } = await personOf(await enter());
  assert.deepEqual([id, curates, name, email], ['institute:ann', true, 'Ann Ash', 'ann@institute.example']);
  const me = await meOf(service, issuer.access);
  assert.equal(me.user_id, 'institute:ann');
  assert.ok(me.collections.lab?.permissions.includes('curate'));
});

test('Keycloak: roles that are in access tokens alone, as without further settings, grant nothing to sessions', async (t) => {
  const { realm_access: _, ...idToken } = keycloak.idToken;
  const { realm_access: _roles, ...userinfo } = keycloak.userinfo;
  const { enter, personOf } = await openWith(t, { ...keycloak, idToken, userinfo });
  assert.equal((await personOf(await enter())).curates, false);
});

test('Entra ID: the object names the person, and a session is renewed by ID tokens, as userinfo names no roles', async (t) => {
  const { enter, personOf } = await openWith(t, entra);
  const token = await enter();
  const signedIn = { id: `institute:${entra.idToken.oid}`, curates: true, name: 'Ann Ash' };
  assert.partialDeepStrictEqual(await personOf(token), signedIn);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + TIMES.askedAtMost + 1 });
  assert.partialDeepStrictEqual(await personOf(token), signedIn);
});

test('ORCID: the iD names the person, and is kept as such', async (t) => {
  const { enter, personOf } = await openWith(t, orcid);
  const { id, name, orcid: iD, curates } = await personOf(await enter());
  const known = ['institute:0000-0002-1825-0097', 'Ann Ash', 'https://orcid.org/0000-0002-1825-0097', false];
  assert.deepEqual([id, name, iD, curates], known);
});

test('a clock that differs by a minute is tolerated, and one that differs by more is named to the person and by the check', async (t) => {
  const { issuer, service, enter } = await openWith(t, keycloak);
  const findings = async () => {
    const { stdout } = await accession(['check', service.store, '--json']);
    return stdout.split('\n').filter((line) => line.includes('"check":"sign-in"'));
  };
  for (const ahead of [50, -50]) {
    issuer.ahead = ahead;
    await enter();
  }
  await saveUses(service);
  assert.deepEqual(await findings(), []);
  for (const ahead of [400, -400]) {
    issuer.ahead = ahead;
    await assert.rejects(enter(), /the clock of this service and that of institute differ by more than 60 s/);
    const [finding = '', ...further] = await findings();
    assert.match(finding, /the clock of this machine and that of the issuer differ by (3|4)\d\d seconds/);
    assert.match(finding, /Synchronize the clock/);
    assert.deepEqual(further, []);
  }
});
