/**
 * Holds a service against many clients that send most of a body and then stop: `node scripts/slow-bodies.ts [CLIENTS]`.
 * Starts a service of its own, and prints its memory before, during and after, and how requests were answered.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const clients = Number(process.argv[2] ?? 400);
const BODY = 10 * 1024 * 1024;
/** One for all clients, which take no memory of the machine then. */
const MOST = Buffer.alloc(BODY - 100, 'x');
const store = mkdtempSync(join(tmpdir(), 'accession-bodies-'));
const root = resolve(import.meta.dirname, '..');
const configuration = {
  type: 'collections',
  version: 2,
  collections: {
    c: {
      schema: join(root, 'examples/laboratory/schema.yaml'),
      default_token: 'none',
      curated: 'c/curated',
      incoming: 'c/incoming',
    },
  },
  tokens: {
    ann: {
      user_id: 'ann',
      representation: 'ann',
      collections: { c: { mode: 'WRITE_COLLECTION', incoming_label: 'ann' } },
    },
  },
};
writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(configuration));
const service = spawn(process.execPath, [join(root, 'bin/accession.js'), 'serve', store, '--port', '0'], {
  env: { ...process.env, ACCESSION_ADMIN_TOKEN: 'admin' },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const port = await new Promise<number>((found) => {
  service.stderr.on('data', (chunk: Buffer) => {
    const match = /:(\d+)\s*$/m.exec(String(chunk));
    if (match) found(Number(match[1]));
  });
});
for (const token of ['', 'ann']) {
  const before = memory();
  const sockets = Array.from({ length: clients }, () => stoppingClient(token));
  const answers = new Map<string, number>();
  for (const socket of sockets) {
    socket.once('data', (chunk: Buffer) => {
      const status = String(chunk).split(' ')[1] ?? '';
      answers.set(status, (answers.get(status) ?? 0) + 1);
    });
  }
  let peak = 0;
  for (let n = 0; n < 80; n++) {
    peak = Math.max(peak, memory());
    await delay(100);
  }
  for (const socket of sockets) socket.destroy();
  await delay(3000);
  const who = token === '' ? 'without a token' : 'with a token';
  console.log(
    `${clients} clients ${who}: ${before} MiB before, ${peak} MiB at most, ${memory()} MiB after; ` +
      `answers ${JSON.stringify(Object.fromEntries(answers))}`,
  );
}
service.kill('SIGTERM');
await new Promise((ended) => service.once('exit', ended));
rmSync(store, { recursive: true, force: true });

/** Announces a body, sends all but its last bytes as far as the service takes them, and stops. */
function stoppingClient(token: string): Socket {
  const socket = connect(port, '127.0.0.1');
  const head = [
    'POST /c/record/Person HTTP/1.1',
    'host: x',
    'content-type: application/json',
    `content-length: ${BODY}`,
    ...(token === '' ? [] : [`x-service-token: ${token}`]),
  ];
  socket.on('error', () => {});
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(MOST);
  return socket;
}

/** The resident memory of the service in MiB, with the processes that it has started. */
function memory(): number {
  const pids = [service.pid, ...children(service.pid ?? 0)];
  return Math.round(pids.reduce((sum: number, pid) => sum + residentOf(pid ?? 0), 0) / 1024);
}

function children(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}
