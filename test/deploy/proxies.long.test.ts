/** The proxy configurations of `deploy/`, with the real nginx and the real Caddy in front of a service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, isIPv4 } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { openApp } from '../../src/app.ts';
import type { LimitOptions } from '../../src/core/http/limits.ts';
import { LABORATORY } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { lacks } from '../support/lacks.ts';

const deploy = resolve(import.meta.dirname, '../../deploy');
const certificate = resolve(import.meta.dirname, '../fixtures/tls/self-signed.crt');
const key = resolve(import.meta.dirname, '../fixtures/tls/self-signed.key');
const folder = mkdtempSync(join(tmpdir(), 'accession-proxies-'));
// Workers of nginx give up root; they have to reach the folder.
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

/** Debian installs servers where the path of an ordinary user does not lead. */
const program = (name: string) =>
  [`/usr/sbin/${name}`, `/usr/bin/${name}`].find((path) => spawnSync(path, ['version']).error === undefined);

/** Pids are any text behind a prefix. */
const THINGS = join(folder, 'things.yaml');
writeFileSync(
  THINGS,
  `id: https://example.org/things
name: things
prefixes: {linkml: 'https://w3id.org/linkml/', ex: 'https://example.org/id/'}
default_prefix: ex
imports: [linkml:types]
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: string}
      see: {range: Thing, multivalued: true}
`,
);
/** The name of a collection, with what names may have. */
const SLASHED = 'my things/ü+1';

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    c: { schema: LABORATORY, default_token: 'none', curated: 'c/curated', incoming: 'c/incoming' },
    [SLASHED]: { schema: THINGS, default_token: 'none', curated: 'd/curated', incoming: 'd/incoming' },
    open: { schema: LABORATORY, default_token: 'anyone', curated: 'o/curated', incoming: 'o/incoming' },
  },
  tokens: {
    anyone: { user_id: 'anyone', collections: { open: { mode: 'READ_CURATED', incoming_label: '' } } },
    ann: {
      user_id: 'ann',
      representation: 'ann',
      collections: {
        c: { mode: 'CURATOR', incoming_label: 'ann' },
        [SLASHED]: { mode: 'CURATOR', incoming_label: 'ann' },
      },
    },
  },
  admin_tokens: {},
};

/** A service on a free port of the loopback interface. */
async function service(
  t: TestContext,
  rootPath: string,
  limits: Partial<LimitOptions> = {},
): Promise<number> {
  return (await serviceOn(t, mkdtempSync(join(folder, 'store-')), { rootPath, limits })).port;
}

type Options = { rootPath?: string; readOnly?: boolean; limits?: Partial<LimitOptions> };

async function serviceOn(t: TestContext, store: string, options: Options) {
  const configFile = join(store, 'configuration.json');
  writeFileSync(configFile, JSON.stringify(CONFIGURATION));
  const logger = pino({ level: 'silent' });
  const bootstrap = '8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918'; // of `admin`
  const app = await openApp({ store, configFile, bootstrap, version: '0.0.0', logger, ...options });
  t.after(() => app.close());
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.server.address() as AddressInfo).port };
}

type Answer = {
  readonly status: number;
  readonly location: string | undefined;
  readonly link: string;
  readonly body: string;
};

/** @param options `path` is sent as it is, where a URL would lose its dot segments */
function ask(
  url: string,
  options: {
    method?: string;
    token?: string;
    json?: unknown;
    accept?: string;
    path?: string;
    address?: string;
  } = {},
): Promise<Answer> {
  const { method = 'GET', token, json, accept, path, address } = options;
  const make = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = {
    ...(token && { 'x-service-token': token }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(accept !== undefined && { accept }),
  };
  return new Promise((done, failed) => {
    // The certificate of the tests is self-signed.
    const sent = { method, headers, agent: false, rejectUnauthorized: false, ...(path && { path }) };
    const from = address === undefined ? {} : { localAddress: address };
    const request = make(url, { ...sent, ...from }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part) => (body += part));
      const { location, link = '' } = response.headers;
      response.on('end', () => done({ status: response.statusCode ?? 0, location, link: `${link}`, body }));
    });
    request.on('error', failed);
    request.end(json === undefined ? undefined : JSON.stringify(json));
  });
}

