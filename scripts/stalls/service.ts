/** A service in a process of its own, with its memory, and a pinger beside it. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Answer = { readonly status: number; readonly text: string };

export type RunningService = {
  readonly port: number;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** The resident memory now, in bytes, and its highest value since the last call of `resetPeak`. */
  memory(): number;
  peak(): number;
  resetPeak(): void;
  /**
   * The longest answers since the last call, in milliseconds: of the service, and of an idle server beside it; and the longest
   * turn of the event loop of the service, in processor time.
   */
  longest(): Promise<{ readonly service: number; readonly idle: number; readonly turn: number }>;
  stop(): Promise<void>;
};

type SendOptions = {
  readonly token?: string;
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const root = resolve(import.meta.dirname, '../..');

/** Starts the program of a checkout on a store. */
export async function startService(store: string, checkout = root): Promise<RunningService> {
  const turns = join(store, 'turns');
  const service = spawn(
    process.execPath,
    [
      ...['--import', join(import.meta.dirname, 'turns.ts')],
      ...[join(checkout, 'bin/accession.js'), 'serve', store, '--port', '0'],
    ],
    {
      env: { ...process.env, ACCESSION_ADMIN_TOKEN: 'admin', ACCESSION_TURNS: turns },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const port = await portOf(service);
  const idle = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((ready) => idle.listen(0, '127.0.0.1', ready));
  const urls = [
    `http://127.0.0.1:${port}/-/health`,
    `http://127.0.0.1:${(idle.address() as AddressInfo).port}/`,
  ];
  const pinger = fork(join(import.meta.dirname, 'pinger.ts'), urls);
  const agent = new Agent({ keepAlive: true });
  const pid = service.pid ?? 0;
  return {
    port,
    send: (method, path, options) => send(agent, port, method, path, options),
    memory: () => status(pid, 'VmRSS'),
    peak: () => status(pid, 'VmHWM'),
    resetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    longest: () =>
      new Promise((found) => {
        pinger.once('message', async ([answered = 0, idle = 0]: number[]) => {
          found({ service: answered, idle, turn: await longestTurn(service, turns) });
        });
        pinger.send('report');
      }),
    async stop() {
      agent.destroy();
      idle.close();
      pinger.disconnect();
      if (service.exitCode !== null || service.signalCode !== null) return;
      service.removeAllListeners('exit');
      service.kill('SIGTERM');
      await new Promise((ended) => service.once('exit', ended));
    },
  };
}

/**
 * The longest turn of the event loop since the last call, in milliseconds of processor time; of a program that runs with
 * `turns.ts`. Waits until the event loop is free.
 */
export async function longestTurn(service: ChildProcess, file: string): Promise<number> {
  rmSync(file, { force: true });
  service.kill('SIGUSR2');
  while (service.exitCode === null && service.signalCode === null) {
    if (existsSync(file) && statSync(file).size > 0) return Number(readFileSync(file, 'utf8'));
    await delay(10);
  }
  return Number.NaN;
}

function portOf(service: ChildProcess): Promise<number> {
  return new Promise((found, failed) => {
    let log = '';
    service.stderr?.on('data', (chunk: Buffer) => {
      log += chunk;
      const match = /http:\/\/[\d.]+:(\d+)/.exec(log);
      if (match) found(Number(match[1]));
    });
    service.once('exit', (code, signal) => {
      console.error(`The service ended with ${signal ?? code}: ${log}`);
      failed(new Error('The service ended.'));
    });
  });
}

/** A value of `/proc/PID/status`, in bytes. */
function status(pid: number, field: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) * 1024;
}

function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  { token, body, type = 'application/json', headers = {} }: SendOptions = {},
): Promise<Answer> {
  return new Promise((found, failed) => {
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: {
          ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
          ...(token !== undefined && { 'x-service-token': token }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size < 4_000_000) chunks.push(chunk);
        });
        response.on('end', () =>
          found({ status: response.statusCode ?? 0, text: String(Buffer.concat(chunks)) }),
        );
      },
    );
    sent.on('error', failed);
    sent.end(body);
  });
}
