/** How long answers are remembered, and what a forge that is not healthy leads to. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { openForgeSource } from '../../../test/support/forge-cases.ts';
import { type ForgeDouble, type Misbehaviour, startForgeDouble } from '../../../test/support/forge-double.ts';
import { ForgeClient, Forges } from './forge-client.ts';

const tls = resolve(import.meta.dirname, '../../../test/fixtures/tls');

let forge: ForgeDouble;
before(async () => {
  forge = await startForgeDouble();
});
after(() => forge.close());

/** The reason for which a token is refused, or the user that it is of. */
async function seen(source: ReturnType<typeof openForgeSource>, holder = 'walt'): Promise<string> {
  const answer = await source.authenticate(forge.token(holder));
  return 'grant' in answer ? answer.grant.userId : answer.reason;
}

describe('what the client remembers', () => {
  test('concurrent requests with one token make each call once', async () => {
    forge.calls.length = 0;
    const source = openForgeSource(forge.url);
    const users = await Promise.all(Array.from({ length: 50 }, () => seen(source)));
    assert.deepEqual(new Set(users), new Set(['walt@example.org']));
    assert.equal(forge.calls.length, 4);
  });

  test('the user is requested again after two minutes, the organization after five', async () => {
    const clock = { time: 1, now: () => clock.time };
    const source = openForgeSource(forge.url, {}, new Forges({ clock }));
    const callsAfter = async (seconds: number) => {
      clock.time = seconds * 1000 + 2;
      forge.calls.length = 0;
      await seen(source);
      return forge.calls.toSorted();
    };
    assert.equal((await callsAfter(0)).length, 4);
    assert.deepEqual(await callsAfter(119), []);
    assert.deepEqual(await callsAfter(121), ['user', 'user/teams']);
    assert.deepEqual(await callsAfter(301), [
      'orgs/data_handling',
      'orgs/data_handling/teams',
      'user',
      'user/teams',
    ]);
  });

  test('a refused token is not asked about again for ten seconds', async () => {
    const clock = { time: 1, now: () => clock.time };
    const source = openForgeSource(forge.url, {}, new Forges({ clock }));
    forge.calls.length = 0;
    for (let i = 0; i < 20; i++) await seen(source, 'a stranger');
    assert.equal(forge.calls.length, 1);
    clock.time += 10_001;
    await seen(source, 'a stranger');
    assert.equal(forge.calls.length, 2);
  });

  test('when a forge is down, users with remembered answers are accepted, and others are refused with a reason', async () => {
    const passing = await startForgeDouble();
    const source = openForgeSource(passing.url);
    assert.equal(await seen(source), 'walt@example.org');
    await passing.close();
    assert.equal(await seen(source), 'walt@example.org');
    assert.equal(await seen(source, 'rita'), "can't be reached: no program listens there");
  });

  test('at most sixteen calls to a forge run at a time, and each gets its turn', async () => {
    let held: ServerResponse[] = [];
    let most = 0;
    forge.misbehave('user', (response) => {
      held.push(response);
      most = Math.max(most, held.length);
      // Answers only when sixteen wait for it, and leaves time for a seventeenth to show up.
      if (held.length !== 16) return;
      setTimeout(() => {
        for (const waiting of held) waiting.end('{}');
        held = [];
      }, 10);
    });
    const client = new ForgeClient(forge.url);
    const tokens = Array.from({ length: 6 * 16 }, (_, i) => `token-${i}`);
    await Promise.all(tokens.map((token) => client.one(token, 'user', 60, (answer) => answer)));
    forge.misbehave('user');
    assert.equal(most, 16);
  });

  test('when too many calls wait, further ones fail at once with that reason', async () => {
    forge.misbehave('user', () => {});
    const client = new ForgeClient(forge.url, { timeout: 0.3 });
    const ask = (i: number) =>
      client.one(`token-${i}`, 'user', 60, (answer) => answer).catch((error) => error.message);
    const waiting = Array.from({ length: 1016 }, (_, i) => ask(i));
    assert.equal(await ask(1016), 'too many requests wait for its answers');
    forge.misbehave('user');
    await Promise.all(waiting);
  });

  test('no token is kept in what the client remembers', async () => {
    const client = new ForgeClient(forge.url);
    await client.one(forge.token('walt'), 'user', 60, (answer) => answer);
    const { inspect } = await import('node:util');
    assert.ok(!inspect(client, { showHidden: true, depth: 9 }).includes(forge.token('walt')));
  });
});

