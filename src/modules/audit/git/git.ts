/** Runs git's plumbing commands on one repository, independent of the settings of the user who started the service. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { ServiceError } from '../../../core/errors.ts';
import type {} from '../codes.ts';

/** Has git flush everything before it reports success: packs, loose objects, references (`core.fsync`). */
const SETTINGS = ['-c', 'core.fsync=all', '-c', 'gc.auto=0', '-c', 'core.quotePath=false'];

const NO_GIT = 'git is not installed, or not in the PATH. Audit logs need it: install git, and start again.';

/** The priority of background work. */
const BACKGROUND = 10;

/**
 * Starts a git command. The repository is named explicitly, so that git neither looks for one nor minds who owns it;
 * variables and settings of the user don't count.
 */
export function startGit(repository: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' };
  env.GIT_CONFIG_GLOBAL = process.platform === 'win32' ? 'NUL' : '/dev/null';
  // Ctrl-C is sent to the processes of a group: git ends when the service ends it.
  const detached = process.platform !== 'win32';
  const child = spawn('git', [`--git-dir=${repository}`, ...SETTINGS, ...args], { env, cwd: '/', detached });
  // Errors of writing to a process that has ended are reported by its exit.
  child.stdin.on('error', () => {});
  return child;
}

/** Lowers the priority of a git process. */
function lowerPriority({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, BACKGROUND);
  } catch {
    // It has ended already, or the platform does not allow it: both are fine.
  }
}

type RunOptions = {
  readonly input?: string;
  /** The exit statuses that mean success. */
  readonly good?: readonly number[];
  /** Whether it yields to requests. */
  readonly background?: boolean;
};

/**
 * Runs a git command to its end.
 *
 * @throws ServiceError `audit_failed` with what git said
 */
export async function git(
  repository: string,
  args: readonly string[],
  { input = '', good = [0], background = false }: RunOptions = {},
): Promise<string> {
  const child = startGit(repository, args);
  if (background) lowerPriority(child);
  const end = ended(child, good);
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const failure = await end;
  if (failure) throw gitFailed(args[0] ?? '', failure);
  return Buffer.concat(chunks).toString();
}

/** Waits for the end of a process: what went wrong, in git's words, or undefined. */
export function ended(
  child: ChildProcessWithoutNullStreams,
  good: readonly number[] = [0],
): Promise<string | undefined> {
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-2000);
  });
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ENOENT' ? NO_GIT : error.message);
    });
    child.on('close', (code, signal) => {
      if (code !== null && good.includes(code)) resolve(undefined);
      else resolve(gist(words) || `it ended with ${signal ?? code}`);
    });
  });
}

/** Extracts the complaints of git, without its advice. */
function gist(words: string): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const complaints = lines.filter((line) => /^(?:error|fatal|warning):/.test(line));
  return (complaints.length > 0 ? complaints : lines).slice(0, 3).join(' ');
}

export function gitFailed(command: string, words: string): ServiceError {
  return new ServiceError('audit_failed', `The command git ${command} failed: ${words}`);
}
