/** What the service does on signals: stops without losing anything, and opens its log again. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LABORATORY } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';
import { startService } from '../support/real-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-signals-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: {
    c: {
      schema: LABORATORY,
      default_token: 'none',
      curated: 'c/curated',
      incoming: 'c/incoming',
      audit_backends: [{ type: 'gitaudit', path: 'c/audit', auto_flush_timeout: 3600 }],
    },
  },
  tokens: {
    cur: {
      user_id: 'cur',
      representation: 'cur',
      collections: { c: { mode: 'CURATOR', incoming_label: 'cur' } },
    },
  },
};
const HEADERS = { 'X-Service-Token': 'cur', 'Content-Type': 'application/json' };

function newStore(): string {
  const store = mkdtempSync(join(folder, 'store-'));
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(CONFIGURATION));
  return store;
}

function put(url: string, name: string): Promise<Response> {
  const body = JSON.stringify(person(name));
  return fetch(`${url}/c/curated/record/Person`, { method: 'POST', headers: HEADERS, body });
}

test('Ctrl-C, which a terminal sends to the whole process group, stops without a warning', async (t) => {
  const store = newStore();
  const file = join(store, '.dumpthings.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('3600', '1'));
  const service = await startService([store], { detached: true });
  t.after(() => service.kill());
  assert.equal((await put(service.url, 'a')).status, 200);
  const args = ['--git-dir', join(store, 'c/audit'), 'log', '--all', '--format=%s'];
  const logged = () => spawnSync('git', args, { encoding: 'utf8' }).stdout;
  // Git is kept for some seconds after it has written.
  await eventually('an entry in git', () => /^Add labid:a$/m.test(logged()));
  assert.equal((await put(service.url, 'b')).status, 200);
  const before = service.output();
  const closed = once(service.child, 'close');
  process.kill(-(service.child.pid as number), 'SIGINT');
  assert.deepEqual([(await closed)[0], service.output()], [0, before]);
  assert.match(logged(), /^Add labid:b\nAdd labid:a$/m);
});

test('SIGTERM copies every acknowledged write to the audit log, and ends the process with status 0', async (t) => {
  const store = newStore();
  const service = await startService([store]);
  t.after(() => service.kill());
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
  for (const name of names) assert.equal((await put(service.url, name)).status, 200);
  assert.equal(await service.stop(), 0, service.output());
  const { stdout } = spawnSync('git', ['--git-dir', join(store, 'c/audit'), 'log', '--all', '-p'], {
    encoding: 'utf8',
  });
  for (const name of names) assert.ok(stdout.includes(`labid:${name}\n`), name);
});

test('a service whose thread that writes has ended says so, and ends with status 1', async (t) => {
  const store = newStore();
  const killing = new URL('../support/kill-writer.ts', import.meta.url).href;
  const service = await startService([store], { environment: { NODE_OPTIONS: `--import ${killing}` } });
  t.after(() => service.kill());
  assert.equal((await put(service.url, 'before')).status, 200);
  const ended = once(service.child, 'exit');
  service.child.kill('SIGUSR2');
  assert.deepEqual(await ended, [1, null], service.output());
  assert.match(service.output(), /the thread that writes to the database has ended, the service stops/);
  const next = await startService([store]);
  t.after(() => next.kill());
  assert.equal((await put(next.url, 'after')).status, 200);
});

test('SIGTERM waits for a body that still arrives, and answers the request', async (t) => {
  const service = await startService([newStore()]);
  t.after(() => service.kill());
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify(person('slow'));
  socket.write(
    `POST /c/curated/record/Person HTTP/1.1\r\nHost: x\r\nX-Service-Token: cur\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // Another request on another connection is answered: the first one is in progress by then.
  assert.equal((await put(service.url, 'other')).status, 200);
  const stopped = service.stop();
  await wait(300);
  socket.write(body.slice(5));
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.equal(await stopped, 0, service.output());
});

test('SIGTERM does not wait for ever for a body that never arrives', async (t) => {
  const service = await startService([newStore()]);
  t.after(() => service.kill());
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    'POST /c/curated/record/Person HTTP/1.1\r\nHost: x\r\nX-Service-Token: cur\r\n' +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  assert.equal((await put(service.url, 'other')).status, 200);
  assert.equal(await service.stop(), 0, service.output());
  socket.destroy();
});

test('SIGHUP opens the log file again after it was moved away', async (t) => {
  const directory = join(folder, 'logs');
  mkdirSync(directory);
  const log = join(directory, 'accession.log');
  const service = await startService([newStore(), '--log-file', log, '--log-level', 'info']);
  t.after(() => service.kill());
  await fetch(`${service.url}/server`);
  const lines = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  while (!lines(log).some((line) => line.includes('/server'))) await wait(20);
  renameSync(log, `${log}.1`);
  service.child.kill('SIGHUP');
  while (!existsSync(log)) await wait(20);
  await fetch(`${service.url}/openapi.json`);
  while (!lines(log).some((line) => line.includes('/openapi.json'))) await wait(20);
  assert.ok(!readFileSync(`${log}.1`, 'utf8').includes('/openapi.json'));
  for (const line of lines(log)) assert.ok(JSON.parse(line).level);
  assert.equal(await service.stop(), 0);
});

test('SIGHUP does not end a service that logs to standard error', async (t) => {
  const service = await startService([newStore()]);
  t.after(() => service.kill());
  service.child.kill('SIGHUP');
  assert.equal((await fetch(`${service.url}/-/health`)).status, 200);
  assert.equal(await service.stop(), 0);
});

test('a second service on the same store ends with status 1 and one line', async (t) => {
  const store = newStore();
  const service = await startService([store]);
  t.after(() => service.kill());
  await assert.rejects(startService([store]), ({ message }: Error) => {
    assert.match(message, /in use by another process|already runs/);
    assert.equal(message.trim().split('\n').length, 1, message);
    return true;
  });
  assert.equal((await put(service.url, 'still')).status, 200);
});
