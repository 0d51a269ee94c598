/**
 * Python programs for tests, in virtual environments outside of the repository.
 *
 * An environment is made once, in the user's cache directory, with `pip`. Where that can't be done (no Python 3.11, no
 * package index) the tests are skipped, and say why.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PYTHONS = ['python3', 'python3.11', 'python3.12', 'python3.13'];

/** A failed installation is not tried again by the other test files of the same run. */
const FAILURE_REMEMBERED_MS = 10 * 60_000;
const INSTALLATION_LIMIT_MS = 5 * 60_000;

type Environment = { readonly venv: string } | { readonly missing: string };

/** An environment with these packages, installed if need be, or the reason why there is none. */
export async function environmentWith(name: string, packages: readonly string[]): Promise<Environment> {
  const venv = environmentAt(name);
  return withLock(`${venv}.lock`, () => installed(venv, packages));
}

/** Where an environment is, if it is there. */
export function environmentAt(name: string): string {
  return path.join(cacheDirectory(), 'accession', name);
}

function cacheDirectory(): string {
  return process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
}

async function installed(venv: string, packages: readonly string[]): Promise<Environment> {
  const complete = path.join(venv, 'complete');
  const failure = `${venv}.failed`;
  if (existsSync(complete)) return { venv };
  if ((await age(failure)) < FAILURE_REMEMBERED_MS) return { missing: await readFile(failure, 'utf8') };
  try {
    const python = await findPython();
    await rm(venv, { recursive: true, force: true });
    await run(python, ['-m', 'venv', venv]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--retries', '1', ...packages];
    await run(path.join(venv, 'bin', 'python'), pip, { timeout: INSTALLATION_LIMIT_MS });
    await writeFile(complete, packages.join('\n'));
    return { venv };
  } catch (error) {
    const reason = `${path.basename(venv)} can't be installed: ${lastLine(error)}`;
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
