/** `accession check` names what is wrong with a source. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { accession } from '../../../test/cli/accession.ts';
import { testApp } from '../../../test/support/app.ts';
import { CLIENT, startIssuer, type TestIssuer } from './issuer.support.ts';
import { ADMIN, browserOf, CALLBACK, institute, saveUses } from './world.support.ts';

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
  return { check, store: service.store, service };
}

test('a source that is right has no findings', async (t) => {
  const issuer = await startIssuer(t, [CALLBACK]);
  const { check, store } = await findingsOf(t, issuer, {
    client_secret: undefined,
    client_secret_file: 'client.secret',
  });
  assert.match((await check()).join(), /client\.secret: the file does not exist/);
  writeFileSync(join(store, 'client.secret'), `${CLIENT.secret}\n`);
  assert.deepEqual(await check(), []);
});

test('the secret of a client is in a file of the store that is meant for it, and in no other', async (t) => {
  const issuer = await startIssuer(t, [CALLBACK]);
  const folder = mkdtempSync(join(tmpdir(), 'accession-secret-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'host.secret'), 'of-the-host');
  const others = { client_secret: undefined, client_secret_file: 'client.secret' };
  const { check, store, service } = await findingsOf(t, issuer, others);
  const begun = () => service.request('GET', '/-/sign-in/institute', { headers: { host: 'localhost' } });
  const link = join(store, 'client.secret');
  symlinkSync(join(folder, 'host.secret'), link);
  assert.match((await check()).join(), /leads out of the store/);
  const { status, text } = await begun();
  assert.equal(status, 503, text);
  assert.match(text, /the secret of this service for it cannot be read/);
  rmSync(link);
  writeFileSync(join(store, 'data.yaml'), 'of-a-collection');
  symlinkSync(join(store, 'data.yaml'), link);
  assert.match((await check()).join(), /expected a name that ends in '\.secret'/);
  rmSync(link);
  writeFileSync(link, 'two\nlines\n');
  assert.match((await check()).join(), /expected one line/);
  const config = (await service.request('GET', '/collections/lab', { token: ADMIN })).json<object>();
  for (const file of [
    '/etc/passwd',
    '/run/x.secret',
    '../x.secret',
    'a/../../x.secret',
    'data.yaml',
    'a\0.secret',
  ]) {
    const auth_sources = [institute(issuer, { ...others, client_secret_file: file })];
    const json = { ...config, auth_sources };
    const put = await service.request('PUT', '/collections/lab', { token: ADMIN, json });
    assert.equal(put.status, 422, file);
    assert.match(put.text, /client_secret_file/);
  }
});

test('entries of one name that contradict each other are no source', async (t) => {
  const issuer = await startIssuer(t, [CALLBACK]);
  const entry = (others: object) => ({ auth_sources: [institute(issuer, others)] });
  const collections = { lab: entry({}), other: entry({ client_id: 'public' }) };
  const service = await testApp(t, { collections });
  assert.deepEqual((await service.request('GET', '/-/sign-in')).json(), { items: [] });
  const { stdout } = await accession(['check', service.store, '--json']);
  assert.match(stdout, /Entries of the source 'institute' have another type, issuer or client_id/);
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