async function run(t: TestContext, command: string, args: string[], probe: string): Promise<void> {
  const home = mkdtempSync(join(folder, 'home-'));
  const child: ChildProcess = spawn(command, args, { stdio: 'pipe', env: { ...process.env, HOME: home } });
  let output = '';
  child.stderr?.on('data', (data) => (output += data));
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await eventually(`an answer of ${command}`, () => {
    if (child.exitCode !== null) throw new Error(`${command} has ended:\n${output}`);
    return ask(probe).then(
      () => true,
      () => false,
    );
  });
}

async function worksAt(base: string): Promise<void> {
  const start = await ask(`${base}/`);
  assert.equal(start.status, 307);
  assert.equal((await ask(new URL(start.location ?? '', `${base}/`).href)).status, 200);
  const record = { pid: 'labid:p1', name: 'P', family_name: 'P' };
  const stored = await ask(`${base}/c/curated/record/Person`, { method: 'POST', token: 'ann', json: record });
  assert.equal(stored.status, 200, stored.body);
  // The slash that is missing is added below the path, on the host and with the protocol of the client.
  const moved = await ask(`${base}/c/records`, { token: 'ann' });
  assert.equal(moved.status, 307);
  const list = await ask(new URL(moved.location ?? '', `${base}/c/`).href, { token: 'ann' });
  assert.equal(list.status, 200);
  assert.equal(JSON.parse(list.body)[0].pid, 'labid:p1');
  const token = { name: 'bob', user_id: 'bob', collections: { c: { mode: 'READ_CURATED' } } };
  const made = await ask(`${base}/tokens`, { method: 'POST', token: 'admin', json: token });
  assert.equal(made.status, 201, made.body);
  const located = await ask(new URL(made.location ?? '', base).href, { token: 'admin' });
  assert.equal(located.status, 200, `${made.location} leads nowhere`);
  assert.match(located.body, /"name":"bob"/, `${made.location} leads elsewhere`);
}

/** Pids that a proxy could take for one another, or for other paths. */
const PIDS = [
  'https://example.org/elsewhere/1',
  'https://example.org/elsewhere//1',
  'https://example.org/elsewhere?x=1&y=%20#z',
  ...['ex:a/b', 'ex:a//b', 'ex:a///b', 'ex:a/./b', 'ex:a/../b', 'ex:b', 'ex:a/x/../b', 'ex:a%2Fb'],
  ...['ex:a%252Fb', 'ex:a%2F%2Fb', 'ex:a%2F..%2Fb', 'ex:a%', 'ex:a%zz', 'ex:a%25', 'ex:%2e%2e/b'],
  ...['ex:a b', 'ex:a+b', 'ex:a%20b', 'ex:a%2Bb', 'ex:a?b', 'ex:a#b', 'ex:a%3Fb', 'ex:a%23b', 'ex:a;b&c=d'],
  ...['ex:ä', 'ex:a\u0308', 'ex:€/😀', 'ex:a\\b', 'ex:a"<b>|^`{c}', "ex:'(a)'*~!$", 'ex:A', 'ex:a'],
  ...[
    'ex:',
    'ex:/',
    'ex:/a',
    'ex://a',
    'ex:a/',
    'ex:a//',
    'ex:.',
    'ex:..',
    'ex:/.',
    'ex:/..',
    'ex:a/..',
    'ex:a/.',
  ],
  // These leave the pid, the page of records, the path of the service, and the root.
  ...[2, 3, 4, 5, 6, 7, 8, 30].map((steps) => `ex:a/${'../'.repeat(steps)}b`),
  'ex:a/../../resource/ex:b',
  'ex:a/../../../../../tokens/bob',
  'ex:a/../../../../../../elsewhere',
  // What follows is long enough for more than a page of headers, in the URL and in the links.
  `ex:${'x'.repeat(500)}`,
  `ex:${'ü/'.repeat(2000)}`,
];
const TOKENS = ['a/b', 'x y', 'p%q', 'ü', 'a?b', 'q'];
const OTHER_TOKENS = [
  ...['a//b', 'a/./b', 'a/x/../b', '/a/b', 'a/b/', 'a%2Fb', 'a%252Fb', 'x+y', 'x%20y', 'p%25q', 'a', 'a#b'],
  ...['.', '..', '../tokens/q', '../../records/tokens/q', 'x/../q', 'x/../../tokens/q', '%2e%2e/tokens/q'],
];
const LABELS = ['z', 'z a', 'z+a', 'z%20a', 'z%2Fa', 'zü', 'z;a', 'z?a', 'z#a', 'z..', 'z%'];

