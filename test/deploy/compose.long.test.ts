/** `deploy/compose.yaml`: its rules, and its services as processes. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { LABORATORY } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgresql } from '../support/postgresql.ts';

const root = resolve(import.meta.dirname, '../..');
const file = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');

type Service = {
  readonly image: string;
  readonly command: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
  readonly ports?: readonly string[];
  readonly healthcheck?: object;
  readonly restart: string;
};
const compose = parse(file('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
};

test('the compose file names what exists, publishes on this machine only and restarts everything', () => {
  const { services, volumes } = compose;
  assert.deepEqual(Object.keys(services), ['database', 'one', 'two', 'proxy']);
  for (const [name, service] of Object.entries(services)) {
    assert.match(service.image, /^(docker\.io\/library\/\w+:\d+|localhost\/accession)$/, name);
    assert.equal(service.restart, 'unless-stopped', name);
    for (const other of Object.keys(service.depends_on ?? {})) {
      const needed = Array.isArray(service.depends_on) ? service.depends_on[Number(other)] : other;
      assert.ok(needed in services, `${name} needs ${needed}`);
    }
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/);
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      const known = source.startsWith('./') ? file(source.slice(2)) !== '' : source in volumes;
      assert.ok(known, `${name}: ${volume}`);
    }
  }
  assert.ok(services.database?.healthcheck);
  assert.ok(file('compose.Caddyfile').includes('reverse_proxy one:8000 two:8000'));
});

const caddy = ['/usr/bin/caddy', '/usr/sbin/caddy'].find((path) => spawnSync(path, ['version']).status === 0);

test('two instances behind the proxy serve one state, also when one of them ends', {
  skip: caddy ? false : 'caddy is not installed',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-compose-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const database = await startPostgresql();
  t.after(() => database.close());
  const env = {
    ...process.env,
    HOME: folder,
    DATABASE_URL: await database.createDatabase(),
    ACCESSION_ADMIN_TOKEN: 'of-this-test',
  };
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const [one, two] = (['one', 'two'] as const).map((name, index) => {
    const { command } = compose.services[name] as Service;
    const args = command.map((arg) =>
      arg === '/store'
        ? folder
        : arg === '0.0.0.0'
          ? '127.0.0.1'
          : arg === '8000'
            ? String(ports[index])
            : arg,
    );
    return start(t, process.execPath, [join(root, 'bin/accession.js'), ...args], env);
  });
  const config = join(folder, 'Caddyfile');
  const proxyFile = file('compose.Caddyfile')
    .replace('one:8000', `127.0.0.1:${ports[0]}`)
    .replace('two:8000', `127.0.0.1:${ports[1]}`)
    .replace(':8080 {', `http://127.0.0.1:${ports[2]} {`);
  writeFileSync(config, proxyFile);
  for (const port of [ports[0], ports[1]]) await answers(`http://127.0.0.1:${port}/-/ready`);
  start(t, caddy as string, ['run', '--config', config, '--adapter', 'caddyfile'], env);
  const url = `http://127.0.0.1:${ports[2]}`;
  await answers(`${url}/-/ready`);

  const admin = { 'x-service-token': 'of-this-test', 'content-type': 'application/json' };
  const post = (path: string, headers: Record<string, string>, json: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) });
  const representation = createHash('sha256').update('curator').digest('hex');
  const nobody = { name: 'nobody', user_id: 'nobody', collections: {} };
  const collection = {
    name: 'lab',
    schema: LABORATORY,
    default_token: 'nobody',
    curated: 'lab/curated',
    incoming: 'lab/incoming',
    backend: { type: 'postgresql' },
  };
  const curator = {
    name: 'curator',
    user_id: 'curator@example.org',
    representation,
    hashed: true,
    collections: { lab: { mode: 'CURATOR', incoming_label: 'curator' } },
  };
  for (const [path, json] of [
    ['/tokens', nobody],
    ['/collections', collection],
    ['/tokens', curator],
  ] as const) {
    const answer = await post(path, admin, json);
    assert.equal(answer.status, 201, await answer.text());
  }
  const headers = { 'x-service-token': 'curator', 'content-type': 'application/json' };
  const store = async (name: string) => {
    const json = { pid: `labid:${name}`, name, family_name: name };
    return (await post('/lab/curated/record/Person', headers, json)).status;
  };
  // The other instance takes a change of the configuration over within a second.
  for (const port of [ports[0], ports[1]]) {
    await eventually(
      'the collection is there',
      async () => (await fetch(`http://127.0.0.1:${port}/lab/curated/records/`, { headers })).status === 200,
    );
  }
  for (let n = 0; n < 10; n++) assert.equal(await store(`before-${n}`), 200);
  two?.kill('SIGKILL');
  for (let n = 0; n < 10; n++) await eventually('stored', async () => (await store(`after-${n}`)) === 200);
  const page = await fetch(`${url}/lab/curated/records/`, { headers });
  assert.equal(((await page.json()) as unknown[]).length, 20);
  assert.ok(one);
});

function start(
  t: TestContext,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const child = spawn(command, args, { env, stdio: 'ignore' });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

const answers = (url: string) =>
  eventually(`an answer of ${url}`, () =>
    fetch(url).then(
      (answer) => answer.status === 200,
      () => false,
    ),
  );
