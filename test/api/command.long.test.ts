/** The command `accession serve`, as an operator starts it: a real process on a free port. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { LABORATORY } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { person, storedPerson } from '../support/people.ts';

const COMMAND = resolve(import.meta.dirname, '../../bin/accession.js');
const folder = mkdtempSync(join(tmpdir(), 'accession-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let stores = 0;

function newStore(): string {
  const store = join(folder, `store${stores++}`);
  mkdirSync(store);
  return store;
}

function storeWithFile(name: string, text = ''): string {
  const store = newStore();
  mkdirSync(dirname(join(store, name)), { recursive: true });
  writeFileSync(join(store, name), text);
  return store;
}

function configFile(content: object | string): string {
  const file = join(folder, `config${stores++}.yaml`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

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
      collections: { c: { mode: 'WRITE_COLLECTION', incoming_label: 'ann' } },
    },
  },
};

function start(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { ACCESSION_ADMIN_TOKEN: _, DTS_ADMIN_TOKEN: __, ...rest } = process.env;
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { ...rest, ...environment } });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  return { child, output: () => output };
}

/** Runs a command to its end. */
async function run(args: readonly string[], environment?: NodeJS.ProcessEnv) {
  const { child, output } = start(args, environment);
  const [status] = await once(child, 'close');
  return { status, output: output() };
}

/** Starts a service, and gives its address when it listens. */
async function serve(args: readonly string[], environment?: NodeJS.ProcessEnv) {
  const { child, output } = start(['serve', ...args, '--port', '0'], environment);
  for (;;) {
    const address = /listens on (\S+)/.exec(output())?.[1];
    if (address) return { child, address, output };
    if (child.exitCode !== null) throw new Error(output());
    await Promise.race([once(child.stderr, 'data'), once(child, 'close')]);
  }
}

async function stop(child: ChildProcess): Promise<unknown> {
  child.kill('SIGTERM');
  const [status] = await once(child, 'close');
  return status;
}

test('schema_map in the configuration opens a schema without a network, also after a restart', async () => {
  const store = newStore();
  mkdirSync(join(store, 'schemas'));
  copyFileSync(LABORATORY, join(store, 'schemas/laboratory.yaml'));
  const config = {
    ...CONFIGURATION,
    collections: {
      c: { ...CONFIGURATION.collections.c, schema: 'https://schemas.invalid/s/laboratory.yaml' },
    },
  };
  const { status, output } = await run([
    'serve',
    store,
    '-c',
    configFile({ ...config, schema_map: { 'https://schemas.invalid/s/': 'nowhere' } }),
  ]);
  assert.equal(status, 1, output);
  assert.match(output, /schema_map: \S+nowhere is not a directory/);

  const mapped = configFile({ ...config, schema_map: { 'https://schemas.invalid/s/': 'schemas' } });
  for (const flags of [['-c', mapped], []]) {
    const { child, address } = await serve([store, ...flags]);
    const ready = await fetch(`${address}/-/ready`);
    assert.equal(await stop(child), 0);
    assert.equal(ready.status, 200);
  }
});

test('what the operator can put right ends in one plain line and exit status 1', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const port = String((blocker.address() as AddressInfo).port);
  const config = configFile(CONFIGURATION);
  const hash = ['--admin-token-hash', 'a'.repeat(64)];
  const schema = { ...CONFIGURATION.collections.c, schema: '/nothing/there.yaml' };
  const rows: [string, string[], RegExp][] = [
    ['a store that does not exist', [join(folder, 'nothing')], /nothing/],
    ['a store that is a file', [config], /config/],
    ['a port in use', [newStore(), '--port', port, ...hash], new RegExp(`${port}.*in use`)],
    ['a host that is not here', [newStore(), '--host', '192.0.2.1', ...hash], /192\.0\.2\.1/],
    ['a config file that is not there', [newStore(), '-c', join(folder, 'missing.yaml')], /missing\.yaml/],
    ['a config file that is not YAML', [newStore(), '-c', configFile('{')], /config/],
    ['an unknown key', [newStore(), '-c', configFile({ ...CONFIGURATION, colour: 'red' })], /colour/],
    [
      'a wrong mode',
      [
        newStore(),
        '-c',
        configFile({
          ...CONFIGURATION,
          tokens: { ann: { ...CONFIGURATION.tokens.ann, collections: { c: { mode: 'ALL' } } } },
        }),
      ],
      /tokens.*ann.*mode/,
    ],
    [
      'a schema that is not there',
      [newStore(), '-c', configFile({ ...CONFIGURATION, collections: { c: schema } })],
      /collection 'c'.*there\.yaml/,
    ],
    [
      'a file where the service keeps its own folder',
      [storeWithFile('__dump_things__'), ...hash],
      /__dump_things__/,
    ],
    [
      'an area whose own configuration is no YAML',
      [storeWithFile('c/curated/.dumpthings.yaml', 'a: ['), '-c', config],
      /collection 'c'.*\.dumpthings\.yaml/,
    ],
    ['a hash that is none', [newStore(), '--admin-token-hash', 'zz'], /admin-token-hash/],
  ];
  try {
    for (const [name, args, expected] of rows) {
      const { status, output } = await run(['serve', ...args]);
      assert.equal(status, 1, `${name}: ${output}`);
      assert.match(output, expected, name);
      assert.equal(output.trimEnd().split('\n').length, 1, `${name}: ${output}`);
      assert.doesNotMatch(output, /\n\s+at /, name);
    }
  } finally {
    blocker.close();
  }
});

