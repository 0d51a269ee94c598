/**
 * The real peer and its real client, in a Python virtual environment outside of the repository.
 *
 * `ACCESSION_PEER_VENV` names an existing environment. Else one is made once, in the user's cache directory, with
 * `pip`. Where that can't be done (no Python 3.11, no package index) the parity tests are skipped, and say why.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What is compared against; the libraries that decide about answers are held at the versions the facts come from. */
const PACKAGES = [
  'dump-things-service==6.3.3',
  'dump-things-pyclient==0.3.0',
  'linkml==1.12.1',
  'linkml-runtime==1.12.1',
  'pydantic==2.14.3',
  'rdflib==7.6.0',
  'fastapi==0.165.0',
  'PyYAML==6.0.3',
];

const PYTHONS = ['python3', 'python3.11', 'python3.12', 'python3.13'];

/** A failed installation is not tried again by the other test files of the same run. */
const FAILURE_REMEMBERED_MS = 10 * 60_000;
const INSTALLATION_LIMIT_MS = 5 * 60_000;

export type Peer = {
  /** The executable of the service. */
  readonly service: string;
  /** The executable of the command line client. */
  readonly client: string;
  readonly python: string;
};

type PeerLookup = { readonly peer: Peer } | { readonly missing: string };

/** The peer, installed if need be, or the reason why there is none. */
export async function findPeer(): Promise<PeerLookup> {
  const named = process.env.ACCESSION_PEER_VENV;
  if (named) {
    const peer = peerIn(named);
    return existsSync(peer.service) ? { peer } : { missing: `ACCESSION_PEER_VENV has no ${peer.service}` };
  }
  const venv = path.join(cacheDirectory(), 'accession', 'peer-6.3.3');
  return withLock(`${venv}.lock`, () => installed(venv));
}

/** The peer only if it is there already, without installing anything. */
export function peerAtHand(): Peer | undefined {
  const venv = process.env.ACCESSION_PEER_VENV ?? path.join(cacheDirectory(), 'accession', 'peer-6.3.3');
  const peer = peerIn(venv);
  return existsSync(peer.client) ? peer : undefined;
}

function peerIn(venv: string): Peer {
  const bin = path.join(venv, 'bin');
  return {
    service: path.join(bin, 'dump-things-service'),
    client: path.join(bin, 'dtc'),
    python: path.join(bin, 'python'),
  };
}

function cacheDirectory(): string {
  return process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
}

async function installed(venv: string): Promise<PeerLookup> {
  const complete = path.join(venv, 'complete');
  const failure = `${venv}.failed`;
  if (existsSync(complete)) return { peer: peerIn(venv) };
  if ((await age(failure)) < FAILURE_REMEMBERED_MS) return { missing: await readFile(failure, 'utf8') };
  try {
    const python = await findPython();
    await rm(venv, { recursive: true, force: true });
    await run(python, ['-m', 'venv', venv]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--retries', '1', ...PACKAGES];
    await run(path.join(venv, 'bin', 'python'), pip, { timeout: INSTALLATION_LIMIT_MS });
    await writeFile(complete, PACKAGES.join('\n'));
    return { peer: peerIn(venv) };
  } catch (error) {
    const reason = `the peer can't be installed: ${lastLine(error)}`;
    await writeFile(failure, reason);
    return { missing: reason };
  }
}

async function findPython(): Promise<string> {
  for (const python of PYTHONS) {
    const check = 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))';
    if (
      await run(python, ['-c', check]).then(
        () => true,
        () => false,
      )
    )
      return python;
  }
  throw new Error(`no Python 3.11 with venv among ${PYTHONS.join(', ')}`);
}

/** Runs one at a time over all processes; a lock that an ended process has left behind is taken over. */
async function withLock<T>(lock: string, action: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(lock), { recursive: true });
  while (
    !(await mkdir(lock).then(
      () => true,
      () => false,
    ))
  ) {
    if ((await age(lock)) > INSTALLATION_LIMIT_MS + 60_000) await rm(lock, { recursive: true, force: true });
    await sleep(200);
  }
  try {
    return await action();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function age(file: string): Promise<number> {
  return stat(file).then(
    (facts) => Date.now() - facts.mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim() || message).split('\n').at(-1) ?? message;
}
