/** Starts and stops the two services that are compared, as the programs that their users start. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import type { Peer } from './peer.ts';

/** A store of a million records is adopted first. */
const START_LIMIT_MS = 1_200_000;
const REPOSITORY = path.resolve(import.meta.dirname, '../..');

export type StartOptions = {
  /** The configuration file; without it the store's own configuration counts. */
  readonly config?: string;
  /** The plain admin token of the bootstrap. */
  readonly adminToken?: string;
  readonly arguments?: readonly string[];
};

export type Service = {
  readonly name: string;
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly address: string;
  readonly pid: number;
  /** Everything it has printed so far, for messages of failed tests. */
  output(): string;
  /** Ends it as an operator would, and waits until it is gone. */
  stop(): Promise<void>;
};

export function startPeer(peer: Peer, store: string, options: StartOptions = {}): Promise<Service> {
  return startService('peer', peer.service, [], store, options);
}

export function startAccession(store: string, options: StartOptions = {}): Promise<Service> {
  const command = [path.join(REPOSITORY, 'bin/accession.js'), 'serve'];
  return startService('accession', process.execPath, command, store, options);
}

function startService(
  name: string,
  program: string,
  prefix: readonly string[],
  store: string,
  options: StartOptions,
): Promise<Service> {
  const config = options.config === undefined ? [] : ['-c', options.config];
  const rest = [...config, ...(options.arguments ?? []), store];
  // The peer's name of the variable, which both services know.
  const admin: Record<string, string> =
    options.adminToken === undefined ? {} : { DTS_ADMIN_TOKEN: options.adminToken };
  return startProgram(
    name,
    program,
    (port) => [...prefix, '--host', '127.0.0.1', '--port', port, ...rest],
    admin,
  );
}

/** Starts a program that serves HTTP, and waits until it answers at `/server`. */
export async function startProgram(
  name: string,
  program: string,
  argumentsFor: (port: string) => readonly string[],
  environment: Record<string, string> = {},
): Promise<Service> {
  const port = String(await freePort());
  const child = spawn(program, argumentsFor(port), {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const service: Service = {
    name,
    address: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    output: () => printed,
    stop: () => stop(child),
  };
  await untilItAnswers(service, child);
  return service;
}

async function untilItAnswers(service: Service, child: ChildProcess): Promise<void> {
  const end = Date.now() + START_LIMIT_MS;
  while (Date.now() < end) {
    if (child.exitCode !== null)
      throw new Error(`${service.name} ended with ${child.exitCode}:\n${service.output()}`);
    const answer = await fetch(`${service.address}/server`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(20);
  }
  await stop(child);
  throw new Error(`${service.name} does not answer:\n${service.output()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(kill);
}
