/** The repository as a directory: made, recognized, tidied. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from '../../../core/durations.ts';
import { ServiceError } from '../../../core/errors.ts';
import { git } from './git.ts';
import { PID_FILE } from './layout.ts';

/** How long leftovers of git processes that have died are kept, in milliseconds. */
const KEEP_LEFTOVERS = 3_600_000;
/** How long a lock is kept that git takes for a moment only, in milliseconds. */
const KEEP_LOCK = 60_000;

/** Where our own files are within the repository; git does not mind them. */
export const OWN_FILES = 'accession';

/** Files that `git init` and we make: a directory that holds nothing else may be made a repository. */
const REPOSITORY_FILES = new Set([
  'HEAD',
  'config',
  'description',
  'branches',
  'hooks',
  'info',
  'objects',
  'refs',
  PID_FILE,
  OWN_FILES,
]);

/** @throws ServiceError `store_incompatible` for a directory that holds anything else than a repository */
export async function requireUsable(path: string): Promise<void> {
  if (!existsSync(path)) return;
  if (isRepository(path)) return requireBare(path);
  const foreign = (await readdir(path)).find((name) => !REPOSITORY_FILES.has(name));
  if (foreign !== undefined) throw noRepository(path, `it holds '${foreign}'`);
}

/** Makes a repository with the peer's list of pids, if there is none yet. @throws as {@link requireUsable} */
export async function makeRepository(path: string): Promise<void> {
  await requireUsable(path);
  if (isRepository(path)) return;
  await mkdir(path, { recursive: true });
  await git(path, ['init', '--quiet', '--bare', '--initial-branch=master', '--template=', path]);
  // The peer commits in the name that the repository gives.
  await appendFile(join(path, 'config'), '[user]\n\tname = Accession\n\temail = accession@localhost\n');
  await appendFile(join(path, PID_FILE), '');
}

function isRepository(path: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name)));
}

async function requireBare(path: string): Promise<void> {
  // Statuses of a damaged configuration are answers; without git there is none.
  const bare = await git(path, ['config', '--bool', 'core.bare'], { good: [0, 1, 3, 128] });
  if (bare.trim() !== 'true') throw noRepository(path, 'it is not bare');
}

function noRepository(path: string, reason: string): ServiceError {
  const message = `${path} is not an audit log: expected a bare git repository, but ${reason}`;
  return new ServiceError('store_incompatible', message);
}

/** Adds new pids to the peer's list. If that is missing, the peer makes it from the commits. */
export async function appendPids(path: string, pids: readonly string[]): Promise<void> {
  const file = join(path, PID_FILE);
  if (pids.length > 0 && existsSync(file)) await appendFile(file, pids.map((pid) => `${pid}\n`).join(''));
}

/** The number of packs at which they are packed into one. */
const PACKS = 30;

/** Whether there are so many packs that {@link repack} is worth its while. */
export async function needsRepack(path: string): Promise<boolean> {
  const names = await readdir(join(path, 'objects', 'pack')).catch(() => []);
  return names.filter((name) => name.endsWith('.pack')).length > PACKS;
}

/**
 * Packs small packs together so that each is at least twice as large as the next (`--geometric`), and updates the
 * filters that let git skip commits when it looks for the history of a record. Nothing is ever dropped, readers are
 * not disturbed, and a crash leaves it as it was.
 */
export async function repack(path: string): Promise<void> {
  await removeKeeps(path);
  const background = true;
  await git(path, ['repack', '-d', '--geometric=2', '--quiet', '--no-write-bitmap-index'], { background });
  const graph = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'];
  await git(path, graph, { background });
}

/** Removes what git processes that died with us have left. */
export async function tidy(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (name.startsWith('fast_import_crash_')) await rm(join(path, name), { force: true });
  }
  const packs = join(path, 'objects', 'pack');
  for (const name of await readdir(packs).catch(() => [])) {
    if (name.startsWith('tmp_') && (await isOlder(join(packs, name), KEEP_LEFTOVERS)))
      await rm(join(packs, name), { force: true });
  }
}

/** Removes a lock on the branch that a dead process has left; whether there was one. */
export async function removeStaleLock(path: string): Promise<boolean> {
  const file = join(path, 'refs', 'heads', 'master.lock');
  if (!(await isOlder(file, KEEP_LOCK))) return false;
  await rm(file, { force: true });
  return true;
}

/** An importer that was killed leaves marks that its packs are to be kept as they are. */
async function removeKeeps(path: string): Promise<void> {
  const packs = join(path, 'objects', 'pack');
  for (const name of await readdir(packs)) {
    const file = join(packs, name);
    if (name.endsWith('.keep') && (await readFile(file, 'utf8')).startsWith('fast-import')) await rm(file);
  }
}

async function isOlder(file: string, age: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && !isWithin(found.mtimeMs, age);
}
