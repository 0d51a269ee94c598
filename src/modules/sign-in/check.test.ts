/** `accession check` names what is wrong with a source. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { testApp } from '../../../test/support/app.ts';
import { CLIENT, startIssuer, type TestIssuer } from './issuer.support.ts';
import { browserOf, CALLBACK, institute, saveUses } from './world.support.ts';

/** The findings about a source, after someone has tried to sign in by it at http://localhost. */
async function findingsOf(t: TestContext, issuer: TestIssuer, others: object) {
  const auth_sources = [institute(issuer, others)];
  const service = await testApp(t, { collections: { lab: { auth_sources } } });
  await browserOf(service).send('/-/sign-in/institute');
  await saveUses(service);
  const check = async () => {
    const { stdout } = await accession(['check', service.store, '--json']);
    const findings = stdout.split('\n').filter((line) => line.includes('"check":"sign-in"'));
    return findings.map((line) => (JSON.parse(line) as { message: string }).message);
  };
  return { check, store: service.store };
}

test('a source that is right has no findings', async (t) => {
  const issuer = await startIssuer(t, [CALLBACK]);
  const { check, store } = await findingsOf(t, issuer, {
    client_secret: undefined,
    client_secret_file: 'client.secret',
  });
  assert.match((await check()).join(), /client\.secret does not exist/);
  writeFileSync(join(store, 'client.secret'), `${CLIENT.secret}\n`);
  assert.deepEqual(await check(), []);
});

test('the redirect URI, the issuer, the client and the clock are compared', async (t) => {
  const issuer = await startIssuer(t, ['http://localhost/-/sign-in/other/callback']);
  const unregistered = await findingsOf(t, issuer, {});
  assert.match(
    (await unregistered.check()).join(),
    new RegExp(`refuses the client "accession" with the redirect URI ${CALLBACK} \\(400\\)`),
  );
  const slash = await findingsOf(t, issuer, { issuer: `${issuer.url}/` });
  assert.match(
    (await slash.check()).join(),
    /calls itself "http:\/\/127\.0\.0\.1:\d+", and "http:\/\/127\.0\.0\.1:\d+\/" is configured/,
  );
  const path = await findingsOf(t, issuer, { issuer: `${issuer.url}/nowhere` });
  assert.match((await path.check()).join(), /was answered with 404/);
  const none = await findingsOf(t, issuer, { client_id: undefined });
  assert.match((await none.check()).join(), /has no client_id/);
  const away = await findingsOf(t, issuer, {});
  await issuer.stop();
  assert.match((await away.check()).join(), /cannot be read: no program listens there/);
});