const unescaped = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ESCAPED[name] ?? '');
const ESCAPED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** The URLs of the service in a document or a header. */
const urlsIn = (base: string, text: string) =>
  [...text.matchAll(/https?:\/\/[^\s"<>]+/g)]
    .map(([url]) => unescaped(url))
    .filter((url) => url.startsWith(`${base}/`));

/** Every URL that the service publishes leads to its own record; no token and no zone is found at the path of another one. */
async function leadsToItself(t: TestContext, base: string): Promise<void> {
  await t.test(
    'URLs in responses lead to what they name',
    { skip: lacks('publish') || lacks('curate') },
    () => leadToThemselves(base),
  );
}

async function leadToThemselves(base: string): Promise<void> {
  const [area, own] = [encodeURIComponent(SLASHED), `${base}/-/${encodeURIComponent(SLASHED)}`];
  const json = 'application/json';
  const post = async (path: string, body: unknown) => {
    const answer = await ask(`${base}${path}`, { method: 'POST', token: 'ann', json: body });
    assert.equal(answer.status, 200, answer.body);
  };
  for (const pid of PIDS) await post(`/${area}/curated/record/Thing`, { pid });
  await post(`/${area}/curated/record/Thing`, { pid: 'ex:all', see: PIDS });
  const pids = [...PIDS, 'ex:all'];

  /** Returns the pid that a URL of the page of a record leads to. */
  const leadsTo = async (url: string): Promise<string> => {
    const { status, body } = await ask(url, { token: 'ann', accept: json });
    assert.equal(status, 200, `${url} leads nowhere: ${body.slice(0, 200)}`);
    return (JSON.parse(body) as { pid: string }).pid;
  };
  const pageOf = new Map<string, string>();
  const sitemap = await ask(`${own}/sitemap.xml`, { token: 'ann' });
  const pages = urlsIn(base, sitemap.body);
  for (const url of pages) pageOf.set(await leadsTo(url), url);
  assert.deepEqual([...pageOf.keys()].sort(), [...pids].sort());
  assert.equal(pages.length, pids.length);

  for (const [pid, url] of pageOf) {
    const page = await ask(url, { token: 'ann', accept: 'text/html' });
    assert.equal(page.status, 200, pid);
    const published = new Set([...urlsIn(base, page.link.replaceAll(',', ' ')), ...urlsIn(base, page.body)]);
    const list = `${base}/${area}/records/p/`;
    for (const one of published) {
      if (one.startsWith(`${own}/resource`)) {
        const expected =
          pid === 'ex:all' || one === url ? [...pageOf].find(([, own]) => own === one)?.[0] : 'ex:all';
        assert.equal(await leadsTo(one), expected, `on the page of ${pid}`);
      } else if (one.startsWith(`${base}/${area}/record?`)) {
        // Not every pid is an IRI that Turtle can have.
        assert.equal(await leadsTo(one.replace(/format=\w+$/, 'format=json')), pid);
      } else if (!one.startsWith(list)) assert.equal((await ask(one, { token: 'ann' })).status, 200, one);
    }
    assert.ok(published.has(url), `the page of ${pid} is cited by its URL`);
  }
  for (const path of [
    `${own}/catalog`,
    `${base}/-/catalog`,
    `${own}/oai?verb=ListRecords&metadataPrefix=oai_dc`,
  ]) {
    const document = await ask(path, { token: 'ann' });
    assert.equal(document.status, 200, document.body);
    const published = urlsIn(base, document.body);
    assert.ok(published.length > 0, path);
    for (const one of new Set(published)) {
      if (one.startsWith(`${own}/resource`)) assert.equal(pageOf.get(await leadsTo(one)), one);
      else if (one !== `${own}/oai`) assert.equal((await ask(one, { token: 'ann' })).status, 200, one);
    }
  }
  // The pid as it is, behind the path of the page, as a client writes it that knows no better.
  for (const pid of ['https://example.org/elsewhere//1', 'ex:a//b', 'ex:a///b', 'ex://a', 'ex:a//']) {
    const { body } = await ask(base, {
      token: 'ann',
      accept: json,
      path: `${new URL(own).pathname}/resource/${pid}`,
    });
    assert.equal((JSON.parse(body) as { pid: string }).pid, pid);
  }
  const rename = { from: 'ex:a/../../b', to: 'ex:c/../../../c' };
  const renamed = await ask(`${own}/curated/rename`, { method: 'POST', token: 'ann', json: rename });
  assert.equal(renamed.status, 200, renamed.body);
  const former = await ask(pageOf.get(rename.from) ?? '', { token: 'ann', accept: json });
  assert.equal(former.status, 301);
  assert.equal(await leadsTo(former.location ?? ''), rename.to);

  const make = (name: string) =>
    ask(`${base}/tokens`, {
      method: 'POST',
      token: 'admin',
      json: { name, user_id: 'u', collections: { c: { mode: 'READ_CURATED' } } },
    });
  const nameAt = async (path: string) => {
    const { status, body } = await ask(base, {
      token: 'admin',
      path: `${new URL(`${base}/`).pathname}${path}`,
    });
    return status === 200 && body.startsWith('{') ? (JSON.parse(body) as { name?: string }).name : undefined;
  };
  for (const [names, others] of [
    [TOKENS, OTHER_TOKENS],
    [OTHER_TOKENS, []],
  ] as const) {
    for (const name of names) {
      const made = await make(name);
      assert.equal(made.status, 201, made.body);
      if (made.location === undefined) continue;
      const located = await ask(new URL(made.location, base).href, { token: 'admin' });
      assert.equal((JSON.parse(located.body) as { name: string }).name, name, made.location);
    }
    for (const other of others) {
      assert.equal(await nameAt(`tokens/${encodeURIComponent(other)}`), undefined, other);
      const raw = other.replace(/[%#?\s]/g, encodeURIComponent);
      assert.equal(await nameAt(`tokens/${raw}`), undefined, raw);
    }
  }

  for (const label of LABELS)
    await post(`/c/incoming/${encodeURIComponent(label)}/record/Person`, {
      pid: `labid:${encodeURIComponent(label)}`,
      name: 'P',
      family_name: 'P',
    });
  for (const label of LABELS) {
    const list = await ask(`${base}/c/incoming/${encodeURIComponent(label)}/records/`, { token: 'ann' });
    const found = (JSON.parse(list.body) as { pid: string }[]).map(({ pid }) => pid);
    assert.deepEqual(found, [`labid:${encodeURIComponent(label)}`]);
  }
  for (const path of [
    '/z',
    'z/',
    './z',
    'x/../z',
    'x%2F..%2Fz',
    '%2Fz',
    'z%2F',
    '../incoming/z',
    '%2E%2E/incoming/z',
  ]) {
    const { pathname } = new URL(`${base}/c/incoming/`);
    const { status } = await ask(base, { token: 'ann', path: `${pathname}${path}/records/` });
    assert.ok(status >= 300, `${path} leads to a zone`);
  }
}

/** Opens event streams until one is refused. @returns how many were opened, and the status of the refusal */
async function streamsUntilRefused(t: TestContext, base: string, address: string) {
  const agent = new Agent({ keepAlive: false, localAddress: address });
  t.after(() => agent.destroy());
  for (let opened = 0; opened < 1000; opened++) {
    const headers = { accept: 'text/event-stream' };
    const sent = httpRequest(`${base}/-/open/changes`, { agent, headers });
    t.after(() => sent.destroy());
    const [{ statusCode }] = (await once(sent.end(), 'response')) as [IncomingMessage];
    sent.on('error', () => {});
    if (statusCode !== 200) return { opened, status: statusCode };
  }
  return { opened: 1000, status: 200 };
}

describe('nginx', () => {
  const nginx = program('nginx');
  const skip = nginx ? false : 'nginx is not installed';

  async function start(t: TestContext, backend: number, plain: number, secure: number): Promise<void> {
    const sites = readFileSync(join(deploy, 'nginx.conf'), 'utf8')
      .replace('127.0.0.1:8000', `127.0.0.1:${backend}`)
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`);
    await startWith(t, sites, `http://127.0.0.1:${plain}/`);
  }

  async function startWith(t: TestContext, template: string, probe: string): Promise<void> {
    const prefix = mkdtempSync(join(folder, 'nginx-'));
    chmodSync(prefix, 0o755);
    mkdirSync(join(prefix, 'snippets'));
    cpSync(join(deploy, 'snippets'), join(prefix, 'snippets'), { recursive: true });
    const sites = template
      .replace('/etc/ssl/records.example.org.pem', certificate)
      .replace('/etc/ssl/private/records.example.org.key', key);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${prefix}/${kind};`)
      .join(' ');
    writeFileSync(
      join(prefix, 'nginx.conf'),
      `daemon off; pid ${prefix}/pid; error_log ${prefix}/error.log; events {} http { access_log off; ${temporary}\n${sites}\n}`,
    );
    await run(t, nginx as string, ['-p', prefix, '-c', 'nginx.conf'], probe);
  }

  test('serves it below a path', { skip }, async (t) => {
    const [plain, secure] = [await freePort(), await freePort()];
    await start(t, await service(t, '/records'), plain, secure);
    await worksAt(`http://127.0.0.1:${plain}/records`);
    await leadsToItself(t, `http://127.0.0.1:${plain}/records`);
  });

  test('serves it at a name of its own with TLS', { skip }, async (t) => {
    const [plain, secure] = [await freePort(), await freePort()];
    await start(t, await service(t, ''), plain, secure);
    await worksAt(`https://127.0.0.1:${secure}`);
    await leadsToItself(t, `https://127.0.0.1:${secure}`);
  });

  test('serves IRIs as src/modules/publish/README.md says', { skip: skip || lacks('publish') }, async (t) => {
    const [plain, backend] = [await freePort(), await service(t, '')];
    const page = readFileSync(resolve(deploy, '../src/modules/publish/README.md'), 'utf8');
    const base = `http://127.0.0.1:${plain}/id/`;
    const [location = ''] = /^location \/id\/ \{$.*?^\}$/ms.exec(page) ?? [];
    const site = location
      .replace('127.0.0.1:8000', `127.0.0.1:${backend}`)
      .replace('laboratory', encodeURIComponent(SLASHED))
      .replace('https://data.example.org/id/', base);
    await startWith(t, `server { listen 127.0.0.1:${plain}; ${site} }`, base);
    const [area, own] = [`/${encodeURIComponent(SLASHED)}`, `/-/${encodeURIComponent(SLASHED)}`];
    const send = async (method: string, path: string, json: object) => {
      const answer = await ask(`http://127.0.0.1:${backend}${path}`, { method, token: 'ann', json });
      assert.equal(answer.status, 200, answer.body);
    };
    await send('PUT', `${own}/settings`, { publish: { base } });
    const names = ['a', 'a/b', 'a//b', 'a///b', 'ü', 'a b', 'a+b', 'a;b', 'a?b=c', 'a#b', 'a%2Fb', 'a%20b'];
    const pids = [...names, 'a/../b', 'a/../../b', 'a/', 'b', ''].map((name) => base + name);
    for (const pid of pids) await send('POST', `${area}/curated/record/Thing`, { pid });
    let found = 0;
    for (const pid of pids) {
      const path = `${own}/resource?pid=${encodeURIComponent(pid)}`;
      const { link } = await ask(`http://127.0.0.1:${backend}${path}`, { token: 'ann' });
      const [, cited = ''] = /<([^>]*)>; rel="cite-as"/.exec(link) ?? [];
      if (cited.startsWith(base)) found++;
      const { body } = await ask(cited, { token: 'ann', accept: 'application/json' });
      assert.equal((JSON.parse(body) as { pid: string }).pid, pid, cited);
    }
    assert.ok(found >= 8, `${found} records are found at their IRIs`);
  });

  test('limits the connections of a client', { skip }, async (t) => {
    const plain = await freePort();
    await start(t, await service(t, '/records'), plain, await freePort());
    const base = `http://127.0.0.1:${plain}/records`;
    assert.deepEqual(await streamsUntilRefused(t, base, '127.0.0.1'), { opened: 200, status: 503 });
    assert.equal((await ask(`${base}/-/health`, { address: '127.0.0.2' })).status, 200);
  });

  test('returns no response to another client than the one that it was made for, if it caches', {
    skip,
  }, async (t) => {
    const [plain, backend] = [await freePort(), await service(t, '')];
    const cache = mkdtempSync(join(folder, 'cache-'));
    chmodSync(cache, 0o755);
    const base = `http://127.0.0.1:${plain}`;
    const sites = `proxy_cache_path ${cache}/kept keys_zone=kept:1m; server {
      listen 127.0.0.1:${plain};
      location / { proxy_pass http://127.0.0.1:${backend}; proxy_cache kept; proxy_cache_valid any 1m; }
    }`;
    await startWith(t, sites, `${base}/server`);
    const json = { pid: 'labid:p1', name: 'P', family_name: 'P' };
    const stored = await ask(`${base}/c/curated/record/Person`, { method: 'POST', token: 'ann', json });
    assert.equal(stored.status, 200, stored.body);
    const paths = [
      '/c/record?pid=labid:p1',
      '/c/records/',
      '/c/records/p/',
      '/-/c/search?q=P',
      '/-/me',
      '/-/c/export',
    ];
    for (const path of [
      ...paths,
      '/-/c/resource/labid:p1',
      '/-/catalog',
      '/-/c/oai?verb=ListIdentifiers&metadataPrefix=rdf',
    ]) {
      const own = await ask(base + path, { token: 'ann' });
      assert.equal(own.status, 200, path);
      assert.notEqual((await ask(base + path)).body, own.body, path);
    }
  });

  test('sends reads to a second process as well, and changes to the owner alone', { skip }, async (t) => {
    const store = mkdtempSync(join(folder, 'store-'));
    const owner = await serviceOn(t, store, {});
    const reader = await serviceOn(t, store, { readOnly: true });
    const secure = await freePort();
    const sites = readFileSync(join(deploy, 'nginx-readers.conf'), 'utf8')
      .replaceAll('127.0.0.1:8000', `127.0.0.1:${owner.port}`)
      .replaceAll('127.0.0.1:8001', `127.0.0.1:${reader.port}`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`);
    const base = `https://127.0.0.1:${secure}`;
    await startWith(t, sites, `${base}/`);
    await worksAt(base);
    await leadsToItself(t, base);
    for (const pid of ['labid:p2', 'labid:p3', 'labid:p4', 'labid:p5']) {
      const json = { pid, name: 'P', family_name: 'P' };
      const stored = await ask(`${base}/c/curated/record/Person`, { method: 'POST', token: 'ann', json });
      assert.equal(stored.status, 200, stored.body);
      const read = await ask(`${base}/c/record?pid=${pid}`, { token: 'ann' });
      assert.match(read.body, new RegExp(pid), 'a read sees what was stored before');
    }
    assert.doesNotMatch((await ask(`${base}/-/health`)).body, /read_only/);
    await owner.app.close();
    for (const pid of ['labid:p2', 'labid:p3'])
      assert.equal((await ask(`${base}/c/record?pid=${pid}`, { token: 'ann' })).status, 200);
  });
});

describe('Caddy', () => {
  const caddy = program('caddy');
  const skip = caddy ? false : 'caddy is not installed';

  async function start(t: TestContext, backend: number, plain: number, secure: number): Promise<void> {
    const sites = readFileSync(join(deploy, 'Caddyfile'), 'utf8')
      .replaceAll('127.0.0.1:8000', `127.0.0.1:${backend}`)
      .replace(/^www\.example\.org/m, `http://127.0.0.1:${plain}`)
      .replace(/^records\.example\.org \{/m, `https://127.0.0.1:${secure} {\n\ttls ${certificate} ${key}`);
    const file = join(mkdtempSync(join(folder, 'caddy-')), 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${sites}`);
    const probe = `http://127.0.0.1:${plain}/`;
    await run(t, caddy as string, ['run', '--config', file, '--adapter', 'caddyfile'], probe);
  }

  test('serves it below a path', { skip }, async (t) => {
    const [plain, secure] = [await freePort(), await freePort()];
    await start(t, await service(t, '/records'), plain, secure);
    await worksAt(`http://127.0.0.1:${plain}/records`);
    await leadsToItself(t, `http://127.0.0.1:${plain}/records`);
  });

  test('serves it at a name of its own with TLS', { skip }, async (t) => {
    const [plain, secure] = [await freePort(), await freePort()];
    await start(t, await service(t, ''), plain, secure);
    await worksAt(`https://127.0.0.1:${secure}`);
    await leadsToItself(t, `https://127.0.0.1:${secure}`);
  });

  test('spreads requests over the instances of compose.yaml', { skip }, async (t) => {
    const [plain, backend] = [await freePort(), await service(t, '')];
    const file = join(mkdtempSync(join(folder, 'caddy-')), 'Caddyfile');
    const sites = readFileSync(join(deploy, 'compose.Caddyfile'), 'utf8')
      .replace('one:8000 two:8000', `127.0.0.1:${backend} localhost:${backend}`)
      .replace(':8080', `http://127.0.0.1:${plain}`);
    writeFileSync(file, sites);
    const base = `http://127.0.0.1:${plain}`;
    await run(t, caddy as string, ['run', '--config', file, '--adapter', 'caddyfile'], `${base}/`);
    await worksAt(base);
    await leadsToItself(t, base);
  });

  const own = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ address, internal }) => isIPv4(address) && !internal)?.address;

  test('reports the addresses of clients, of which each has a share of the event streams', {
    skip:
      skip || (own === undefined && 'this machine has no address besides those of the loopback interface'),
  }, async (t) => {
    const plain = await freePort();
    await start(t, await service(t, '/records', { waiting: 32 }), plain, await freePort());
    const base = `http://127.0.0.1:${plain}/records`;
    assert.deepEqual(await streamsUntilRefused(t, base, own as string), { opened: 4, status: 503 });
    for (const path of ['/-/health', '/-/ready', '/open/records/p/'])
      assert.equal((await ask(base + path, { address: own as string })).status, 200);
    assert.deepEqual(await streamsUntilRefused(t, base, '127.0.0.1'), { opened: 4, status: 503 });
  });
});
