/** The Atom feed of an inbox: a URL that grants this and nothing else, until it is ended. */
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { of, TAG } from '../../../test/policies/world.ts';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { person } from '../../../test/support/people.ts';
import { ofTier, repeated } from '../../../test/support/tier.ts';

const TOKENS = { ann: { c: 'WRITE_COLLECTION' }, cora: { c: 'CURATOR' } };

for (const type of ofTier(['record_dir', 'postgresql']))
  repeated(`in ${type}, a feed has what its user may see, for the one who has its URL`, async (t) => {
    const policies = { policy_annotation_tag: TAG, policy_mapping: [of('ann', 'x'), of('cora', 'x', 'y')] };
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const collections = { c: { backend: { type }, ...policies } };
    const { request } = await testApp(t, { collections, tokens: TOKENS }, { logger });
    const send = async (method: string, url: string, token: string, json?: object) => {
      const answer = await request(method, url, { token, ...(json && { json }) });
      assert.equal(answer.status, 200, `${url}: ${answer.text}`);
      return answer;
    };
    for (const [name, policy] of [
      ['seen', 'x'],
      ['hidden', 'y'],
    ] as const) {
      const json = person(name, { given_name: '<b>&\u0007', annotations: { [TAG]: policy } });
      await send('POST', '/c/incoming/ann/record/Person', 'cora', json);
      await send('POST', '/-/c/review/comments', 'cora', {
        label: 'ann',
        pid: `labid:${name}`,
        text: 'Why?',
      });
    }
    const { url } = (await send('POST', '/-/c/inbox/feed', 'ann')).json<{ url: string }>();
    const { pathname, search } = new URL(url);
    const path = pathname + search;
    const feed = await request('GET', path, {});
    assert.equal(feed.status, 200, feed.text);
    assert.equal(feed.headers['content-type'], 'application/atom+xml; charset=utf-8');
    assert.equal(feed.headers['cache-control'], 'private, no-cache');
    assert.match(
      feed.text,
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<feed xmlns="http:\/\/www.w3.org\/2005\/Atom"/,
    );
    assert.equal(feed.text.match(/<entry>/g)!.length, 1);
    assert.match(
      feed.text,
      /<id>urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}<\/id>/,
    );
    assert.match(feed.text, /<updated>\d{4}-\d\d-\d\dT[\d:.]+\+00:00<\/updated>/);
    assert.match(feed.text, /<summary>Why\?<\/summary>/);
    assert.doesNotMatch(feed.text, /hidden|<b>|\u0007/);
    const again = await request('GET', path, { headers: { 'if-none-match': feed.headers.etag! } });
    assert.equal(again.status, 304);
    await send('POST', '/-/c/review/comments', 'cora', { label: 'ann', pid: 'labid:seen', text: 'Well?' });
    const next = await request('GET', path, { headers: { 'if-none-match': feed.headers.etag! } });
    assert.equal(next.text.match(/<entry>/g)!.length, 2);
    assert.ok(next.text.includes(/<entry>\n<id>([^<]+)/.exec(feed.text)![1]!), 'an entry keeps its id');

    // It is not a token, and its secret is in no log.
    const secret = new URLSearchParams(search).get('token')!;
    assert.equal((await request('GET', '/-/c/inbox', { token: secret })).status, 401);
    const log = lines.join('');
    assert.match(log, /inbox\/feed/);
    assert.ok(!log.includes(secret));

    // Another URL ends the former one; so does the loss of all permissions, and maintenance.
    const other = new URL((await send('POST', '/-/c/inbox/feed', 'ann')).json<{ url: string }>().url);
    assert.equal((await request('GET', path, {})).status, 404);
    const now = other.pathname + other.search;
    const status = async () => (await request('GET', now, {})).status;
    assert.equal(await status(), 200);
    const maintenance = { collection: 'c', active: true };
    await send('POST', '/maintenance', 'cora', maintenance);
    assert.equal(await status(), 404);
    await send('POST', '/maintenance', 'cora', { ...maintenance, active: false });
    assert.equal(await status(), 200);
    await send('DELETE', '/-/c/inbox/feed', 'ann');
    assert.equal(await status(), 404);
    const last = new URL((await send('POST', '/-/c/inbox/feed', 'ann')).json<{ url: string }>().url);
    await request('DELETE', '/tokens/ann', { token: ADMIN });
    const { status: left, headers } = await request('GET', last.pathname + last.search, {});
    assert.deepEqual([left, headers['accession-error']], [404, 'inbox_link_unknown']);
  });