describe('a forge that is not healthy refuses, with a reason', () => {
  const token = () => forge.token('walt');
  const json = { 'content-type': 'application/json' };
  const redirect =
    (location: string): Misbehaviour =>
    (response) =>
      response.writeHead(302, { location }).end();

  afterEach(() => forge.misbehave('user/teams'));

  const rows: { name: string; does: Misbehaviour; reason: string }[] = [
    { name: 'silence', does: () => {}, reason: 'no answer to user/teams within 0.2 seconds' },
    {
      name: 'a body that stalls',
      does: (response) => void response.writeHead(200, json).write('[{"name":'),
      reason: 'no answer to user/teams within 0.2 seconds',
    },
    {
      name: 'a connection that breaks off',
      does: (response) => response.socket?.destroy(),
      reason: "can't be reached: the connection was closed",
    },
    {
      name: '500 without words',
      does: (r) => r.writeHead(500).end('<h1>oops</h1>'),
      reason: 'user/teams was answered with 500',
    },
    {
      name: 'a refusal that repeats the token',
      does: (r) => r.writeHead(401, json).end(JSON.stringify({ message: `bad token ${token()}` })),
      reason: 'user/teams was answered with 401 (bad token ***)',
    },
    {
      name: 'half a JSON body',
      does: (r) => r.writeHead(200, json).end('[{"name": "writ'),
      reason: 'the answer to user/teams is not JSON',
    },
    {
      name: 'a page of HTML',
      does: (r) => r.writeHead(200).end('<html>'),
      reason: 'the answer to user/teams is not JSON',
    },
    {
      name: 'an object for a list',
      does: (r) => r.writeHead(200, json).end('{}'),
      reason: 'the answer to user/teams is not a list',
    },
    {
      name: 'a list of something else',
      does: (r) => r.writeHead(200, json).end('[null]'),
      reason: "the answer to user/teams can't be used: it has no name",
    },
    {
      name: 'a redirect to another host',
      does: redirect('http://localhost:1/api/v1/user/teams'),
      reason: 'redirects to http://localhost:1, where the token is not sent',
    },
    {
      name: 'a redirect to nowhere',
      does: redirect('http://'),
      reason: 'redirects to an address that is none, where the token is not sent',
    },
    { name: 'a redirect to itself', does: redirect('/api/v1/user/teams'), reason: 'redirects in a circle' },
    {
      name: 'an answer of ten megabytes',
      does: (r) => r.writeHead(200, json).end(`["${'x'.repeat(10_000_000)}"]`),
      reason: 'the answer to user/teams is over 2097152 bytes',
    },
  ];
  for (const { name, does, reason } of rows) {
    test(name, async () => {
      forge.misbehave('user/teams', does);
      const forges = new Forges(reason.includes('0.2 seconds') ? { timeout: 0.2 } : {});
      assert.deepEqual(await openForgeSource(forge.url, {}, forges).authenticate(token()), { reason });
    });
  }

  test('429 with Retry-After is obeyed', async () => {
    const clock = { time: 1, now: () => clock.time };
    const source = openForgeSource(forge.url, {}, new Forges({ clock }));
    forge.misbehave('user/teams', (r) => r.writeHead(429, { 'retry-after': '30' }).end());
    forge.calls.length = 0;
    assert.equal(await seen(source), 'user/teams was answered with 429');
    clock.time += 29_000;
    await seen(source);
    assert.equal(forge.calls.length, 1);
    forge.misbehave('user/teams');
    clock.time += 2_000;
    assert.equal(await seen(source), 'walt@example.org');
  });

  test('a certificate without a trusted issuer', async () => {
    const options = {
      key: readFileSync(`${tls}/self-signed.key`),
      cert: readFileSync(`${tls}/self-signed.crt`),
    };
    const server = createTlsServer(options, (_request, response) => response.end('[]'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const source = openForgeSource(`https://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
    assert.equal(await seen(source), "can't be reached: its certificate is self-signed");
    server.close();
  });

  test('a forge that speaks no TLS', async () => {
    const source = openForgeSource(forge.url.replace('http:', 'https:'));
    assert.match(await seen(source), /^can't be reached: the connection failed \(ERR_SSL_\w+\)$/);
  });

  test('a forge whose name does not resolve', async () => {
    const source = openForgeSource('http://forge.invalid/api/v1');
    assert.match(
      await seen(source),
      /^can't be reached: the host name (is unknown|cannot be looked up now)$/,
    );
  });
});

describe('lists with several pages', () => {
  const names = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({ name: `team-${from + i}` }));
  const page = (entries: object[], headers: Record<string, string> = {}): Misbehaviour => {
    return (response) => response.writeHead(200, headers).end(JSON.stringify(entries));
  };
  const listed = async (pages: Misbehaviour[]) => {
    pages.forEach((answer, i) => {
      forge.misbehave(i === 0 ? 'list' : `list?page=${i + 1}`, answer);
    });
    forge.calls.length = 0;
    const entries = await new ForgeClient(forge.url).all(
      't',
      'list',
      60,
      (entry) => (entry as { name: string }).name,
    );
    pages.forEach((_, i) => {
      forge.misbehave(i === 0 ? 'list' : `list?page=${i + 1}`);
    });
    return [entries.length, forge.calls.length];
  };

  test('are read up to the total', async () => {
    const total = { 'x-total-count': '25' };
    assert.deepEqual(
      await listed([page(names(10), total), page(names(10, 10), total), page(names(5, 20), total)]),
      [25, 3],
    );
  });

  test('are read as long as there is a link', async () => {
    assert.deepEqual(
      await listed([
        page(names(3), { link: '<x>; rel="next"' }),
        page(names(2, 3), { link: '<x>; rel="first"' }),
      ]),
      [5, 2],
    );
  });

  test('are read on where a full page says nothing', async () => {
    assert.deepEqual(await listed([page(names(50)), page(names(7, 50))]), [57, 2]);
  });

  test('are complete where the forge repeats itself, or runs out', async () => {
    assert.deepEqual(await listed([page(names(70)), page(names(70))]), [70, 2]);
    assert.deepEqual(await listed([page(names(30)), page([])]), [30, 2]);
  });

  test('are given up where they never end', async () => {
    const total = { 'x-total-count': '1000000' };
    const [entries, calls] = (await listed(
      Array.from({ length: 120 }, (_, i) => page(names(1, i), total)),
    )) as [number, number];
    assert.ok(entries === 100 && calls === 100, `${entries} entries, ${calls} calls`);
  });
});
