/** Mail of the inbox, by a real mail server, on both databases. */
import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { of, TAG } from '../../../test/policies/world.ts';
import { ADMIN, type TestService, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { ofTier, repeated, test } from '../../../test/support/tier.ts';
import { DAY } from '../../core/durations.ts';
import { problemsBy } from '../../core/json-schema.ts';
import type { InboxMail } from './api-types.ts';
import { configuration } from './configuration.ts';
import { type MailServer, openMailServer, type ReceivedMail } from './smtp.support.ts';

const TOKENS = {
  ann: { c: 'WRITE_COLLECTION' },
  bob: { c: 'WRITE_COLLECTION' },
  cora: { c: 'CURATOR' },
  carl: { c: 'CURATOR' },
};
const ANN = 'ann@institute.example';
const CORA = 'cora@institute.example';

/** Half a day away: a digest is sent when a test makes it due. */
const DIGEST_AT = new Date(Date.now() + DAY / 2).toISOString().slice(11, 16);

const SMTP = { from: 'records@institute.example', url: 'https://records.institute.example/' };

async function world(t: TestContext, type: string, more: object = {}) {
  const server = await openMailServer(t);
  const smtp = { ...SMTP, host: '127.0.0.1', port: server.port, tls: 'none', digest_at: DIGEST_AT };
  const service = await testApp(t, {
    collections: { c: { backend: { type }, smtp, ...more } },
    tokens: TOKENS,
  });
  const send = async (method: string, url: string, token: string, json?: object) => {
    const answer = await service.request(method, url, { token, ...(json && { json }) });
    assert.equal(answer.status, 200, `${url}: ${answer.text}`);
    return answer;
  };
  return { server, service, send };
}

const settings = async ({ request }: TestService, token: string) =>
  (await request('GET', '/-/c/inbox/mail', { token })).json<InboxMail>();

/** The path of the link with a purpose in a mail. */
function linkIn({ text }: ReceivedMail, purpose: string): string {
  const url = new RegExp(
    `https://records.institute.example(/-/c/inbox/link\\?token=${purpose}\\.[\\w.-]+)`,
  ).exec(text);
  assert.ok(url?.[1], text);
  return url[1];
}

/** Has an address confirmed by the link that it is sent. */
async function subscribe(
  { service, server }: { service: TestService; server: MailServer },
  token: string,
  address: string,
  mode = 'at_once',
  language = 'en',
): Promise<void> {
  const json = { mode, address, language };
  const put = await service.request('PUT', '/-/c/inbox/mail', { token, json });
  assert.equal(put.status, 200, put.text);
  const sent = server.mails.filter(({ to }) => to === address).length;
  const mails = await server.until(address, Math.max(1, sent));
  assert.equal((await settings(service, token)).confirmed, false);
  const link = linkIn(mails.at(-1)!, 'confirm');
  const shown = await service.request('GET', link, {});
  assert.match(shown.text, /<form method="post">/);
  assert.equal((await settings(service, token)).confirmed, false);
  assert.equal((await service.request('POST', link, {})).status, 200);
  assert.equal((await settings(service, token)).confirmed, true);
}

/** Makes digests due. */
const setDue = ({ app }: TestService) =>
  app.registry
    .collection('c')
    .database.transact(async (draft) => void draft.run('UPDATE accession_inbox_reader SET due = 0'));

for (const type of ofTier(['record_dir', 'postgresql']))
  describe(`mail in ${type}`, () => {
    repeated(
      'has each event once, with links, for those whom it concerns, until they end it by one click',
      async (t) => {
        const { server, service, send } = await world(t, type);
        await send('POST', '/c/record/Person', 'bob', person('before'));
        await subscribe({ service, server }, 'ann', ANN, 'at_once', 'de');
        await subscribe({ service, server }, 'cora', CORA);
        await send('POST', '/c/record/Person', 'ann', person('a'));
        const [, toCora] = await server.until(CORA, 2);
        assert.match(
          toCora!.text,
          /ann@example.org submitted a record: a\nhttps:\/\/records\.institute\.example\/-\/desk\/c\/review\/item\?label=ann&pid=labid%3Aa\n/,
        );
        assert.doesNotMatch(toCora!.text, /before/);
        assert.match(
          toCora!.html,
          /<a href="https:\/\/records.institute.example\/-\/desk\/c\/review\/item\?label=ann&amp;pid=labid%3Aa">/,
        );
        const { headers } = toCora!;
        assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
        assert.equal(headers.get('subject'), '1 new item in c');
        assert.equal(headers.get('auto-submitted'), 'auto-generated');
        const oneClick = /<https:\/\/records.institute.example([^>]+)>/.exec(
          headers.get('list-unsubscribe')!,
        )![1]!;
        assert.equal(oneClick, linkIn(toCora!, 'unsubscribe'));

        await send('POST', '/-/c/review/comments', 'carl', {
          label: 'ann',
          pid: 'labid:a',
          text: 'Which?',
          requests: 'answer',
        });
        const [, toAnn] = await server.until(ANN, 2);
        assert.match(toAnn!.text, /Eine Frage zu Ihrer Einreichung: a\n {2}Which\?/);
        assert.match(toAnn!.headers.get('subject')!, /1 neuer Eintrag in c/);
        assert.doesNotMatch(toAnn!.raw, /carl/);

        const clicked = await service.request('POST', oneClick, {
          body: 'List-Unsubscribe=One-Click',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        assert.equal(clicked.status, 200, clicked.text);
        assert.equal((await settings(service, 'cora')).mode, 'none');
        await send('POST', '/-/c/submissions/comments', 'ann', { pid: 'labid:a', text: 'This one.' });
        await send('POST', '/-/c/review/comments', 'carl', { label: 'ann', pid: 'labid:a', text: 'Thanks.' });
        const all = await server.until(ANN, 3);
        assert.match(all[2]!.text, /Thanks\./);
        assert.doesNotMatch(all[2]!.text, /Which/);
        assert.equal((await server.until(CORA, 2)).length, 2);
        // The signature is about its purpose and the address.
        for (const [from, to] of [
          [/unsubscribe/, 'confirm'],
          [/(token=\w+\.)\d+/, '$1999'],
          [/.$/, ''],
          [/token=.*/, ''],
        ] as const)
          assert.equal((await service.request('POST', oneClick.replace(from, to), {})).status, 404);
        await send('DELETE', '/-/c/inbox/mail', 'cora');
        assert.equal((await service.request('POST', oneClick, {})).status, 404);
      },
    );

    repeated('comes as a digest, which has what the reader may see at the moment', async (t) => {
      const policies = { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x'), of('cora', 'x', 'y')] };
      const { server, service, send } = await world(t, type, policies);
      await subscribe({ service, server }, 'ann', ANN, 'daily');
      for (const [name, policy] of [
        ['seen', 'x'],
        ['hidden', 'y'],
        ['later', 'x'],
      ] as const) {
        const json = person(name, { annotations: { [TAG]: policy } });
        await send('POST', '/c/incoming/ann/record/Person', 'cora', json);
        await send('POST', '/-/c/review/comments', 'cora', {
          label: 'ann',
          pid: `labid:${name}`,
          text: `About ${name}`,
        });
      }
      // What was stored for a mail is shown only if it may be when it is sent.
      server.refuses.set(ANN, 451);
      await setDue(service);
      await eventually('a deferred mail', () => failing(service));
      await send(
        'POST',
        '/c/incoming/ann/record/Person',
        'cora',
        person('later', { annotations: { [TAG]: 'y' } }),
      );
      server.refuses.clear();
      await setDue(service);
      const [, digest] = await server.until(ANN, 2);
      assert.match(digest!.text, /About seen/);
      assert.doesNotMatch(digest!.raw, /hidden|later/);
      await setDue(service);
      await send('POST', '/-/c/review/comments', 'cora', {
        label: 'ann',
        pid: 'labid:seen',
        text: 'Once more',
      });
      await setDue(service);
      const mails = await server.until(ANN, 3);
      assert.match(mails[2]!.text, /Once more/);
      assert.doesNotMatch(mails[2]!.text, /About seen/);
    });

    repeated(
      'has changes of followed records once, as the feed, and none of a record that was hidden since',
      async (t) => {
        const policies = {
          policy_annotation_tag: TAG,
          default_policy: 'x',
          policy_mapping: [of('ann', 'x'), of('cora', 'x', 'y')],
        };
        const { server, service, send } = await world(t, type, policies);
        const put = (name: string, more: object = {}) =>
          send('POST', '/c/curated/record/Person', 'cora', person(name, more));
        for (const name of ['kept', 'lost']) {
          await put(name);
          await send('PUT', '/-/c/inbox/followed', 'ann', { pid: `labid:${name}` });
        }
        await subscribe({ service, server }, 'ann', ANN, 'daily');
        const { url } = (await send('POST', '/-/c/inbox/feed', 'ann')).json<{ url: string }>();
        const { pathname, search } = new URL(url);
        for (const name of ['kept', 'lost']) await put(name, { name: `Changed ${name}` });
        await put('lost', { name: 'Secret', annotations: { [TAG]: 'y' } });
        await setDue(service);
        const [, digest] = await server.until(ANN, 2);
        const link = 'https://records.institute.example/-/desk/c/record?pid=labid%3Akept';
        assert.ok(digest!.text.includes(`A record that you follow has changed: Changed kept\n${link}\n`));
        assert.doesNotMatch(digest!.raw, /lost|Secret/);
        const feed = await service.request('GET', pathname + search, {});
        assert.match(feed.text, /A record that you follow has changed: Changed kept/);
        assert.doesNotMatch(feed.text, /lost|Secret/);
        await put('kept', { name: 'Again' });
        await setDue(service);
        const mails = await server.until(ANN, 3);
        assert.match(mails[2]!.text, /has changed: Again/);
        assert.equal(mails[2]!.headers.get('subject'), '1 new item in c');
      },
    );

    repeated('goes on after a clock that was ahead', async (t) => {
      const { server, service, send } = await world(t, type);
      await subscribe({ service, server }, 'cora', CORA);
      await send('POST', '/c/record/Person', 'ann', person('a'));
      await server.until(CORA, 2);
      // As that clock has dated them.
      const ahead = Date.now() + 365 * DAY;
      await service.app.registry.collection('c').database.transact(async (draft) => {
        draft.run('UPDATE accession_submission SET submitted_at = $1', [ahead * 1000]);
        draft.run('UPDATE accession_inbox_reader SET due = $1, asked = $1', [ahead]);
      });
      await send('POST', '/c/record/Person', 'bob', person('b'));
      const [, , later] = await server.until(CORA, 3);
      assert.match(later!.text, /bob@example.org submitted a record: b/);
      assert.doesNotMatch(later!.text, /: a\n/);
      await subscribe({ service, server }, 'cora', 'other@institute.example');
    });

    repeated(
      'stops to an address that refuses it, which its reader and the health of the service show',
      async (t) => {
        const { server, service, send } = await world(t, type);
        await subscribe({ service, server }, 'cora', CORA);
        server.refuses.set(CORA, 550);
        await send('POST', '/c/record/Person', 'ann', person('a'));
        const state = await eventually(
          'a refusal',
          () => settings(service, 'cora'),
          ({ refused }) => refused !== null,
        );
        assert.equal(state.refused, 'the server answered 550 to RCPT TO');
        const health = await service.request('GET', '/-/health', {});
        assert.match(health.text, /collection 'c': 1 address refuses mail/);
        assert.doesNotMatch(health.text, /institute\.example/);
        server.refuses.clear();
        const soon = await service.request('PUT', '/-/c/inbox/mail', {
          token: 'cora',
          json: { mode: 'at_once', address: 'other@institute.example' },
        });
        assert.deepEqual([soon.status, soon.headers['accession-error']], [409, 'mail_refused']);
      },
    );
  });

const failing = async ({ app }: TestService) =>
  (
    await app.registry
      .collection('c')
      .database.tuples('SELECT id FROM accession_inbox_reader WHERE failures > 0')
  ).length > 0;

test('nothing that others have chosen adds a header, a mailbox or markup to mail', async (t) => {
  const { server, service, send } = await world(t, 'sqlite');
  await subscribe({ service, server }, 'cora', CORA);
  const given_name = 'x\r\nBcc: eve@example.org\r\n\r\n<script>alert(1)</script>\u202egnp.exe\u0007';
  await send('POST', '/c/record/Person', 'ann', person('a', { given_name }));
  await send('POST', '/-/c/submissions/comments', 'ann', {
    pid: 'labid:a',
    text: '</p><img src=x onerror=alert(1)>\r\n.\r\nQUIT\r\n',
  });
  const mails = await server.until(CORA, 2);
  await eventually('both events', () => server.mails.filter(({ text }) => /onerror/.test(text)).length > 0);
  for (const { raw, headers, html, text } of server.mails.slice(mails.length - 1)) {
    assert.doesNotMatch(raw.split('\r\n\r\n')[0]!, /^bcc:/im);
    assert.equal(headers.get('to'), CORA);
    assert.doesNotMatch(html, /<script|<img/);
    assert.doesNotMatch(text, /\u202e|\u0007/);
  }
  for (const address of [
    'a@b.example, eve@example.org',
    'a@b.example\r\nBcc: e@e.example',
    '"a b"@c.example',
    'a',
    `${'a'.repeat(65)}@b.example`,
  ]) {
    const put = await service.request('PUT', '/-/c/inbox/mail', {
      token: 'carl',
      json: { mode: 'daily', address },
    });
    assert.equal(put.status, 422, address);
  }
  const none = await service.request('PUT', '/-/c/inbox/mail', { token: 'carl', json: { mode: 'daily' } });
  assert.equal(none.status, 422);
});

test('a time of digests that YAML has read as a number is named', () => {
  const problem = (smtp: object) =>
    problemsBy(configuration.smtp!.schema, { host: 'mail.example', ...SMTP, ...smtp })[0]?.msg;
  const found = 'expected a string, found the number 630';
  assert.equal(problem({ digest_at: 630 }), `${found}, which YAML reads for 10:30 without quotes`);
  assert.equal(problem({ from: 630 }), found);
  assert.equal(problem({ password: 630 }), 'expected a string, found a number');
});

test('the password of the server is masked in histories, and is sent neither without TLS nor to a server that is not trusted', async (t) => {
  const { service, server } = await world(t, 'sqlite');
  await subscribe({ service, server }, 'cora', CORA);
  const configured = (await service.request('GET', '/collections/c', { token: ADMIN })).json<{
    smtp: object;
  }>();
  const set = async (changed: object) => {
    const smtp = { ...configured.smtp, user: 'records', password: 'hunter2hunter2', ...changed };
    const json = { ...configured, smtp };
    const put = await service.request('PUT', '/collections/c', { token: ADMIN, json });
    assert.equal(put.status, 201, put.text);
  };
  const fails = async () => {
    const { text } = await service.request('GET', '/-/health', {});
    return /job 'mail' of collection 'c' fails/.test(text) && !text.includes('hunter2');
  };
  await set({ tls: 'starttls', host: 'localhost' });
  const json = person('a');
  assert.equal((await service.request('POST', '/c/record/Person', { token: 'ann', json })).status, 200);
  await eventually('no trust', fails);
  await set({ host: 'mail.invalid' });
  await eventually('no password', fails);
  assert.equal(server.mails.length, 1);
  const history = await service.request('GET', '/-/history', { token: ADMIN });
  assert.equal(history.status, 200);
  assert.match(history.text, /password/);
  assert.doesNotMatch(history.text, /hunter2/);
  await set({ user: undefined, password: undefined });
  await server.until(CORA, 2);
});
