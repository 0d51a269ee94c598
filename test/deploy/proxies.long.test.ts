/** The proxy configurations of `deploy/`, with the real nginx and the real Caddy in front of a service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { openApp } from '../../src/app.ts';
import { LABORATORY } from '../support/app.ts';

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

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    c: { schema: LABORATORY, default_token: 'none', curated: 'c/curated', incoming: 'c/incoming' },
  },
  tokens: {
    ann: {
      user_id: 'ann',
      representation: 'ann',
      collections: { c: { mode: 'CURATOR', incoming_label: 'ann' } },
    },
  },
  admin_tokens: {},
};

/** A service on a free port of the loopback interface. */
async function service(t: TestContext, rootPath: string): Promise<number> {
  return (await serviceOn(t, mkdtempSync(join(folder, 'store-')), { rootPath })).port;
}

async function serviceOn(t: TestContext, store: string, options: { rootPath?: string; readOnly?: boolean }) {
  const configFile = join(store, 'configuration.json');
  writeFileSync(configFile, JSON.stringify(CONFIGURATION));
  const logger = pino({ level: 'silent' });
  const bootstrap = '8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918'; // of `admin`
  const app = await openApp({ store, configFile, bootstrap, version: '0.0.0', logger, ...options });
  t.after(() => app.close());
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.server.address() as AddressInfo).port };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

type Answer = { readonly status: number; readonly location: string | undefined; readonly body: string };

function ask(
  url: string,
  options: { method?: string; token?: string; json?: unknown } = {},
): Promise<Answer> {
  const { method = 'GET', token, json } = options;
  const make = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = {
    ...(token && { 'x-service-token': token }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((done, failed) => {
    // The certificate of the tests is self-signed.
    const request = make(url, { method, headers, agent: false, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.on('data', (part) => (body += part));
      response.on('end', () =>
        done({ status: response.statusCode ?? 0, location: response.headers.location, body }),
      );
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
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries === 200) throw new Error(`${command} does not answer:\n${output}`);
    if (
      await ask(probe).then(
        () => true,
        () => false,
      )
    )
      return;
    await wait(50);
  }
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
  });

  test('serves it at a name of its own with TLS', { skip }, async (t) => {
    const [plain, secure] = [await freePort(), await freePort()];
    await start(t, await service(t, ''), plain, secure);
    await worksAt(`https://127.0.0.1:${secure}`);
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
  });

  test('serves it at a name of its own with TLS', { skip }, async (t) => {
    const [plain, secure] = [await freePort(), await freePort()];
    await start(t, await service(t, ''), plain, secure);
    await worksAt(`https://127.0.0.1:${secure}`);
  });
});
