/** Drives a service with wrk (Debian package `wrk`), which costs a tenth of what a driver in Node does. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Driver, Load, Measurement, Shot } from './load.ts';

const SCRIPT = path.join(import.meta.dirname, 'wrk.lua');

export const wrk: Driver = { name: 'wrk', run };

/** Whether the program is installed. */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['--version']).error === undefined;
}

async function run(address: string, load: Load, connections: number, seconds: number): Promise<Measurement> {
  const directory = await mkdtemp(path.join(tmpdir(), 'accession-wrk-'));
  try {
    const file = path.join(directory, 'requests');
    await writeFile(file, load.map((shot) => `${messageOf(address, shot)}\0`).join(''));
    const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '-s', SCRIPT];
    const { stderr } = await promisify(execFile)('wrk', [...options, address, '--', file]);
    const { requests, seconds: took, p50, p99, status, broken } = JSON.parse(stderr) as Report;
    return { rate: (requests - status) / took, responses: requests, p50, p99, failures: status + broken };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

type Report = {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly status: number;
  readonly broken: number;
};

/** The request as it goes over the wire. */
function messageOf(address: string, { method, path: target, headers, body }: Shot): string {
  const all = {
    host: new URL(address).host,
    ...headers,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