const FULL = '/dev/full';

test('a log that cannot be written does not fail requests', {
  skip: !existsSync(FULL) && 'no /dev/full',
}, async () => {
  const port = String(await freePort());
  const args = ['serve', newStore(), '-c', configFile(CONFIGURATION), '--port', port, '--log-level', 'debug'];
  const full = openSync(FULL, 'w');
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'ignore', full] });
  closeSync(full);
  try {
    await eventually('an answer', () =>
      fetch(`http://127.0.0.1:${port}/server`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    for (const path of ['/server', '/nothing', '/server']) await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(await stop(child), 0);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a configuration file for a store that has one is ignored, with the differences by key', async () => {
  const path = newStore();
  const { child } = await serve([path, '-c', configFile(CONFIGURATION)]);
  await stop(child);
  const other = JSON.parse(JSON.stringify(CONFIGURATION));
  other.tokens = {
    ...other.tokens,
    added: { user_id: 'added', representation: 'the secret', collections: {} },
  };
  const second = await serve([path, '-c', configFile(other)]);
  await stop(second.child);
  assert.match(
    second.output(),
    /has a configuration, so .* is ignored; it differs by\n {2}\+ tokens\.added: /,
  );
  assert.doesNotMatch(second.output(), /the secret/);
});

test('a second service on a store says where the first one runs', async () => {
  const path = newStore();
  const { child, output } = await serve([path, '-c', configFile(CONFIGURATION)]);
  const second = await run(['serve', path, '--port', '0']);
  await stop(child);
  const url = /http:\S+/.exec(output())?.[0];
  assert.equal(second.status, 1);
  assert.ok(
    second.output.includes(`already runs on the store ${path}: ${url} (process ${child.pid})`),
    second.output,
  );
});

test('an empty configuration without an admin token exits with status 2 and a hint', async () => {
  const { status, output } = await run(['serve', newStore()]);
  assert.equal(status, 2);
  assert.match(output, /--admin-token-hash/);
  const ignored = newStore();
  writeFileSync(join(ignored, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  assert.equal((await run(['serve', ignored, '--ignore-default-config-file'])).status, 2);
});

test('an option or a command that does not exist ends with exit status 1 and a hint', async () => {
  for (const args of [
    [],
    ['dance'],
    ['serve'],
    ['serve', '--colour', 'red', folder],
    ['serve', folder, 'twice'],
  ]) {
    const { status, output } = await run(args);
    assert.equal(status, 1, args.join(' '));
    assert.match(output, /'accession help( \S+)?' explains it|^Usage: accession COMMAND/);
  }
  const help = await run(['serve', '--help']);
  assert.deepEqual([help.status, /--log-level/.test(help.output)], [0, true]);
  assert.match((await run(['--version'])).output, /^\d+\.\d+\.\d+\n$/);
});

test('records and configuration of a service survive a restart without the configuration file', async () => {
  const store = newStore();
  const first = await serve([store, '-c', configFile(CONFIGURATION)]);
  const headers = { 'X-Service-Token': 'ann', 'Content-Type': 'application/json' };
  const body = JSON.stringify(person('ada'));
  const stored = await fetch(`${first.address}/c/record/Person`, { method: 'POST', headers, body });
  assert.equal(stored.status, 200);
  assert.equal(await stop(first.child), 0, first.output());

  const second = await serve([store]);
  const read = await fetch(`${second.address}/c/record?pid=labid:ada`, { headers });
  assert.deepEqual(await read.json(), storedPerson('ada'));
  assert.equal(await stop(second.child), 0);
});

test('the default file in the store is read if the store has no configuration yet', async () => {
  const store = newStore();
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  const { child, address } = await serve([store]);
  const answer = (await (await fetch(`${address}/server`)).json()) as { collections: { name: string }[] };
  assert.deepEqual(
    answer.collections.map(({ name }) => name),
    ['c'],
  );
  await stop(child);
});

test('an admin token comes from the command line or from the environment, under either name', async () => {
  for (const environment of [{ ACCESSION_ADMIN_TOKEN: 'secret' }, { DTS_ADMIN_TOKEN: 'secret' }]) {
    const { child, address } = await serve([newStore()], environment);
    const answer = await fetch(`${address}/collections`, { headers: { 'X-Service-Token': 'secret' } });
    assert.equal(answer.status, 200);
    await stop(child);
  }
});

test('an unknown log level is logged, and the service runs', async () => {
  const { child, output } = await serve([newStore(), '--log-level', 'LOUD'], { ACCESSION_ADMIN_TOKEN: 'x' });
  assert.match(output(), /LOUD/);
  assert.equal(await stop(child), 0);
});

test('a request in flight is answered before the service stops', async () => {
  const { child, address } = await serve([newStore(), '-c', configFile(CONFIGURATION)]);
  const headers = { 'X-Service-Token': 'ann', 'Content-Type': 'application/json' };
  const stores = Array.from({ length: 20 }, (_, n) =>
    fetch(`${address}/c/record/Person`, { method: 'POST', headers, body: JSON.stringify(person(`p${n}`)) }),
  );
  await stores[0];
  const stopped = stop(child);
  const answers = await Promise.allSettled(stores);
  for (const answer of answers)
    if (answer.status === 'fulfilled') assert.ok([200, 503].includes(answer.value.status));
  assert.equal(await stopped, 0);
});
