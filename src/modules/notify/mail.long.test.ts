/** Mail while services are killed, also one of two on a database: each event is in one mail, which may come again as it was. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LABORATORY } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { type RealService, startService } from '../../../test/support/real-service.ts';
import { type MailServer, openMailServer, type ReceivedMail } from './smtp.support.ts';

const CORA = 'cora@institute.example';
const PASSWORD = 'the password of the mail server';

/** A certificate for this machine, and its key. */
function certificateIn(folder: string) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`;
  execFileSync('openssl', [...options.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { file: cert, key: readFileSync(key), cert: readFileSync(cert) };
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function send({ url }: RealService, method: string, path: string, token: string, json?: object) {
  const headers = { 'x-service-token': token, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(json && { body: JSON.stringify(json) }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
}

/** A collection with the curator cora and the submitter ann. */
function configurationWith(smtp: object): string {
  const lab = {
    schema: LABORATORY,
    default_token: 'none',
    curated: 'lab/curated',
    incoming: 'lab/in',
    smtp: { ...smtp, from: 'records@institute.example', url: 'https://records.institute.example' },
  };
  const tokenOf = (mode: string, name: string) => ({
    user_id: name,
    representation: name,
    collections: { lab: { mode, incoming_label: name } },
  });
  const tokens = { cora: tokenOf('CURATOR', 'cora'), ann: tokenOf('WRITE_COLLECTION', 'ann') };
  return JSON.stringify({ type: 'collections', version: 2, collections: { lab }, tokens });
}

/** Has cora get mail at once. @returns the mail that confirms the address */
async function subscribe(service: RealService, server: MailServer): Promise<ReceivedMail> {
  await send(service, 'PUT', '/-/lab/inbox/mail', 'cora', { mode: 'at_once', address: CORA });
  const [confirmation] = await server.until(CORA, 1);
  const link = /https:\/\/records.institute.example(\/\S+)/.exec(confirmation!.text)![1]!;
  assert.equal((await fetch(`${service.url}${link}`, { method: 'POST' })).status, 200);
  return confirmation!;
}

const mailsOf = ({ mails }: MailServer, pid: string) =>
  mails.filter(({ text }) => text.includes(`pid=labid%3A${pid}\n`));

/** A mail that comes again is the same one. */
async function assertOneMail(server: MailServer, pid: string): Promise<void> {
  const mails = await eventually(
    `mail about ${pid}`,
    () => mailsOf(server, pid),
    ({ length }) => length > 0,
  );
  assert.equal(new Set(mails.map(({ headers }) => headers.get('message-id'))).size, 1, pid);
}

test('each event is in one mail, by STARTTLS, whenever the service is killed', {
  skip: hasOpenssl() ? false : 'there is no openssl',
}, async (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-mail-'));
  t.after(async () => {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const { file, key, cert } = certificateIn(folder);
  const server = await openMailServer(t, {
    key,
    cert,
    authOptional: false,
    onAuth({ username, password }, { secure }, callback) {
      const isKnown = secure && username === 'records' && password === PASSWORD;
      callback(isKnown ? null : new Error('refused'), { user: username });
    },
  });
  const [store, config] = [join(folder, 'store'), join(folder, 'config.yaml')];
  mkdirSync(store);
  writeFileSync(join(store, 'mail.secret'), `${PASSWORD}\n`);
  const smtp = { host: 'localhost', port: server.port, user: 'records', password_file: 'mail.secret' };
  writeFileSync(config, configurationWith(smtp));
  const start = () =>
    startService([store, '--config', config], {
      environment: { ACCESSION_ADMIN_TOKEN: 'admin', NODE_EXTRA_CA_CERTS: file },
    });
  let service = await start();
  const confirmation = await subscribe(service, server);
  assert.deepEqual([confirmation.secure, confirmation.user], [true, 'records']);

  // Before the mail is accepted, when it is, and before it is sent at all.
  for (const moment of ['before', 'after', 'stored'] as const) {
    const [stored, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isKilled = false;
    const kill = async () => {
      if (isKilled) return;
      isKilled = true;
      // The mail about the first one may be there before the second one is stored.
      await stored.promise;
      await service.kill();
      killed.resolve();
    };
    server.accepting = () => (moment === 'before' ? kill() : void setImmediate(kill));
    await send(service, 'POST', '/lab/record/Person', 'ann', person(moment));
    await send(service, 'POST', '/lab/record/Person', 'ann', person(`${moment}2`));
    stored.resolve();
    if (moment === 'stored') await kill();
    await killed.promise;
    server.accepting = () => {};
    service = await start();
  }
  for (const pid of ['before', 'before2', 'after', 'after2', 'stored', 'stored2'])
    await assertOneMail(server, pid);
});

test('of two services on a database one sends, and the other one if that is killed: each event is in one mail', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-mail-'));
  const running = new Set<RealService>();
  t.after(async () => {
    for (const one of running) await one.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const server = await openMailServer(t);
  const config = join(folder, 'config.yaml');
  writeFileSync(config, configurationWith({ host: '127.0.0.1', port: server.port, tls: 'none' }));
  const url = await ownDatabase();
  const start = async (...further: string[]) => {
    const store = mkdtempSync(join(folder, 'store-'));
    const environment = { ACCESSION_ADMIN_TOKEN: 'admin' };
    const service = await startService([store, '--database-url', url, ...further], { environment });
    running.add(service);
    return service;
  };
  let leading = await start('--config', config);
  let other = await start();
  await subscribe(other, server);
  await send(other, 'POST', '/lab/record/Person', 'ann', person('calm'));
  await assertOneMail(server, 'calm');

  for (const moment of ['before', 'after'] as const) {
    const killed = Promise.withResolvers<void>();
    let isKilled = false;
    const kill = async () => {
      if (isKilled) return;
      isKilled = true;
      await leading.kill();
      running.delete(leading);
      killed.resolve();
    };
    server.accepting = () => (moment === 'before' ? kill() : void setImmediate(kill));
    await send(other, 'POST', '/lab/record/Person', 'ann', person(moment));
    await killed.promise;
    await send(other, 'POST', '/lab/record/Person', 'ann', person(`${moment}2`));
    await assertOneMail(server, `${moment}2`);
    server.accepting = () => {};
    leading = other;
    other = await start();
  }
  for (const pid of ['before', 'before2', 'after', 'after2']) await assertOneMail(server, pid);
  const [calm, ...again] = mailsOf(server, 'calm');
  assert.ok(calm);
  assert.deepEqual(again, [], 'nothing was killed when it was sent');
});
